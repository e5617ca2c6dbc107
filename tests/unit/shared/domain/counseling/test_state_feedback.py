from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.session import WrapUp
from shared.domain.counseling.session_events import StateFeedbackGiven
from shared.domain.counseling.state_feedback import STATE_FEEDBACK_REST, StateKind, worth_telling
from shared.domain.counseling.task import Part
from shared.domain.counseling.user_state import UserState
from tests.builders.sessions import NOW, session, task

SEQ = 12
CALM, RESISTING = UserState(), UserState(resistance="strong")
RISEN = UserState(emotion="anger", intensity=8, emotion_change="rise")
ELSEWHERE, CIRCLING = UserState(topic_changed=True), UserState(circular=True)
BOTH = UserState(resistance="strong", circular=True)
REPORTED = StateFeedbackGiven(kind="resistance", seq=SEQ)


def planned(now, *earlier, waiting=1, **more):
    """A session in a planned Part 2 with a task in progress, in turn `SEQ`."""
    tasks = [task("current", 2, status="in_progress"), *(task(f"t{number}", 2) for number in range(waiting))]
    readings = [StateReading.of(one, SEQ - len(earlier) + place) for place, one in enumerate((*earlier, now))]
    fields = {"current_part": Part.EXPLORATION, "plan_status": "ready", "user_state": now, "readings": tuple(readings)}
    return session(*tasks, **(fields | more))


def test_strong_or_lasting_states_are_reported_and_noise_is_not():
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


def test_a_new_topic_is_reported_if_no_task_serves_it_at_once_or_it_lasts():
    def reported(*earlier, waiting=1, served=False):
        return worth_telling(planned(ELSEWHERE, *earlier, waiting=waiting), SEQ, served=served)

    assert reported(CALM, waiting=0) is reported(ELSEWHERE) is StateKind.TOPIC_CHANGE
    assert [reported(CALM), reported(ELSEWHERE, CALM), reported(ELSEWHERE, served=True)] == [None] * 3
    assert reported(waiting=0, served=True) is None


def test_nothing_is_reported_when_no_replan_may_be_requested_or_the_closing_is_agreed():
    assert worth_telling(planned(RESISTING), SEQ, served=False)
    for more in ({"current_part": Part.CLOSING}, {"wrap_up": WrapUp(stage="agreed"), "status": "wrapping_up"}):
        assert worth_telling(planned(RESISTING, **more), SEQ, served=False) is None, more


def test_a_reported_kind_rests_for_some_turns_and_other_kinds_do_not():
    after = REPORTED.apply(planned(RESISTING), NOW)
    turns = range(SEQ + 1, SEQ + STATE_FEEDBACK_REST + 2)
    found = [worth_telling(after, seq, served=False) for seq in turns]
    assert found == [None] * STATE_FEEDBACK_REST + [StateKind.RESISTANCE]
    assert worth_telling(after.model_copy(update={"user_state": BOTH}), SEQ + 1, served=False) is StateKind.CIRCULAR
    late = StateFeedbackGiven(kind="resistance", seq=3)
    assert late.apply(after, NOW).state_feedback == {"resistance": SEQ}, "a late event does not shorten the rest"
