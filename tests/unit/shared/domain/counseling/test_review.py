import pytest

from shared.domain.counseling import review
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.session import WrapUp
from shared.domain.counseling.user_state import EmotionChange, EmotionLabel, UserState
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.builders.sessions import NOW, session, task

COVERED, WAITS = task("a", 2, status="sufficient"), task("b", 2)
CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=1, last_seq=1)
CALM, NEW_TOPIC = UserState(), UserState(topic_changed=True)
PAIN = UserState(emotion=EmotionLabel.SADNESS, intensity=8)
RELIEF = UserState(emotion=EmotionLabel.RELIEF, intensity=8)
SUGGESTED = WrapUp(stage="suggested", seq=20)


def part2(*tasks, **more):
    return session(*(tasks or (COVERED,)), **({"current_part": 2, "plan_status": "ready", "seq": 20} | more))


def part3(status="sufficient", **more):
    return session(task("last", 3, status=status), current_part=3, **more)


def readings(first_seq, *states):
    return tuple(StateReading.of(state, seq) for seq, state in enumerate(states, first_seq))


def wraps_up(state, **found):
    return review.recommend(state, **({"advised": False} | found)) is review.Recommendation.WRAP_UP


class TestTheRecommendation:
    @pytest.mark.parametrize("found", [{"completed": True}, {"goals_met": True}, {"advised": True}])
    def test_is_to_wrap_up_a_covered_part_2_when_its_goal_all_goals_or_advice_say_so(self, found):
        assert wraps_up(part2(), **found)
        assert not wraps_up(part2())
        assert not wraps_up(part2(COVERED, WAITS), **found)

    def test_by_its_goal_does_not_wait_for_tasks_of_low_priority_or_parked_ones(self):
        state = part2(COVERED, task("b", 2, priority="low"), task("c", 2, parked=True))
        assert wraps_up(state, completed=True)
        assert not wraps_up(state, advised=True), "advice alone waits for the whole plan"

    @pytest.mark.parametrize(
        "state",
        [
            part2(risk=CRISIS),
            session(current_part=1, user_state=PAIN),
            session(current_part=1, user_state=NEW_TOPIC),
            part2(wrap_up=WrapUp(stage="declined", seq=21 - review.REST_AFTER_DECLINE, declined=1)),
            part2(plan_status="planning", current_part=1),
        ],
    )
    def test_is_to_go_on_in_danger_outside_part_2_and_soon_after_a_no(self, state):
        assert not wraps_up(state, advised=True, goals_met=True)

    def test_by_goals_alone_waits_until_a_task_of_part_2_is_covered(self):
        closed = task("a", 2, status="completed", completed_at=NOW)
        for state in (session(COVERED, current_part=1), part2(task("a", 2)), part2(closed)):
            assert not wraps_up(state, goals_met=True)


def test_an_unanswered_proposal_may_be_made_again_after_a_rest():
    assert review.may_suggest_wrap_up(part2(wrap_up=WrapUp(stage="proposed", seq=20 - review.REST_AFTER_DECLINE)))
    for wrap_up in (WrapUp(stage="proposed", seq=20), WrapUp(stage="suggested"), WrapUp(stage="agreed")):
        assert not review.may_suggest_wrap_up(part2(wrap_up=wrap_up)), wrap_up


@pytest.mark.parametrize(
    ("tasks", "waits"),
    [
        ((COVERED,), False),
        ((COVERED, WAITS), True),
        ((COVERED, task("b", 2, status="in_progress")), True),
        ((COVERED, task("b", 2, priority="low")), False),
        ((COVERED, task("b", 2, parked=True)), False),
        ((task("a", 2, priority="low"),), True),
        ((task("a", 2, priority="low", status="sufficient"), task("b", 2, priority="low")), True),
    ],
)
def test_tasks_of_low_priority_are_required_only_if_the_plan_has_no_others(tasks, waits):
    assert review.required_task_waits(part2(*tasks)) is waits


