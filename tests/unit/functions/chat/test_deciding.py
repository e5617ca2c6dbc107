"""What a turn makes of a reading: `apply` and `decide`, over whole values and over random sessions."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from functions.chat.applying import Moment, Plain, apply
from functions.chat.deciding import decide
from functions.chat.findings import Findings, after
from functions.chat.reading import NOTHING_HEARD, Felt, asked_last
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.session import PlanStatus, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import ReplanAsked, WentBack, WrapUpUnclear
from shared.domain.counseling.task import CompletionRule, Part, TaskKind, TaskStatus
from shared.domain.counseling.user_state import EmotionLabel
from shared.locale import Locale, Register
from shared.safety.levels import RiskLevel
from tests.builders.sessions import session, slot, task

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
CONTENT = content()
TEMPLATES = CONTENT.templates("first_session", Locale.KO, Register.FORMAL)
JUDGED = {"completion_rule": CompletionRule.JUDGED, "min_turns": 2, "status": TaskStatus.IN_PROGRESS}


def exploring(*tasks, **more):
    """Return a session in a planned Part 2."""
    own = tasks or (task("task_a", Part.EXPLORATION, **JUDGED),)
    given = {"current_part": Part.EXPLORATION, "announced_part": Part.EXPLORATION, "current_task": own[0].id}
    return session(*own, **given | {"plan_status": PlanStatus.READY, "seq": 8, "part2_started_seq": 4} | more)


def asked(aim=WrapUpAim.END, *, choice=False, seq=8):
    return WrapUp(stage=WrapUpStage.PROPOSED, aim=aim, seq=seq, choice=choice)


def heard(*signs, **more):
    return replace(NOTHING_HEARD, signs=dict.fromkeys(signs, "words"), **more)


def turn(before, found=NOTHING_HEARD, **more):
    """Return the session after a turn's decisions, what led to it, and the directive."""
    moment = Moment(before=before, seq=before.seq + 1, now=NOW, **more)
    applied = apply(moment, found, before, Findings(), CONTENT)
    now = after(before, applied.events, NOW)
    if now.ended:
        return now, applied, None
    decision = decide(moment, found, now, applied, CONTENT)
    return decision.session, applied + decision.found, decision.directive


class TestAnAnswerToAProposal:
    @pytest.mark.parametrize("plain", [Plain.YES, Plain.STOP])
    def test_a_plain_yes_or_stop_ends_the_session(self, plain):
        ended, found, _ = turn(exploring(wrap_up=asked()), plain=plain)
        assert ended.ended
        assert [hook.type for hook in found.hooks] == ["session_completed"]

    @pytest.mark.parametrize(
        ("proposal", "found", "how"),
        [
            (asked(choice=True), NOTHING_HEARD, {"plain": Plain.YES}),  # to stay or to end
            (asked(), heard("agrees"), {"answers": False}),  # sent before the question was seen
            (asked(), heard("agrees", "asks_counsellor"), {}),  # beside a question of theirs
        ],
    )
    def test_a_yes_that_may_mean_something_else_ends_nothing(self, proposal, found, how):
        assert not turn(exploring(wrap_up=proposal), found, **how)[0].ended

    def test_a_yes_beside_a_question_of_theirs_is_unclear_and_is_asked_again_later(self):
        _, found, directive = turn(exploring(wrap_up=asked()), heard("agrees", "asks_counsellor"))
        assert found.of(WrapUpUnclear)
        assert directive.follows == ""

    def test_a_no_to_the_end_in_the_closing_goes_back_to_where_the_talk_was(self):
        closing = task("task_z", Part.CLOSING, status=TaskStatus.SUFFICIENT)
        explored = task("task_a", Part.EXPLORATION, status=TaskStatus.COMPLETED)
        now, found, _ = turn(exploring(closing, explored, wrap_up=asked(), current_part=Part.CLOSING), plain=Plain.NO)
        assert found.of(WentBack)
        assert now.current_part is Part.EXPLORATION

    @pytest.mark.parametrize("plain", [None, Plain.STOP])
    @pytest.mark.parametrize(("aim", "sign"), [(WrapUpAim.END, "wants_to_stop"), (WrapUpAim.WRAP_UP, "dont_know")])
    def test_a_wish_to_stop_shortly_after_an_unclear_answer_ends_without_asking_again(self, plain, aim, sign):
        answered = turn(exploring(wrap_up=asked(aim)), heard(sign, "new_topic"))[0]
        later = answered.model_copy(update={"seq": 9})
        found = NOTHING_HEARD if plain else heard("wants_to_stop")
        assert turn(later, found, plain=plain)[0].ended
        much_later = answered.model_copy(update={"seq": 20})
        assert not turn(much_later, heard("wants_to_stop"))[0].ended

    def test_a_second_wish_to_stop_beside_a_concern_is_asked_about(self):
        lately = asked().model_copy(update={"stage": WrapUpStage.SUGGESTED, "unclear": 1})
        risk = exploring().risk.model_copy(update={"level": RiskLevel.CONCERN})
        assert not turn(exploring(wrap_up=lately, risk=risk), heard("wants_to_stop"))[0].ended

    def test_no_and_a_wish_to_stop_take_up_the_end_of_a_choice_and_are_unclear_otherwise(self):
        found = heard("refuses", "wants_to_stop")
        assert turn(exploring(wrap_up=asked(choice=True)), found)[0].ended
        now, told, _ = turn(exploring(wrap_up=asked()), found)
        assert not now.ended
        assert told.of(WrapUpUnclear)

    def test_a_no_to_a_safety_plan_in_the_closing_leads_back_nowhere(self):
        closing = task("task_z", Part.CLOSING, status=TaskStatus.SUFFICIENT)
        offered = exploring().safety_plan.model_copy(update={"stage": PlanStage.OFFERED, "seq": 8})
        before = exploring(closing, current_part=Part.CLOSING, safety_plan=offered)
        assert asked_last(before) == ("safety_plan",)
        assert not turn(before, heard("refuses"))[1].of(WentBack)

    def test_in_a_follow_through_only_a_plain_yes_ends(self):
        risk = exploring().risk.model_copy(update={"level": 2})
        before = exploring(wrap_up=asked(), risk=risk)
        assert before.risk.follow_through
        assert not turn(before, heard("agrees"))[0].ended
        assert turn(before, plain=Plain.YES)[0].ended


