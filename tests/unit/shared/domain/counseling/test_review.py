"""What follows from a review, decided by code."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.review import (
    HELD_BACK,
    HELD_BACK_AT_THE_END,
    REST_AFTER_DECLINE,
    REST_AFTER_NO_TO_END,
    Recommendation,
    SessionGoal,
    closing_tasks,
    completion_score,
    in_mid_emotion,
    may_leave_part2,
    may_suggest_wrap_up,
    missing_goals,
    recommend,
    time_to_ask_for_the_end,
    time_to_propose,
)
from shared.domain.counseling.session import SessionType, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part, TaskOrigin, TaskStatus
from shared.domain.counseling.user_state import EmotionLabel, UserState
from shared.domain.locale import Locale, Register
from shared.domain.safety.follow_through import Risk
from shared.domain.safety.levels import RiskLevel
from tests.fakes.counselling import NOW, session, task

GOALS = tuple(SessionGoal(id=name, title=name, description=name) for name in ("one", "two", "three", "four"))
COVERED = task("a", 2, status=TaskStatus.SUFFICIENT)
CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=1, last_seq=1)
PAIN = UserState(emotion=EmotionLabel.SADNESS, intensity=8)
NEW_TOPIC = UserState(topic_changed=True)
RELIEF = UserState(emotion=EmotionLabel.RELIEF, intensity=8)


def part2(*tasks, **more):
    return session(*(tasks or (COVERED,)), **({"current_part": 2, "plan_status": "ready", "seq": 20} | more))


def test_score_and_missing_goals_are_counted():
    assert (completion_score(GOALS, ["one", "three"]), missing_goals(GOALS, ["one", "three"])) == (0.5, ("two", "four"))
    assert (completion_score(GOALS, []), completion_score(GOALS, [goal.id for goal in GOALS])) == (0, 1)
    assert completion_score(GOALS, ["another"]) == 0


class TestTheRecommendation:
    @pytest.mark.parametrize(("advised", "goals_met"), [(True, False), (False, True), (True, True)])
    def test_is_to_wrap_up_by_goals_met_or_by_advice(self, advised, goals_met):
        assert recommend(part2(), advised=advised, goals_met=goals_met) is Recommendation.WRAP_UP

    def test_is_to_go_on_with_neither(self):
        assert recommend(part2(), advised=False, goals_met=False) is Recommendation.CONTINUE

    @pytest.mark.parametrize(
        "state",
        [
            part2(risk=CRISIS),
            part2(user_state=PAIN),
            part2(user_state=NEW_TOPIC),
            part2(wrap_up=WrapUp(stage=WrapUpStage.DECLINED, seq=21 - REST_AFTER_DECLINE, declined=1)),
            part2(plan_status="planning", current_part=1),
        ],
        ids=["in a crisis", "in pain", "at a new topic", "soon after a no", "planning"],
    )
    def test_is_to_go_on_where_a_proposal_would_hurt(self, state):
        assert recommend(state, advised=True, goals_met=True) is Recommendation.CONTINUE

    def test_is_not_held_up_by_a_strong_relief(self):
        assert recommend(part2(user_state=RELIEF), advised=False, goals_met=True) is Recommendation.WRAP_UP

    def test_may_come_again_long_after_a_no(self):
        state = part2(wrap_up=WrapUp(stage=WrapUpStage.DECLINED, seq=20 - REST_AFTER_DECLINE, declined=1))
        assert recommend(state, advised=False, goals_met=True) is Recommendation.WRAP_UP

    @pytest.mark.parametrize(
        "state",
        [
            session(COVERED, current_part=1),
            part2(task("a", 2)),
            part2(task("a", 2, status=TaskStatus.COMPLETED, completed_at=NOW)),
        ],
        ids=["Part 1", "nothing covered", "only replaced"],
    )
    def test_by_goals_alone_waits_until_something_of_part_2_is_covered(self, state):
        assert recommend(state, advised=False, goals_met=True) is Recommendation.CONTINUE


class TestAProposalLeftUnanswered:
    def test_may_be_made_again_after_the_rest(self):
        left = WrapUp(stage=WrapUpStage.PROPOSED, seq=20 - REST_AFTER_DECLINE)
        assert may_suggest_wrap_up(part2(wrap_up=left))
        assert not may_suggest_wrap_up(part2(wrap_up=left.model_copy(update={"seq": 20})))

    @pytest.mark.parametrize("stage", [WrapUpStage.SUGGESTED, WrapUpStage.AGREED])
    def test_is_no_suggestion_and_no_agreement(self, stage):
        assert not may_suggest_wrap_up(part2(wrap_up=WrapUp(stage=stage)))


class TestLeavingPart2:
    def test_is_for_a_judgement_with_something_covered(self):
        assert may_leave_part2(part2())
        assert not may_leave_part2(part2(task("a", 2)))

    @pytest.mark.parametrize(
        "more",
        [
            {"user_state": PAIN},
            {"user_state": NEW_TOPIC},
            {"risk": CRISIS},
            {"wrap_up": WrapUp(stage=WrapUpStage.SUGGESTED, seq=3)},
            {"wrap_up": WrapUp(stage=WrapUpStage.PROPOSED, seq=20)},
            {"wrap_up": WrapUp(stage=WrapUpStage.DECLINED, seq=15, declined=1)},
        ],
        ids=["in pain", "at a new topic", "in a crisis", "to be asked", "being asked", "soon after a no"],
    )
    def test_is_not_done_over_the_users_head(self, more):
        assert not may_leave_part2(part2(**more))


class TestTimeToPropose:
    suggested = WrapUp(stage=WrapUpStage.SUGGESTED, seq=20)

    def test_is_at_once_when_the_user_is_calm(self):
        assert time_to_propose(part2(wrap_up=self.suggested))

    @pytest.mark.parametrize("seen", [PAIN, NEW_TOPIC])
    def test_is_not_in_mid_emotion_but_for_a_few_turns_only(self, seen):
        assert not time_to_propose(part2(wrap_up=self.suggested, user_state=seen))
        assert time_to_propose(part2(wrap_up=self.suggested, user_state=seen, seq=20 + HELD_BACK))

    def test_is_over_when_part_3_has_begun(self):
        assert not time_to_propose(session(wrap_up=self.suggested, current_part=3))

    @pytest.mark.parametrize("stage", [WrapUpStage.PROPOSED, WrapUpStage.AGREED, WrapUpStage.DECLINED])
    def test_is_for_a_suggestion_only(self, stage):
        assert not time_to_propose(part2(wrap_up=WrapUp(stage=stage)))


class TestTimeToAskForTheEnd:
    def part3(self, status=TaskStatus.SUFFICIENT, **more):
        return session(task("last", 3, status=status), current_part=Part.CLOSING, **more)

    def test_is_when_part_3_is_covered(self):
        assert time_to_ask_for_the_end(self.part3(), 9)
        assert not time_to_ask_for_the_end(self.part3(status=TaskStatus.PENDING), 9)
        assert not time_to_ask_for_the_end(part2(), 9)

    def test_is_some_turns_after_a_no(self):
        declined = WrapUp(stage=WrapUpStage.DECLINED, aim=WrapUpAim.END, seq=10, declined=1)
        turns = range(11, 11 + 2 * REST_AFTER_NO_TO_END)
        asked = [turn for turn in turns if time_to_ask_for_the_end(self.part3(wrap_up=declined), turn)]
        assert asked == [turn for turn in turns if turn >= 10 + REST_AFTER_NO_TO_END]

    def test_is_not_in_mid_emotion(self):
        assert not time_to_ask_for_the_end(self.part3(user_state=PAIN), HELD_BACK_AT_THE_END)
        assert in_mid_emotion(self.part3(user_state=PAIN))

    def test_is_even_so_when_the_user_is_never_calm(self):
        assert time_to_ask_for_the_end(self.part3(user_state=PAIN), HELD_BACK_AT_THE_END + 1)


@pytest.mark.parametrize("session_type", SessionType)
def test_the_closing_holds_the_three_wrap_up_tasks_by_their_origin(session_type):
    templates = content().templates(session_type.value, Locale.KO, Register.FORMAL)
    closing = closing_tasks(templates)
    assert [one.id for one in closing] == [one.id for one in templates if one.part is Part.CLOSING]
    origins = {one.id: one.origin for one in closing}
    assert origins == {
        "task_summary_1": TaskOrigin.WRAP_UP,
        "task_goal_1": TaskOrigin.TEMPLATE,
        "task_next_1": TaskOrigin.WRAP_UP,
        "task_questions_1": TaskOrigin.WRAP_UP,
    }
