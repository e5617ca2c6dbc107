"""A reading that broke: a danger that had arrived counts, and what broke is asked for once more."""

import json
from dataclasses import replace

import pytest

from functions.chat.flows.counseling.turn_options import Speculating, TurnOptions
from shared.domain.errors import ModelStreamBroken, ModelTimeout, ModelTruncated, ModelUnavailable
from shared.safety.levels import RiskLevel
from shared.safety.needs import Need
from tests.builders.answers import joint, task_completion, user_state_reading
from tests.builders.talk import REPLY, Talk
from tests.fakes.scripted_model import Stream

ANALYST, DETECTOR, COUNSELOR = "message_analyst", "user_state_detector", "counselor"
EARLY, WHOLE = TurnOptions(speculation=Speculating.ALWAYS), TurnOptions(speculation=Speculating.OFF)
SAID = "오늘은 그냥 집에 있었어요"
"""Words in which no rule finds anything."""
FAULTS = {
    "dropped": ModelStreamBroken("cut"),
    "stalled": ModelTimeout("no next token"),
    "cut": ModelTruncated("MAX_TOKENS"),
    "unavailable": ModelUnavailable("503"),
    "broken json": None,
}
EACH_FAULT = pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
LOOK = '{"look": ["crisis", "sadness"], "slots": [], "inten'
QUOTED = f'{LOOK}sity": 0, "state_evidence": "집에 있었어요", "task_evidence": "네, 네, 네, '
HARMLESS = json.dumps(joint(task_completion(), user_state_reading()))
DANGER = json.dumps(joint(task_completion(), user_state_reading(risk="crisis", evidence=SAID)), ensure_ascii=False)


def breaking(beginning, fault):
    """Return an answer that begins so and breaks; without an error it goes on as no JSON."""
    pieces = tuple(beginning[at : at + 7] for at in range(0, len(beginning), 7))
    return Stream(pieces, error=fault) if fault else Stream((*pieces, " oops"))


async def heard(*answers, options=EARLY, said=SAID, agent=ANALYST):
    talk = Talk(options=options)
    talk.model.scripts[agent] = list(answers)
    return talk, await talk.say(said)


def assert_asked_directly(talk, said):
    """The reply asks the direct question, and the card shows the lines for those in danger of their life."""
    assert (talk.state.risk.level, talk.state.risk.needs) == (RiskLevel.CONCERN, (Need.LIFE,))
    assert talk.content.crisis_answers.asks_directly(said.shown)


class TestADangerThatHadArrived:
    @EACH_FAULT
    @pytest.mark.parametrize("options", [EARLY, WHOLE], ids=["early", "whole"])
    async def test_is_asked_about_directly_with_the_lines_when_no_answer_comes(self, fault, options):
        talk, said = await heard(breaking(LOOK, fault), ModelUnavailable("503"), options=options)
        assert_asked_directly(talk, said)

    @EACH_FAULT
    async def test_counts_in_full_if_its_quote_had_arrived_as_well(self, fault):
        talk, said = await heard(breaking(QUOTED, fault), ModelUnavailable("503"))
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))
        assert REPLY not in said.shown

    @EACH_FAULT
    async def test_is_not_taken_back_by_a_second_answer_that_finds_none(self, fault):
        talk, said = await heard(breaking(LOOK, fault), HARMLESS)
        assert_asked_directly(talk, said)

    async def test_is_heard_within_a_list_that_did_not_end(self):
        talk, said = await heard(breaking('{"look": ["imminent", "sad', FAULTS["cut"]), ModelUnavailable("503"))
        assert_asked_directly(talk, said)

    async def test_is_no_higher_than_the_second_answers_which_has_the_users_words(self):
        talk, _ = await heard(breaking('{"look": ["concern"], "slo', FAULTS["dropped"]), DANGER)
        assert talk.state.risk.level is RiskLevel.CRISIS

    async def test_does_not_lower_the_second_answers_for_want_of_a_quote(self):
        talk, _ = await heard(breaking('{"look": ["imminent"], "slo', FAULTS["dropped"]), DANGER)
        assert talk.state.risk.level is RiskLevel.CRISIS

    async def test_counts_if_both_answers_are_whole_but_do_not_fit(self):
        unfit = '{"look": ["crisis"], "slots": [], "intensity": 99}'
        talk, said = await heard(unfit, unfit)
        assert_asked_directly(talk, said)

    @EACH_FAULT
    async def test_counts_where_the_detector_is_asked_by_itself(self, fault):
        options = replace(WHOLE, jointly=False)
        begun = '{"risk": "crisis", "resistance": "none", "emo'
        again = ModelUnavailable("503")
        talk, said = await heard(breaking(begun, fault), again, options=options, agent=DETECTOR)
        assert_asked_directly(talk, said)

    @EACH_FAULT
    async def test_counts_where_another_service_answers(self, fault):
        talk = Talk()
        talk.model.scripts[DETECTOR] = [breaking('{"risk": "crisis", "resistance": ', fault), ModelUnavailable("503")]
        turn = talk.turn(SAID)
        assert "109" in (await talk.flow.overhear(turn)).reply


class TestAHarmlessLook:
    @EACH_FAULT
    async def test_before_a_break_is_asked_for_once_more_and_the_second_answers_danger_counts(self, fault):
        talk, said = await heard(breaking('{"look": ["sadness"], "slots": [], "inten', fault), DANGER)
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))
        assert (said.shown, len(talk.model.asked(ANALYST))) == (said.reply, 2)

    @EACH_FAULT
    async def test_before_a_break_is_followed_by_the_direct_question_if_the_second_answers_a_concern(self, fault):
        concern = json.dumps(joint(task_completion(), user_state_reading(risk="concern", evidence=SAID)))
        talk, said = await heard(breaking('{"look": ["sadness"], "slots": [], "inten', fault), concern)
        assert_asked_directly(talk, said)
        assert said.shown == said.reply

    @EACH_FAULT
    async def test_before_a_break_raises_nothing_when_no_answer_comes_and_the_reply_has_the_lines(self, fault):
        talk, said = await heard(breaking('{"look": ["sadness"], "slots": [], "inten', fault), ModelUnavailable("503"))
        assert (talk.state.risk.level, said.reply.startswith(REPLY)) == (RiskLevel.NONE, True)
        assert "119" in said.reply