class TestTasks:
    def test_words_that_go_round_in_circles_are_no_sign(self):
        said = Message(seq=8, role=Role.USER, text="그 얘기요", created_at=NOW)
        now, _, _ = turn(exploring(recent=(said,)), heard("complete", "circular"))
        assert now.task("task_a").signs == ()


class TestTheOneThingToAsk:
    WANTS = task("task_a", required_slots=(slot("reason"),), status=TaskStatus.IN_PROGRESS)

    def opening(self, **more):
        return session(self.WANTS, current_task="task_a", seq=3, **more)

    def test_who_says_yes_to_telling_more_is_asked_for_nothing_else(self):
        assert turn(self.opening(), replace(NOTHING_HEARD, asked="other"), short=True)[2].ask is None
        assert turn(self.opening(), replace(NOTHING_HEARD, asked="other"))[2].ask.slot == "reason"

    def test_who_declines_a_question_of_the_counselors_own_declines_no_value(self):
        before = self.opening(last_asked="reason")
        assert turn(before, replace(heard("declines"), asked="other"))[0].declined_slots == ()
        assert turn(before, heard("declines"))[0].declined_slots == ("reason",)

    def test_who_has_just_said_no_to_the_end_is_asked_for_nothing(self):
        assert turn(self.opening(wrap_up=asked(seq=3)), heard("refuses"))[2].ask is None


@pytest.mark.parametrize(("chosen", "shown"), [("task_a", "웃음을 받습니다"), ("none", ""), (None, "")])
def test_the_guide_of_this_message_is_shown_with_its_own_task_alone(chosen, shown):
    stale = exploring(execution_guide="먼저 그 뜻을 묻습니다")
    assert turn(stale)[2].execution_guide == ""
    assert turn(stale, replace(NOTHING_HEARD, next_task=chosen, guide="웃음을 받습니다"))[2].execution_guide == shown


@pytest.mark.parametrize(("stage", "announced"), [(WrapUpStage.DECLINED, False), (None, True)])
def test_who_stays_for_one_thing_more_is_not_told_that_a_new_part_begins(stage, announced):
    lately = stage and asked(seq=7).model_copy(update={"stage": stage})
    assert turn(exploring(announced_part=Part.OPENING, wrap_up=lately))[2].part_changed == announced


@pytest.mark.parametrize(("feeling", "begun"), [(("sadness", 8), False), (None, True)])
def test_nobody_in_distress_is_told_how_counselling_goes(feeling, begun):
    felt = feeling and Felt(name=EmotionLabel(feeling[0]), intensity=feeling[1], quote="words")
    goes = task("goes", kind=TaskKind.ORIENTATION)
    before = session(goes, seq=8, announced_part=Part.OPENING)
    assert (turn(before, replace(NOTHING_HEARD, feeling=felt))[0].current_task == "goes") == begun


@pytest.mark.parametrize(("seq", "proposes"), [(4, None), (12, WrapUpAim.WRAP_UP)])
def test_who_has_said_everything_in_a_long_talk_is_asked_whether_to_wrap_up_whatever_is_still_open(seq, proposes):
    before = session(task("open"), task("other"), seq=seq, announced_part=Part.OPENING, current_task="open")
    assert turn(before, heard("said_all"))[2].proposes == proposes
    planned = exploring(task("a", Part.EXPLORATION), task("b", Part.EXPLORATION), seq=seq)
    _, found, directive = turn(planned, replace(heard("said_all"), fits_none=True))
    assert (directive.proposes, found.of(ReplanAsked)) == (proposes, ())


@pytest.mark.parametrize(("question", "both"), [("사람이에요?", False), ("얼마나 걸려요?", True)])
def test_who_asks_whether_a_person_speaks_and_nothing_else_is_answered_by_the_notice_alone(question, both):
    signs = {"asks_if_human": "사람이에요?", "asks_counsellor": question}
    assert ("answer_first" in turn(exploring(), replace(NOTHING_HEARD, signs=signs))[2].notices) == both


def test_facts_of_the_service_answer_a_question_but_not_a_feeling():
    asks = heard("asks_counsellor")
    assert turn(exploring(), asks)[2].facts
    sad = Felt(name=EmotionLabel.SADNESS, intensity=7, quote="words")
    assert turn(exploring(), replace(asks, feeling=sad))[2].facts == ()
    assert turn(exploring(), heard("asks_counsellor", "wants_advice"))[2].facts == ()
