"""Which findings of a review count, and how code corrects a review."""

import pytest

from functions.session_manager.findings import GoalFinding, SessionReview, reviewer_of
from functions.session_manager.review_checks import ReviewCorrection, Spoken, read_course, read_goals
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.counseling.user_state import UserState
from shared.locale import Locale
from shared.safety.levels import RiskLevel
from tests.builders.answers import session_review
from tests.builders.reviews import CRISIS
from tests.builders.sessions import NOW, session, task

GOALS = content().goals(SessionType.FIRST_SESSION, Locale.KO)
SCARED, AS_MUCH, AT_EASE = "발표가 무서워요", "말하고 싶은 만큼만", "마음이 놓여요"
BEFORE = {"rapport": "속이 시원해요"}
MESSAGES = (
    (Role.USER, "발표가 무서워요. 덜 떨고 싶어요"),
    (Role.COUNSELOR, "말하고 싶은 만큼만 하셔도 돼요"),
    (Role.USER, "네, 그러면 마음이 놓여요"),
)
PART2 = session(task("a", 2, status=TaskStatus.SUFFICIENT), current_part=2, plan_status="ready", seq=20)
BROAD = {"feedback_to_task_planner": "너무 넓다"}


def said(*messages):
    return [Message(seq=1, role=role, text=text, created_at=NOW) for role, text in messages]


def goals_of(*findings, unmet=(), before=None, by_rule=(), heard=MESSAGES, goals=GOALS):
    """Read findings about goals; all others but `unmet` are found not met. Return the met goals and the corrections."""
    others = [(goal.id, False, "") for goal in goals if goal.id not in unmet] if unmet is not None else []
    given = tuple(
        GoalFinding(goal=goal, met=met, evidence=evidence, answer=next(iter(taken_in), ""))
        for goal, met, evidence, *taken_in in (*others, *findings)
    )
    spoken = Spoken.of(said(*heard), by_rule, content().text_rules)
    found = read_goals(session_review(goals=given), goals, spoken, before or {})
    return found.met, found.corrected


def goal(name, *found, **more):
    """Read a finding about one goal, the others not being met."""
    return goals_of((name, *found), unmet=(name,), **more)


NOT_SAID = ({}, (ReviewCorrection.EVIDENCE_NOT_SAID,))


class TestTheGoals:
    def test_are_met_by_words_that_the_user_said(self):
        assert goal("information", True, SCARED) == ({"information": SCARED}, ())

    @pytest.mark.parametrize("name", ["rapport", "information", "goal_setting"])
    def test_are_not_met_by_words_of_the_counsellor(self, name):
        assert goal(name, True, AS_MUCH) == NOT_SAID

    def test_of_trust_are_met_by_an_acknowledged_explanation_unless_it_was_fixed_text(self):
        assert goal("trust", True, AS_MUCH, AT_EASE) == ({"trust": AS_MUCH}, ())
        assert goal("trust", True, AT_EASE) == ({"trust": AT_EASE}, ())
        assert goal("trust", True, AS_MUCH, AT_EASE, by_rule=(1,)) == NOT_SAID

    @pytest.mark.parametrize("taken_in", ["", "알겠습니다", "하셔도 돼요"], ids=["none", "not said", "counsellor's"])
    def test_of_trust_are_not_met_by_an_unacknowledged_explanation(self, taken_in):
        assert goal("trust", True, AS_MUCH, taken_in) == NOT_SAID

    @pytest.mark.parametrize("words", ["그런 건 하고 싶지 않아요", "목표는 없어요", "I don't want to talk"])
    def test_of_a_wish_are_not_met_by_a_negated_wish(self, words):
        wishes = [one for one in GOALS if one.wish]
        finding = ("goal_setting", True, words)
        assert goals_of(finding, unmet=None, goals=wishes, heard=[(Role.USER, words)]) == NOT_SAID

    def test_of_another_kind_of_session_are_dropped(self):
        assert goals_of(("farewell", True, SCARED)) == ({}, (ReviewCorrection.UNKNOWN_GOAL,))

    @pytest.mark.parametrize("order", [1, -1])
    def test_found_twice_are_merged_and_the_supported_finding_counts(self, order):
        twice = [("information", True, SCARED), ("information", True, "아무도 하지 않은 말")][::order]
        assert goals_of(*twice, unmet=("information",)) == ({"information": SCARED}, (ReviewCorrection.GOAL_TWICE,))

    def test_missing_from_the_findings_are_not_met(self):
        assert goals_of(unmet=None) == ({}, (ReviewCorrection.GOAL_MISSING,) * 4)

    def test_met_before_stay_met_without_new_evidence_but_not_against_a_finding(self):
        assert goal("rapport", True, "", before=BEFORE) == (BEFORE, ())
        assert goals_of(before=BEFORE) == ({}, (ReviewCorrection.GOAL_UNMET,))
        assert goals_of(unmet=("rapport",), before=BEFORE) == (BEFORE, (ReviewCorrection.GOAL_MISSING,))


def course(state=PART2, **found):
    return read_course(session_review(**found), state)


class TestTheCourse:
    def test_is_kept_if_nothing_contradicts_it(self):
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
    def test_is_completed_only_in_part_2_with_a_covered_task_and_then_without_feedback(
        self, fields, completed, feedback, corrected
    ):
        found = course(PART2.model_copy(update=fields), part2_completed=True, **BROAD)
        assert (found.part2_completed, found.feedback) == (completed, feedback)
        assert found.corrected == tuple(ReviewCorrection[one] for one in corrected)

    @pytest.mark.parametrize(("turns", "kept"), [(1, ""), (4, ""), (5, "너무 넓다")])
    def test_contains_no_feedback_within_four_turns_after_a_replan(self, turns, kept):
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
    def test_contains_no_wrap_up_in_risk_in_strong_emotion_or_after_a_topic_change(self, more, correction):
        found = course(PART2.model_copy(update=more), wrap_up_advised=True)
        assert (found.wrap_up_advised, found.corrected) == (False, (correction,))


@pytest.mark.parametrize("session_type", SessionType)
def test_the_schema_lists_the_goals_of_the_session_and_no_others(session_type):
    goals = content().goals(session_type, Locale.KO)
    schema = reviewer_of(goals).answers.model_json_schema()
    assert schema["title"] == "SessionReview"
    assert schema["$defs"]["GoalFinding"]["properties"]["goal"]["enum"] == [goal.id for goal in goals]
    assert list(schema["properties"]) == list(SessionReview.model_fields)
