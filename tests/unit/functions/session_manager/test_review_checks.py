"""What of a review counts, and what code puts right in it."""

import pytest

from functions.session_manager.findings import GoalFinding, SessionReview, reviewer_of
from functions.session_manager.review_checks import ReviewCorrection, Spoken, read_course, read_goals
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.counseling.user_state import EmotionLabel, UserState
from shared.locale import Locale
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.fakes.answers import session_review
from tests.fakes.counselling import NOW, session, task

GOALS = content().goals(SessionType.FIRST_SESSION, Locale.KO)
MESSAGES = tuple(
    Message(seq=1, role=role, text=text, created_at=NOW)
    for role, text in (
        (Role.USER, "발표가 무서워요. 덜 떨고 싶어요"),
        (Role.COUNSELOR, "말하고 싶은 만큼만 하셔도 돼요"),
        (Role.USER, "네, 그러면 마음이 놓여요"),
    )
)
PART2 = session(task("a", 2, status=TaskStatus.SUFFICIENT), current_part=2, plan_status="ready", seq=20)
CONCERN = UserState(risk=RiskLevel.CONCERN)
PAIN = UserState(emotion=EmotionLabel.SADNESS, intensity=9)
CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=4, last_seq=4)


def answer(*goals, **more):
    findings = tuple(
        GoalFinding(goal=goal, met=met, evidence=evidence, answer=next(iter(taken_in), ""))
        for goal, met, evidence, *taken_in in goals
    )
    return session_review(goals=findings, **more)


def unmet(*but):
    return [(goal.id, False, "") for goal in GOALS if goal.id not in but]


def spoken(messages, by_rule=()):
    return Spoken.of(messages, by_rule, content().text_rules)


def goals_of(*findings, before=None, by_rule=()):
    return read_goals(answer(*findings), GOALS, spoken(MESSAGES, by_rule), before or {})


class TestTheGoals:
    def test_are_met_by_the_words_that_were_said(self):
        found = goals_of(*unmet("information"), ("information", True, "발표가 무서워요"))
        assert (found.met, found.corrected) == ({"information": "발표가 무서워요"}, ())

    @pytest.mark.parametrize("goal", ["rapport", "information", "goal_setting"])
    def test_are_not_met_by_words_of_the_counsellors(self, goal):
        found = goals_of(*unmet(goal), (goal, True, "말하고 싶은 만큼만"))
        assert (found.met, found.corrected) == ({}, (ReviewCorrection.EVIDENCE_NOT_SAID,))

    def test_but_what_was_explained_is_when_the_user_took_it_in(self):
        words = "말하고 싶은 만큼만"
        found = goals_of(*unmet("trust"), ("trust", True, words, "마음이 놓여요"))
        assert (found.met, found.corrected) == ({"trust": words}, ())
        assert goals_of(*unmet("trust"), ("trust", True, "마음이 놓여요")).met == {"trust": "마음이 놓여요"}

    @pytest.mark.parametrize("taken_in", ["", "알겠습니다", "하셔도 돼요"], ids=["none", "not said", "counsellor's"])
    def test_what_was_explained_to_nobody_who_answered_shows_nothing(self, taken_in):
        found = goals_of(*unmet("trust"), ("trust", True, "말하고 싶은 만큼만", taken_in))
        assert (found.met, found.corrected) == ({}, (ReviewCorrection.EVIDENCE_NOT_SAID,))

    def test_nor_does_fixed_text(self):
        found = goals_of(*unmet("trust"), ("trust", True, "말하고 싶은 만큼만", "마음이 놓여요"), by_rule=(1,))
        assert (found.met, found.corrected) == ({}, (ReviewCorrection.EVIDENCE_NOT_SAID,))

    @pytest.mark.parametrize("words", ["그런 건 하고 싶지 않아요", "목표는 없어요", "I don't want to talk"])
    def test_of_a_wish_are_not_met_by_what_is_not_wished_for(self, words):
        goals = [goal for goal in GOALS if goal.wish]
        heard = (Message(seq=1, role=Role.USER, text=words, created_at=NOW),)
        found = read_goals(answer(("goal_setting", True, words)), goals, spoken(heard), {})
        assert (found.met, found.corrected) == ({}, (ReviewCorrection.EVIDENCE_NOT_SAID,))

    def test_of_another_kind_of_session_are_dropped(self):
        found = goals_of(*unmet(), ("farewell", True, "발표가 무서워요"))
        assert (found.met, found.corrected) == ({}, (ReviewCorrection.UNKNOWN_GOAL,))

    @pytest.mark.parametrize("order", [1, -1])
    def test_told_twice_are_merged_and_the_finding_that_holds_counts(self, order):
        twice = [("information", True, "발표가 무서워요"), ("information", True, "아무도 하지 않은 말")][::order]
        found = goals_of(*unmet("information"), *twice)
        assert (found.met, found.corrected) == ({"information": "발표가 무서워요"}, (ReviewCorrection.GOAL_TWICE,))

    def test_not_told_of_are_not_met(self):
        found = goals_of()
        assert (found.met, found.corrected) == ({}, (ReviewCorrection.GOAL_MISSING,) * 4)

    def test_met_before_need_no_new_words_but_are_lost_when_they_broke_down(self):
        before = {"rapport": "속이 시원해요"}
        kept = goals_of(*unmet("rapport"), ("rapport", True, ""), before=before)
        assert (kept.met, kept.corrected) == (before, ())
        lost = goals_of(*unmet(), before=before)
        assert (lost.met, lost.corrected) == ({}, (ReviewCorrection.GOAL_UNMET,))

    def test_met_before_and_not_told_of_stay_met_by_the_words_of_then(self):
        before = {"rapport": "속이 시원해요"}
        kept = goals_of(*unmet("rapport"), before=before)
        assert (kept.met, kept.corrected) == (before, (ReviewCorrection.GOAL_MISSING,))


