"""What of a review counts, and what code puts right in it."""

from itertools import accumulate

import pytest

from functions.session_manager.review_checks import ReviewCorrection, Spoken, read_course, read_goals
from functions.session_manager.review_schema import GoalFinding, SessionReview, reviewer_of
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskKind, TaskStatus
from shared.domain.counseling.user_state import UserState
from shared.locale import Locale
from shared.safety.levels import RiskLevel
from tests.builders.answers import session_review
from tests.builders.reviews import CRISIS
from tests.builders.sessions import NOW, session, task

GOALS = content().goals(SessionType.FIRST_SESSION, Locale.KO)
FAREWELL = content().goals(SessionType.CLOSING, Locale.KO)
SCARED, AS_MUCH, AT_EASE = "발표가 무서워요", "말하고 싶은 만큼만", "마음이 놓여요"
ORDER = "마음을 나눈 다음 끝에 함께 정리해요"
BEFORE = {"rapport": "속이 시원해요"}
MESSAGES = (
    (Role.USER, "발표가 무서워요. 덜 떨고 싶어요"),
    (Role.COUNSELOR, "말하고 싶은 만큼만 하셔도 돼요"),
    (Role.USER, "네, 그러면 마음이 놓여요"),
)
PART2 = session(task("a", 2, status=TaskStatus.SUFFICIENT), current_part=2, plan_status="ready", seq=20)
BROAD = {"feedback_to_task_planner": "너무 넓다"}


def said(*messages):
    """Number the turns: each message of the user begins one."""
    turns = accumulate(role is Role.USER for role, _ in messages)
    return [
        Message(seq=seq, role=role, text=text, created_at=NOW)
        for seq, (role, text) in zip(turns, messages, strict=True)
    ]


def goals_of(*findings, unmet=(), before=None, by_rule=(), heard=MESSAGES, goals=GOALS, told=(), aside=()):
    """Read findings about goals, and that all others but `unmet` are not met; return what is met and was put right."""
    others = [(goal.id, False, "") for goal in goals if goal.id not in unmet] if unmet is not None else []
    given = tuple(
        GoalFinding(goal=goal, met=met, evidence=evidence, answer=next(iter(taken_in), ""))
        for goal, met, evidence, *taken_in in (*others, *findings)
    )
    messages = said(*heard)
    explained = {one.seq: one.own_words for one in messages if one.role is Role.COUNSELOR and one.seq not in by_rule}
    spoken = Spoken(messages, explained, dict(told), aside, content().text_rules)
    found = read_goals(session_review(goals=given), goals, spoken, before or {})
    return found.met, found.corrected


def goal(name, *found, **more):
    """Read a finding about one goal, the others not being met."""
    return goals_of((name, *found), unmet=(name,), **more)


NOT_SAID = ({}, (ReviewCorrection.EVIDENCE_NOT_SAID,))


class TestTheGoals:
    def test_are_met_by_the_words_that_were_said(self):
        assert goal("information", True, SCARED) == ({"information": SCARED}, ())

    @pytest.mark.parametrize("name", ["rapport", "information", "goal_setting"])
    def test_are_not_met_by_words_of_the_counsellors(self, name):
        assert goal(name, True, AS_MUCH) == NOT_SAID

    def test_but_what_was_explained_is_when_the_user_took_it_in_and_it_was_no_fixed_text(self):
        def farewell(*found, **more):
            return goals_of(("farewell", True, *found), unmet=("farewell",), goals=FAREWELL, **more)

        assert farewell(AS_MUCH, AT_EASE) == ({"farewell": AS_MUCH}, ())
        assert farewell(AT_EASE) == ({"farewell": AT_EASE}, ())
        assert farewell(AS_MUCH, AT_EASE, by_rule=(1,)) == NOT_SAID
        for taken_in in ("", "알겠습니다", "하셔도 돼요"):
            assert farewell(AS_MUCH, taken_in) == NOT_SAID

    @pytest.mark.parametrize(
        ("evidence", "taken_in", "met"),
        [
            (ORDER, AT_EASE, True),
            (ORDER, "", False),
            (ORDER, "덜 떨고 싶어요", False),
            (ORDER, "알겠습니다", False),
            (AT_EASE, AT_EASE, False),
        ],
        ids=[
            *("explained and taken in", "not answered", "answered before it", "not said"),
            "the user's own",
        ],
    )
    def test_but_trust_is_met_only_by_the_explanation_and_a_later_answer(self, evidence, taken_in, met):
        reply = f"그 자리가 무서우셨군요. {ORDER}. 이렇게 해도 괜찮으세요?"
        heard = (*MESSAGES[:1], (Role.COUNSELOR, reply), (Role.USER, "네, 마음이 놓여요"))
        told = {1: TaskKind.ORIENTATION}
        found = goal("trust", True, evidence, taken_in, heard=heard, told=told)
        assert found == (({"trust": evidence}, ()) if met else NOT_SAID)
        assert goal("trust", True, evidence, taken_in, heard=heard) == NOT_SAID, "told in another task"

    def test_of_a_wish_are_not_met_by_words_of_a_turn_about_a_danger(self):
        wish = ("goal_setting", True, "이제 그만 쉬고 싶어요")
        heard = [(Role.USER, wish[2])]
        assert goals_of(wish, unmet=wish[:1], heard=heard, aside=(1,)) == NOT_SAID
        assert goals_of(wish, unmet=wish[:1], heard=heard) == ({"goal_setting": wish[2]}, ())

    def test_are_not_met_by_a_bare_yes(self):
        assert goal("rapport", True, "네", heard=[(Role.USER, "네")]) == NOT_SAID

    def test_share_no_words_and_the_wish_has_them_first(self):
        every = [(name, True, "덜 떨고 싶어요") for name in ("rapport", "information", "goal_setting")]
        found = goals_of(*every, unmet=[name for name, *_ in every])
        assert found == ({"goal_setting": "덜 떨고 싶어요"}, (ReviewCorrection.EVIDENCE_NOT_SAID,) * 2)

    def test_of_another_kind_of_session_are_dropped(self):
        assert goals_of(("farewell", True, SCARED)) == ({}, (ReviewCorrection.UNKNOWN_GOAL,))

    @pytest.mark.parametrize("order", [1, -1])
    def test_told_twice_are_merged_and_the_finding_that_holds_counts(self, order):
        twice = [("information", True, SCARED), ("information", True, "아무도 하지 않은 말")][::order]
        assert goals_of(*twice, unmet=("information",)) == ({"information": SCARED}, (ReviewCorrection.GOAL_TWICE,))

    def test_not_told_of_are_not_met(self):
        assert goals_of(unmet=None) == ({}, (ReviewCorrection.GOAL_MISSING,) * 4)

    def test_met_before_need_no_new_words_but_are_lost_when_they_broke_down(self):
        assert goal("rapport", True, "", before=BEFORE) == (BEFORE, ())
        assert goals_of(before=BEFORE) == ({}, (ReviewCorrection.GOAL_UNMET,))
        assert goals_of(unmet=("rapport",), before=BEFORE) == (BEFORE, (ReviewCorrection.GOAL_MISSING,)), "not told of"
        assert goals_of(before={"trust": ORDER}) == ({"trust": ORDER}, ()), "what was explained stays explained"


