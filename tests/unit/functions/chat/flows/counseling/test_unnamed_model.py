"""A danger named by a model that the catalogue of models does not name, where rules and weak signs are silent."""

from functools import cache

import pytest

from shared.domain.errors import ModelNotFound
from shared.engine.runner import AgentRunner
from shared.safety.levels import RiskLevel
from shared.safety.needs import Need
from tests.builders.answers import reads
from tests.builders.shipped_settings import agent_settings
from tests.builders.talk import Talk

READER = "reader"
GREETING = "안녕하세요. 저는 서른두 살 김민지라고 해요. 회사 일 때문에 너무 지쳐서 왔어요."
HINTED = "이제 다 정리하고 편해지려고요"

settings = cache(agent_settings)


def talking(model="small-1.5b"):
    talk = Talk()
    talk.runner = AgentRunner(talk.model, settings(model=model), talk.clock)
    return talk


async def read(talk, danger, text):
    talk.model.scripts[READER] = reads(danger=danger)
    return await talk.say(text)


@pytest.mark.parametrize("danger", ["own_imminent", "own_crisis", "own_concern"])
async def test_is_asked_about_directly_whatever_its_level(danger):
    talk = talking()
    said = await read(talk, danger, GREETING)
    assert (talk.state.risk.level, talk.state.risk.needs) == (RiskLevel.CONCERN, (Need.LIFE,))
    assert talk.content.crisis_answers.asks_directly(said.shown)
    assert talk.state.user_state.risk is RiskLevel.CONCERN


async def test_counts_in_full_beside_a_weak_sign_of_the_rules():
    talk = talking()
    said = await read(talk, "own_imminent", HINTED)
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))


async def test_counts_in_full_beside_a_concern_of_the_rules():
    talk = talking()
    said = await read(talk, "own_crisis", "사는 게 의미가 없는 것 같아요")
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))


async def test_counts_in_full_if_a_model_of_the_catalogue_answered_in_its_place(tmp_path):
    file, talk = tmp_path / "agents.yaml", talking()
    file.write_text("defaults: {fallback: gemini-3.6-flash}", "utf-8")
    talk.runner = AgentRunner(talk.model, agent_settings(file, model="small-1.5b"), talk.clock)
    talk.model.scripts[READER] = [ModelNotFound("404"), reads(danger="own_crisis")]
    said = await talk.say(GREETING)
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))


async def test_counts_in_full_from_a_model_of_the_catalogue():
    talk = talking(model=None)
    said = await read(talk, "own_imminent", GREETING)
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))


async def test_counts_in_full_while_a_danger_is_followed_through():
    talk = talking()
    await talk.say("요즘 자꾸 죽고 싶어요")
    said = await read(talk, "own_imminent", "문 열고 나와 있는데 아래가 까마득하네요")
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))