class TestTheCourse:
    def course(self, state=PART2, **found):
        return read_course(answer(**found), state)

    def test_stands_where_nothing_contradicts_it(self):
        found = self.course(part2_completed=True, wrap_up_advised=True)
        assert (found.part2_completed, found.wrap_up_advised, found.corrected) == (True, True, ())
        assert self.course(feedback_to_task_planner=" 너무 넓다 ").feedback == "너무 넓다"

    def test_what_is_reached_needs_no_other_plan(self):
        found = self.course(part2_completed=True, feedback_to_task_planner="너무 넓다")
        assert (found.part2_completed, found.feedback) == (True, "")
        assert found.corrected == (ReviewCorrection.COMPLETED_WITH_FEEDBACK,)

    @pytest.mark.parametrize("part", [Part.OPENING, Part.CLOSING])
    def test_part_2_is_judged_in_part_2_only(self, part):
        found = self.course(
            PART2.model_copy(update={"current_part": part}), part2_completed=True, feedback_to_task_planner="너무 넓다"
        )
        assert (found.part2_completed, found.feedback) == (False, "")
        assert found.corrected == (ReviewCorrection.COMPLETED_OUTSIDE_PART2, ReviewCorrection.FEEDBACK_OUTSIDE_PART2)

    @pytest.mark.parametrize("status", [TaskStatus.PENDING, TaskStatus.COMPLETED])
    def test_part_2_is_not_complete_before_anything_was_covered(self, status):
        state = PART2.model_copy(update={"tasks": (task("a", 2, status=status),)})
        found = self.course(state, part2_completed=True, feedback_to_task_planner="너무 넓다")
        assert (found.part2_completed, found.feedback) == (False, "너무 넓다")
        assert found.corrected == (ReviewCorrection.COMPLETED_WITH_NOTHING_COVERED,)

    def test_a_plan_just_changed_gets_its_time(self):
        for turns, kept in ((1, ""), (4, ""), (5, "너무 넓다")):
            state = PART2.model_copy(update={"replanned_seq": 20 - turns})
            assert self.course(state, feedback_to_task_planner="너무 넓다").feedback == kept

    def test_nobody_is_sent_off_in_danger_or_in_mid_emotion(self, subtests):
        cases = [
            ({"risk": CRISIS}, ReviewCorrection.WRAP_UP_IN_RISK),
            ({"user_state": CONCERN}, ReviewCorrection.WRAP_UP_IN_RISK),
            ({"user_state": PAIN}, ReviewCorrection.WRAP_UP_IN_MID_EMOTION),
            ({"user_state": UserState(topic_changed=True)}, ReviewCorrection.WRAP_UP_IN_MID_EMOTION),
        ]
        for more, correction in cases:
            with subtests.test(more=more, correction=correction):
                found = self.course(PART2.model_copy(update=more), wrap_up_advised=True)
                assert (found.wrap_up_advised, found.corrected) == (False, (correction,))


@pytest.mark.parametrize("session_type", SessionType)
def test_the_schema_lists_the_goals_of_the_session_and_no_others(session_type):
    goals = content().goals(session_type, Locale.KO)
    answers = reviewer_of(goals).answers
    schema = answers.model_json_schema()
    assert schema["title"] == "SessionReview"
    assert schema["$defs"]["GoalFinding"]["properties"]["goal"]["enum"] == [goal.id for goal in goals]
    assert list(schema["properties"]) == list(SessionReview.model_fields)
