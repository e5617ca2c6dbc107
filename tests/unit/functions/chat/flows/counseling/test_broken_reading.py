"""A reading that broke: a danger that had arrived counts, and what broke is asked for once more."""

import pytest

from functions.chat.reading import DangerRead
from shared.domain.errors import ModelStreamBroken, ModelTimeout, ModelTruncated, ModelUnavailable
from shared.safety.levels import RiskLevel
from shared.safety.needs import Need
from tests.builders.answers import reads
from tests.builders.talk import REPLY, Talk
from tests.fakes.scripted_model import Stream

READER = "reader"
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
AWAY = ModelUnavailable("503")
LOOSE = '{"danger": [{"kind": "own_crisis", "quote": "다 끝내고 싶어요"}], "signs": [], "asked": "none", "next'
"""The beginning of a reading whose danger is not in the user's words."""
QUOTED = '{"danger": [{"kind": "own_crisis", "quote": "집에 있었어요"}], "signs": [], "asked": "none", "next'
NO_DANGER = '{"danger": [], "signs": [{"id": "loss", "quote": "집에'


def breaking(beginning, fault):
    """Return an answer that begins so and breaks; without an error it goes on as no JSON."""
    pieces = tuple(beginning[at : at + 7] for at in range(0, len(beginning), 7))
    return Stream(pieces, error=fault) if fault else Stream((*pieces, " oops"))


async def heard(*answers):
    talk = Talk()
    talk.model.scripts[READER] = list(answers)
    return talk, await talk.say(SAID)


def assert_asked_directly(talk, said):
    """The reply asks the direct question, and the card shows the lines for those in danger of their life."""
    assert (talk.state.risk.level, talk.state.risk.needs) == (RiskLevel.CONCERN, (Need.LIFE,))
    assert talk.content.crisis_answers.asks_directly(said.shown)
    assert not said.directive["parse_error"], "nothing else is asked"


class TestADangerThatHadArrived:
    @EACH_FAULT
    async def test_counts_in_full_with_the_users_words_when_no_answer_comes(self, fault):
        talk, said = await heard(breaking(QUOTED, fault), AWAY)
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))
        assert REPLY not in said.shown

    @EACH_FAULT
    async def test_is_asked_about_directly_without_them(self, fault):
        assert_asked_directly(*await heard(breaking(LOOSE, fault), AWAY))

    @EACH_FAULT
    @pytest.mark.parametrize(("beginning", "level"), [(LOOSE, RiskLevel.CONCERN), (QUOTED, RiskLevel.CRISIS)])
    async def test_is_not_taken_back_by_a_second_answer_that_finds_none(self, fault, beginning, level):
        talk, _ = await heard(breaking(beginning, fault), reads())
        assert talk.state.risk.level is level

    async def test_is_no_higher_than_the_second_answers_which_has_the_users_words(self):
        concern = breaking(LOOSE.replace("own_crisis", "own_concern"), FAULTS["dropped"])
        talk, _ = await heard(concern, reads(danger="own_crisis"))
        assert talk.state.risk.level is RiskLevel.CRISIS

    async def test_is_asked_about_if_both_answers_are_whole_and_have_other_words(self):
        loose = reads(danger="own_crisis", quote="다 끝내고 싶어요")
        assert_asked_directly(*await heard(loose, loose))

    async def test_counts_if_both_answers_are_whole_but_do_not_fit(self):
        unfit = QUOTED.partition(', "asked"')[0] + ', "asked": 7}'
        talk, _ = await heard(unfit, unfit)
        assert talk.state.risk.level is RiskLevel.CRISIS


class TestAnAnswerWithoutDanger:
    @EACH_FAULT
    async def test_before_a_break_is_asked_for_once_more_and_the_second_answers_danger_counts(self, fault):
        talk, said = await heard(breaking(NO_DANGER, fault), reads(danger="own_crisis"))
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.CRISIS, ("crisis",))
        assert (said.shown, len(talk.model.asked(READER))) == (said.reply, 2)

    @EACH_FAULT
    async def test_before_a_break_is_followed_by_the_direct_question_if_the_second_answers_a_concern(self, fault):
        assert_asked_directly(*await heard(breaking(NO_DANGER, fault), reads(danger="own_concern")))

    @EACH_FAULT
    async def test_before_a_break_raises_nothing_when_no_answer_comes_and_the_reply_has_the_lines(self, fault):
        talk, said = await heard(breaking(NO_DANGER, fault), AWAY)
        assert (talk.state.risk.level, said.reply.startswith(REPLY)) == (RiskLevel.NONE, True)
        assert "119" in said.reply


async def test_a_reading_whose_danger_alone_lacks_the_users_words_is_used_for_all_else():
    loose = (DangerRead(kind="violence_now", quote="남편이 때려요"),)
    whole = reads(feeling=("sadness", 8))
    talk, said = await heard(*[lambda request: whole(request).model_copy(update={"danger": loose})] * 2)
    assert (talk.state.user_state.intensity, talk.state.repeat_asked_seq) == (8, None)
    assert said.shown == REPLY