def course(state=PART2, **found):
    return read_course(session_review(**found), state)


class TestTheCourse:
    def test_stands_where_nothing_contradicts_it(self):
        found = course(part2_completed=True, wrap_up_advised=True)
        assert (found.part2_completed, found.wrap_up_advised, found.corrected) == (True, True, ())
        assert course(feedback_to_task_planner=" 너무 넓다 ").feedback == "너무 넓다"

    @pytest.mark.parametrize(
        ("fields", "completed", "feedback", "corrected"),
        [
            ({}, True, "", ("COMPLETED_WITH_FEEDBACK",)),
            ({"current_part": Part.OPENING}, False, "", ("COMPLETED_OUTSIDE_PART2", "FEEDBACK_OUTSIDE_PART2")),
            ({"current_part": Part.CLOSING}, False, "", ("COMPLETED_OUTSIDE_PART2", "FEEDBACK_OUTSIDE_PART2")),
            ({"tasks": (task("a", 2),)}, False, "너무 넓다", ("COMPLETED_WITH_NOTHING_COVERED",)),
            ({"tasks": (task("a", 2, status="completed"),)}, False, "너무 넓다", ("COMPLETED_WITH_NOTHING_COVERED",)),
        ],
        ids=["reached", "Part 1", "Part 3", "nothing begun", "nothing covered"],
    )
    def test_what_is_reached_needs_no_other_plan_and_is_judged_in_part_2_where_something_was_covered(
        self, fields, completed, feedback, corrected
    ):
        found = course(PART2.model_copy(update=fields), part2_completed=True, **BROAD)
        assert (found.part2_completed, found.feedback) == (completed, feedback)
        assert found.corrected == tuple(ReviewCorrection[one] for one in corrected)

    @pytest.mark.parametrize(("turns", "kept"), [(1, ""), (4, ""), (5, "너무 넓다")])
    def test_a_plan_just_changed_gets_its_time(self, turns, kept):
        assert course(PART2.model_copy(update={"replanned_seq": 20 - turns}), **BROAD).feedback == kept

    @pytest.mark.parametrize(
        ("more", "correction"),
        [
            ({"risk": CRISIS}, ReviewCorrection.WRAP_UP_IN_RISK),
            ({"user_state": UserState(risk=RiskLevel.CONCERN)}, ReviewCorrection.WRAP_UP_IN_RISK),
            ({"user_state": UserState(emotion="sadness", intensity=9)}, ReviewCorrection.WRAP_UP_IN_MID_EMOTION),
            ({"user_state": UserState(topic_changed=True)}, ReviewCorrection.WRAP_UP_IN_MID_EMOTION),
        ],
    )
    def test_nobody_is_sent_off_in_danger_or_in_mid_emotion(self, more, correction):
        found = course(PART2.model_copy(update=more), wrap_up_advised=True)
        assert (found.wrap_up_advised, found.corrected) == (False, (correction,))


@pytest.mark.parametrize("session_type", SessionType)
def test_the_schema_lists_the_goals_of_the_session_and_no_others(session_type):
    goals = content().goals(session_type, Locale.KO)
    schema = reviewer_of(goals).answers.model_json_schema()
    assert schema["title"] == "SessionReview"
    assert schema["$defs"]["GoalFinding"]["properties"]["goal"]["enum"] == [goal.id for goal in goals]
    assert list(schema["properties"]) == list(SessionReview.model_fields)