@pytest.mark.parametrize(
    ("states", "is_new"),
    [
        ((CALM, PAIN), True),
        ((CALM, NEW_TOPIC), True),
        ((CALM, UserState(emotion_change=EmotionChange.RISE)), True),
        ((PAIN, PAIN), False),
        ((NEW_TOPIC, NEW_TOPIC), False),
        ((CALM, RELIEF), False),
    ],
)
def test_the_user_opens_up_in_the_turn_of_a_new_emotion_or_topic_that_is_no_relief(states, is_new):
    assert review.opened_up(part2(user_state=states[-1], readings=readings(1, *states)), 2) is is_new


class TestTimeToPropose:
    def proposed(self, seq, *states, wrap_up=SUGGESTED):
        """Return whether a wrap-up is proposed in the turn after `seq`, to which the newest state belongs."""
        seen = readings(seq + 2 - len(states), *states)
        return review.time_to_propose(part2(wrap_up=wrap_up, user_state=states[-1], seq=seq, readings=seen), seq + 1)

    def test_is_at_once_when_the_user_is_calm_and_for_a_suggestion_of_part_2_only(self):
        assert review.time_to_propose(part2(wrap_up=SUGGESTED), 21)
        assert not review.time_to_propose(session(wrap_up=SUGGESTED, current_part=3), 21)
        for stage in ("proposed", "agreed", "declined"):
            assert not review.time_to_propose(part2(wrap_up=WrapUp(stage=stage)), 21), stage

    @pytest.mark.parametrize("seen", [PAIN, NEW_TOPIC])
    def test_is_some_turns_later_while_a_strong_emotion_lasts_and_not_in_the_turn_of_a_new_one(self, seen):
        assert [seq for seq in range(20, 30) if self.proposed(seq, seen, seen)] == list(
            range(20 + review.HELD_BACK, 30)
        )
        assert not self.proposed(90, CALM, seen)

    def test_waits_for_no_calm_of_a_user_who_has_said_everything(self):
        before = part2(wrap_up=SUGGESTED, user_state=PAIN, readings=readings(20, PAIN))
        assert not review.time_to_propose(before, 21)
        assert review.time_to_propose(before, 22, said_all=True)

    def test_is_some_turns_after_a_relapse_and_at_the_latest_after_a_bound(self):
        soon, late = 20 + review.HELD_BACK + 1, 20 + review.LONGEST_HELD_BACK
        assert not self.proposed(soon, PAIN, CALM, PAIN, CALM), "one turn after the relapse"
        assert not self.proposed(soon, CALM, PAIN, CALM, CALM), "two turns after it"
        assert self.proposed(soon, PAIN, CALM, CALM, CALM)
        assert self.proposed(late, PAIN, CALM, PAIN, CALM)

    @pytest.mark.parametrize(("reason", "proposed"), [("", False), (BOUNDED, True)])
    def test_is_not_while_a_task_waits_unless_a_bound_suggested_it(self, reason, proposed):
        wrap_up = SUGGESTED.model_copy(update={"reason": reason})
        assert review.time_to_propose(part2(COVERED, WAITS, wrap_up=wrap_up), 21) is proposed


class TestTimeToAskForTheEnd:
    def test_is_when_part_3_is_covered(self):
        assert review.time_to_ask_for_the_end(part3(), 9)
        assert not review.time_to_ask_for_the_end(part3(status="pending"), 9)
        assert not review.time_to_ask_for_the_end(part2(), 9)

    def test_is_some_turns_after_a_no(self):
        declined = WrapUp(stage="declined", aim="end", seq=10, declined=1)
        turns = range(11, 11 + 2 * review.REST_AFTER_NO_TO_END)
        asked = [turn for turn in turns if review.time_to_ask_for_the_end(part3(wrap_up=declined), turn)]
        assert asked == [turn for turn in turns if turn >= 10 + review.REST_AFTER_NO_TO_END]

    def test_is_not_in_mid_emotion_unless_the_emotion_lasts_up_to_a_bound(self):
        assert review.in_mid_emotion(part3(user_state=PAIN))
        assert not review.time_to_ask_for_the_end(part3(user_state=PAIN), review.HELD_BACK_AT_THE_END)
        turn = review.HELD_BACK_AT_THE_END + 1
        lasting = readings(turn - 1, PAIN, PAIN)
        assert review.time_to_ask_for_the_end(part3(user_state=PAIN, readings=lasting), turn)
        assert not review.time_to_ask_for_the_end(part3(user_state=PAIN, readings=lasting[1:]), turn), "a new feeling"
