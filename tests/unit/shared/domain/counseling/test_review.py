"""What follows from a review, decided by code."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.review import (
    HELD_BACK,
    HELD_BACK_AT_THE_END,
    LONGEST_HELD_BACK,
    REST_AFTER_DECLINE,
    REST_AFTER_NO_TO_END,
    Recommendation,
    SessionGoal,
    closing_tasks,
    completion_score,
    in_mid_emotion,
    may_suggest_wrap_up,
    missing_goals,
    opened_up,
    recommend,
    required_task_waits,
    time_to_ask_for_the_end,
    time_to_propose,
)
from shared.domain.counseling.session import SessionType, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part, Priority, TaskOrigin, TaskStatus
from shared.domain.counseling.user_state import EmotionChange, EmotionLabel, UserState
from shared.locale import Locale, Register
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
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
    @pytest.mark.parametrize("found", [{"completed": True}, {"goals_met": True}, {"advised": True}])
    def test_of_a_covered_part_2_is_to_wrap_up_by_its_goal_by_all_goals_or_by_advice(self, found):
        assert recommend(part2(), **({"advised": False} | found)) is Recommendation.WRAP_UP

    def test_is_to_go_on_with_none_of_them(self):
        assert recommend(part2(), advised=False) is Recommendation.CONTINUE

    def test_is_to_go_on_while_a_required_task_waits(self, subtests):
        for found in ({"completed": True}, {"goals_met": True}, {"advised": True}):
            with subtests.test(found=found):
                state = part2(COVERED, task("b", 2))
                assert recommend(state, **({"advised": False} | found)) is Recommendation.CONTINUE

    def test_is_held_up_by_no_task_of_low_priority_and_by_none_that_was_put_aside(self):
        state = part2(COVERED, task("b", 2, priority=Priority.LOW), task("c", 2, parked=True))
        assert recommend(state, advised=False, completed=True) is Recommendation.WRAP_UP
        assert recommend(state, advised=True) is Recommendation.CONTINUE, "advice alone waits for the whole plan"

    @pytest.mark.parametrize("seen", [PAIN, NEW_TOPIC])
    def test_is_to_wrap_up_in_a_strong_emotion_too_because_the_proposal_waits(self, seen):
        assert recommend(part2(user_state=seen), advised=False, completed=True) is Recommendation.WRAP_UP

    def test_is_to_go_on_where_a_proposal_would_hurt(self):
        cases = [
            part2(risk=CRISIS),
            session(current_part=1, user_state=PAIN),
            session(current_part=1, user_state=NEW_TOPIC),
            part2(wrap_up=WrapUp(stage=WrapUpStage.DECLINED, seq=21 - REST_AFTER_DECLINE, declined=1)),
            part2(plan_status="planning", current_part=1),
        ]
        assert [
            (state, got)
            for state in cases
            if (got := recommend(state, advised=True, goals_met=True)) is not Recommendation.CONTINUE
        ] == []

    def test_is_not_held_up_by_a_strong_relief(self):
        assert recommend(part2(user_state=RELIEF), advised=False, goals_met=True) is Recommendation.WRAP_UP

    def test_may_come_again_long_after_a_no(self):
        state = part2(wrap_up=WrapUp(stage=WrapUpStage.DECLINED, seq=20 - REST_AFTER_DECLINE, declined=1))
        assert recommend(state, advised=False, goals_met=True) is Recommendation.WRAP_UP

    def test_by_goals_alone_waits_until_something_of_part_2_is_covered(self):
        cases = [
            session(COVERED, current_part=1),
            part2(task("a", 2)),
            part2(task("a", 2, status=TaskStatus.COMPLETED, completed_at=NOW)),
        ]
        assert [
            (state, got)
            for state in cases
            if (got := recommend(state, advised=False, goals_met=True)) is not Recommendation.CONTINUE
        ] == []


class TestAProposalLeftUnanswered:
    def test_may_be_made_again_after_the_rest(self):
        left = WrapUp(stage=WrapUpStage.PROPOSED, seq=20 - REST_AFTER_DECLINE)
        assert may_suggest_wrap_up(part2(wrap_up=left))
        assert not may_suggest_wrap_up(part2(wrap_up=left.model_copy(update={"seq": 20})))

    @pytest.mark.parametrize("stage", [WrapUpStage.SUGGESTED, WrapUpStage.AGREED])
    def test_is_no_suggestion_and_no_agreement(self, stage):
        assert not may_suggest_wrap_up(part2(wrap_up=WrapUp(stage=stage)))


class TestRequiredTasks:
    def test_are_those_of_the_plan_but_for_low_priority_where_there_are_others(self):
        cases = [
            ((COVERED,), False),
            ((COVERED, task("b", 2)), True),
            ((COVERED, task("b", 2, status=TaskStatus.IN_PROGRESS)), True),
            ((COVERED, task("b", 2, priority=Priority.LOW)), False),
            ((COVERED, task("b", 2, parked=True)), False),
            ((task("a", 2, priority=Priority.LOW),), True),
            ((task("a", 2, priority=Priority.LOW, status=TaskStatus.SUFFICIENT), task("b", 2, priority="low")), True),
        ]
        assert {tasks: got for tasks, waits in cases if (got := required_task_waits(part2(*tasks))) is not waits} == {}


class TestANewFeeling:
    @staticmethod
    def seen(*states: UserState) -> object:
        readings = tuple(StateReading.of(state, seq) for seq, state in enumerate(states, start=1))
        return part2(user_state=states[-1], readings=readings)

    @pytest.mark.parametrize("new", [PAIN, NEW_TOPIC, UserState(emotion_change=EmotionChange.RISE)])
    def test_is_one_in_its_own_turn(self, new):
        assert opened_up(self.seen(UserState(), new), 2)

    def test_is_none_when_it_lasts(self):
        assert [lasting for lasting in (PAIN, NEW_TOPIC) if opened_up(self.seen(lasting, lasting), 2)] == []

    def test_is_no_relief(self):
        assert not opened_up(self.seen(UserState(), RELIEF), 2)


class TestTimeToPropose:
    suggested = WrapUp(stage=WrapUpStage.SUGGESTED, seq=20)

    def lasting(self, seen: UserState, seq: int) -> object:
        readings = (StateReading.of(seen, seq), StateReading.of(seen, seq + 1))
        return part2(wrap_up=self.suggested, user_state=seen, seq=seq, readings=readings)

    def test_is_at_once_when_the_user_is_calm(self):
        assert time_to_propose(part2(wrap_up=self.suggested), 21)

    @pytest.mark.parametrize("seen", [PAIN, NEW_TOPIC])
    def test_is_after_a_few_turns_where_a_strong_emotion_lasts(self, seen):
        turns = [turn for turn in range(20, 30) if time_to_propose(self.lasting(seen, turn), turn + 1)]
        assert turns == list(range(20 + HELD_BACK, 30))

    def test_is_some_turns_after_a_relapse_and_never_held_back_for_ever(self):
        seen, calm = PAIN, UserState()

        def proposed(waited: int, *states: UserState) -> bool:
            seq = self.suggested.seq + waited
            readings = tuple(StateReading.of(one, seq + 2 + n - len(states)) for n, one in enumerate(states))
            state = part2(wrap_up=self.suggested, user_state=states[-1], seq=seq, readings=readings)
            return time_to_propose(state, seq + 1)

        assert not proposed(HELD_BACK + 1, seen, calm, seen, calm), "one turn after the relapse"
        assert not proposed(HELD_BACK + 1, calm, seen, calm, calm), "two turns after it"
        assert proposed(HELD_BACK + 1, seen, calm, calm, calm)
        assert proposed(LONGEST_HELD_BACK, seen, calm, seen, calm)

    @pytest.mark.parametrize("seen", [PAIN, NEW_TOPIC])
    def test_is_never_in_the_turn_of_a_new_feeling(self, seen):
        readings = (StateReading.of(UserState(), 90), StateReading.of(seen, 91))
        state = part2(wrap_up=self.suggested, user_state=seen, seq=90, readings=readings)
        assert not time_to_propose(state, 91)

    def test_is_not_while_a_task_waits_unless_a_bound_suggested_it(self):
        waiting = (COVERED, task("b", 2))
        assert not time_to_propose(part2(*waiting, wrap_up=self.suggested), 21)
        bounded = self.suggested.model_copy(update={"reason": BOUNDED})
        assert time_to_propose(part2(*waiting, wrap_up=bounded), 21)

    def test_is_over_when_part_3_has_begun(self):
        assert not time_to_propose(session(wrap_up=self.suggested, current_part=3), 21)

    @pytest.mark.parametrize("stage", [WrapUpStage.PROPOSED, WrapUpStage.AGREED, WrapUpStage.DECLINED])
    def test_is_for_a_suggestion_only(self, stage):
        assert not time_to_propose(part2(wrap_up=WrapUp(stage=stage)), 21)


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
        turn = HELD_BACK_AT_THE_END + 1
        lasting = tuple(StateReading.of(PAIN, seq) for seq in (turn - 1, turn))
        assert time_to_ask_for_the_end(self.part3(user_state=PAIN, readings=lasting), turn)
        assert not time_to_ask_for_the_end(self.part3(user_state=PAIN, readings=lasting[1:]), turn), "a new feeling"


def test_the_closing_holds_the_three_wrap_up_tasks_by_their_origin(subtests):
    for session_type in SessionType:
        with subtests.test(session_type=session_type):
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
