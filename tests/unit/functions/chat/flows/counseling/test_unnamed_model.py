"""A danger named by a model that the catalogue of models does not name, where rules and weak signs are silent."""

import json
from functools import cache

import pytest

from functions.chat.flows.counseling.turn_options import STEP_BY_STEP, Speculating, TurnOptions
from shared.domain.errors import ModelNotFound
from shared.engine.runner import AgentRunner
from shared.safety.levels import RiskLevel
from shared.safety.needs import Need
from tests.builders.answers import joint, task_completion, user_state_reading
from tests.builders.shipped_settings import agent_settings
from tests.builders.talk import Talk

DETECTOR = "user_state_detector"
GREETING = "안녕하세요. 저는 서른두 살 김민지라고 해요. 회사 일 때문에 너무 지쳐서 왔어요."
HINTED = "이제 다 정리하고 편해지려고요"
WAYS = {"early": TurnOptions(speculation=Speculating.ALWAYS), "joint": TurnOptions(speculation=Speculating.OFF)}
EACH_WAY = pytest.mark.parametrize("options", [*WAYS.values(), STEP_BY_STEP], ids=[*WAYS, "step by step"])
EACH_LEVEL = pytest.mark.parametrize("level", ["imminent", "crisis", "concern"])

settings = cache(agent_settings)


def talking(options=None, model="small-1.5b"):
    talk = Talk(options=options)
    talk.runner = AgentRunner(talk.model, settings(model=model), talk.clock)
    return talk


async def read(talk, level, text):
    talk.model.scripts[DETECTOR] = user_state_reading(risk=level, evidence=text)
    return await talk.say(text)


def assert_asked_directly(talk, reply):
    """The reply asks the direct question, and the card shows the lines for those in danger of their life."""
    assert (talk.state.risk.level, talk.state.risk.needs) == (RiskLevel.CONCERN, (Need.LIFE,))
    assert talk.content.crisis_answers.asks_directly(reply)


@EACH_WAY
@EACH_LEVEL
async def test_is_asked_about_directly_whatever_its_level(options, level):
    talk = talking(options)
    said = await read(talk, level, GREETING)
    assert_asked_directly(talk, said.shown)
    assert talk.state.user_state.risk is RiskLevel.CONCERN


async def test_is_asked_about_directly_where_another_service_answers():
    talk = talking()
    talk.model.scripts[DETECTOR] = user_state_reading(risk="imminent", evidence=GREETING)
    turn = talk.turn(GREETING)
    outcome = await talk.flow.overhear(turn)
    talk.commit(turn, outcome)
    assert_asked_directly(talk, outcome.reply)


@EACH_WAY
async def test_counts_in_full_beside_a_weak_sign_of_the_rules(options):
    talk = talking(options)
    said = await read(talk, "imminent", HINTED)
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))


@EACH_WAY
async def test_counts_in_full_beside_a_concern_of_the_rules(options):
    talk = talking(options)
    said = await read(talk, "crisis", "사는 게 의미가 없는 것 같아요")
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))


@EACH_WAY
async def test_counts_in_full_if_a_model_of_the_catalogue_answered_in_its_place(options, tmp_path):
    file, talk = tmp_path / "agents.yaml", talking(options)
    file.write_text("defaults: {fallback: gemini-3.6-flash}", "utf-8")
    talk.runner = AgentRunner(talk.model, agent_settings(file, model="small-1.5b"), talk.clock)
    reading = user_state_reading(risk="crisis", evidence=GREETING)
    talk.model.scripts |= {
        "message_analyst": [ModelNotFound("404"), json.dumps(joint(task_completion(), reading))],
        DETECTOR: [ModelNotFound("404"), reading],
    }
    said = await talk.say(GREETING)
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))


@EACH_WAY
async def test_counts_in_full_from_a_model_of_the_catalogue(options):
    talk = talking(options, model=None)
    said = await read(talk, "imminent", GREETING)
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))


@EACH_WAY
async def test_counts_in_full_while_a_danger_is_followed_through(options):
    talk = talking(options)
    await read(talk, "none", "요즘 자꾸 죽고 싶어요")
    said = await read(talk, "imminent", "문 열고 나와 있는데 아래가 까마득하네요")
    assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))
