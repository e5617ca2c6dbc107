"""Weak signs are left to the model's second opinion; where it gives none, they are asked about."""

import pytest

from shared.content.catalogue import content
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.talk import Talk

HINT = "핸드폰도 초기화했고 계정도 전부 삭제했어요"


@pytest.fixture
def talk():
    return Talk()


def test_the_rules_leave_one_sign_to_the_model():
    message = content().screening.screen(HINT)
    assert message.outcome is CrisisOutcome.NONE
    assert message.crisis.hints


async def test_with_a_second_opinion_that_sees_nothing_it_is_not_asked_about(talk):
    await talk.say(HINT)
    assert talk.state.risk.level is RiskLevel.NONE


async def test_without_one_it_is_asked_about(talk):
    talk.model.scripts = {}
    said = await talk.say(HINT)
    assert talk.state.risk.level is RiskLevel.CONCERN
    assert "죽고 싶" in said.reply
