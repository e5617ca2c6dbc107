"""When the planner is told of the user's state."""

from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.session import PlanStatus, WrapUp
from shared.domain.counseling.session_events import StateFeedbackGiven
from shared.domain.counseling.state_feedback import STATE_FEEDBACK_REST, StateKind, worth_telling
from shared.domain.counseling.task import Part
from shared.domain.counseling.user_state import UserState
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.builders.sessions import NOW, session, task

SEQ = 12
CALM, RESISTING = UserState(), UserState(resistance="strong")
RISEN = UserState(emotion="anger", intensity=8, emotion_change="rise")
ELSEWHERE, CIRCLING = UserState(topic_changed=True), UserState(circular=True)
BOTH = UserState(resistance="strong", circular=True)
TOLD = StateFeedbackGiven(kind="resistance", seq=SEQ)


def planned(now, *earlier, waiting=1, **more):
    """A session in a planned Part 2 with a task in progress, in turn `SEQ`."""
    tasks = [task("current", 2, status="in_progress"), *(task(f"t{number}", 2) for number in range(waiting))]
    readings = [StateReading.of(one, SEQ - len(earlier) + place) for place, one in enumerate((*earlier, now))]
    fields = {"current_part": Part.EXPLORATION, "plan_status": "ready", "user_state": now, "readings": tuple(readings)}
    return session(*tasks, **(fields | more))


def test_what_is_strong_or_persists_is_told_and_noise_is_not():
    cases = {
        CALM: None,
        UserState(resistance="mild"): None,
        RESISTING: StateKind.RESISTANCE,
        UserState(resistance="mild", resistance_persists=True): StateKind.RESISTANCE,
        UserState(emotion="anger", intensity=9): None,
        UserState(emotion="anger", intensity=6, emotion_change="rise"): None,
        UserState(emotion="sadness", intensity=5, emotion_change="turned"): None,
        UserState(emotion="relief", intensity=5, emotion_change="eased"): None,
        UserState(emotion="sadness", intensity=8, emotion_change="turned"): StateKind.EMOTION_CHANGE,
        RISEN: StateKind.EMOTION_CHANGE,
        UserState(emotion="anger", intensity=8, emotion_change="sustained"): StateKind.EMOTION_CHANGE,
        ELSEWHERE: None,
        CIRCLING: StateKind.CIRCULAR,
        BOTH: StateKind.RESISTANCE,
    }
    assert {now: worth_telling(planned(now), SEQ, served=False) for now in cases} == cases


def test_a_new_topic_is_told_when_nothing_takes_it_up_now_or_in_the_next_turn():
    def told(*earlier, waiting=1, served=False):
        return worth_telling(planned(ELSEWHERE, *earlier, waiting=waiting), SEQ, served=served)

    assert told(CALM, waiting=0) is told(ELSEWHERE) is StateKind.TOPIC_CHANGE
    assert told(CALM) is told(ELSEWHERE, CALM) is told(ELSEWHERE, served=True) is told(waiting=0, served=True) is None


def test_nothing_is_told_outside_of_a_planned_part_2_in_a_crisis_or_beyond_the_bound():
    assert worth_telling(planned(RESISTING), SEQ, served=False)
    for more in (
        {"current_part": Part.OPENING},
        {"current_part": Part.CLOSING},
        {"plan_status": PlanStatus.PLANNING},
        {"status": "completed"},
        {"risk": Risk(level=RiskLevel.CRISIS)},
        {"replans": PART2_MAX_REPLANS},
        {"part2_task_update_count": PART2_MAX_REPLANS},
        {"wrap_up": WrapUp(stage="agreed"), "status": "wrapping_up"},
    ):
        assert worth_telling(planned(RESISTING, **more), SEQ, served=False) is None, more


def test_a_kind_rests_and_another_does_not():
    told = TOLD.apply(planned(RESISTING), NOW)
    turns = range(SEQ + 1, SEQ + STATE_FEEDBACK_REST + 2)
    found = [worth_telling(told, seq, served=False) for seq in turns]
    assert found == [None] * STATE_FEEDBACK_REST + [StateKind.RESISTANCE]
    assert worth_telling(told.model_copy(update={"user_state": BOTH}), SEQ + 1, served=False) is StateKind.CIRCULAR
    late = StateFeedbackGiven(kind="resistance", seq=3)
    assert late.apply(told, NOW).state_feedback == {"resistance": SEQ}, "takes back no rest"
