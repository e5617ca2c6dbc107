"""When the planner is told of the user's state."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.replanning import may_replan
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.session_events import StateFeedbackGiven
from shared.domain.counseling.state_feedback import STATE_FEEDBACK_REST, StateKind, worth_telling
from shared.domain.counseling.task import Part
from shared.domain.counseling.user_state import UserState
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.fakes.counselling import NOW, session, task

SEQ = 12
RESISTING = UserState(resistance="strong")
PERSISTING = UserState(resistance="mild", resistance_persists=True)
RISEN = UserState(emotion="anger", intensity=8, emotion_change="rise")
SUSTAINED = UserState(emotion="anger", intensity=8, emotion_change="sustained")
ELSEWHERE = UserState(topic_changed=True)
CIRCLING = UserState(circular=True)


def planned(now, *earlier, waiting=1, **more):
    """A session in a planned Part 2 with a task in progress, in turn `SEQ`."""
    tasks = [task("current", 2, status="in_progress"), *(task(f"t{number}", 2) for number in range(waiting))]
    readings = [StateReading.of(one, SEQ - len(earlier) + place) for place, one in enumerate((*earlier, now))]
    fields = {"current_part": Part.EXPLORATION, "plan_status": "ready", "user_state": now, "readings": tuple(readings)}
    return session(*tasks, **(fields | more))


def test_what_is_strong_or_persists_is_told_and_noise_is_not():
    cases = [
        (UserState(), None), (UserState(resistance="mild"), None), (RESISTING, StateKind.RESISTANCE),
        (PERSISTING, StateKind.RESISTANCE), (UserState(emotion="anger", intensity=9), None),
        (UserState(emotion="anger", intensity=6, emotion_change="rise"), None),
        (UserState(emotion="sadness", intensity=5, emotion_change="turned"), None),
        (UserState(emotion="relief", intensity=5, emotion_change="eased"), None),
        (UserState(emotion="sadness", intensity=8, emotion_change="turned"), StateKind.EMOTION_CHANGE),
        (RISEN, StateKind.EMOTION_CHANGE), (SUSTAINED, StateKind.EMOTION_CHANGE), (ELSEWHERE, None),
        (CIRCLING, StateKind.CIRCULAR), (UserState(resistance="strong", circular=True), StateKind.RESISTANCE),
    ]  # fmt: skip
    assert {
        now: got for now, kind in cases if (got := worth_telling(planned(now), SEQ, served=False)) is not kind
    } == {}


def test_a_new_topic_is_told_when_nothing_takes_it_up_now_or_in_the_next_turn(subtests):
    cases = [
        ([UserState()], 1, False, False),
        ([UserState()], 0, False, True),
        ([ELSEWHERE], 1, False, True),
        ([ELSEWHERE, UserState()], 1, False, False),
        ([ELSEWHERE], 1, True, False),
        ([], 0, True, False),
    ]
    for earlier, waiting, served, told in cases:
        with subtests.test(earlier=earlier, waiting=waiting, served=served, told=told):
            found = worth_telling(planned(ELSEWHERE, *earlier, waiting=waiting), SEQ, served=served)
            assert found is (StateKind.TOPIC_CHANGE if told else None)


def test_nothing_is_told_outside_of_a_planned_part_2_in_a_crisis_or_beyond_the_bound(subtests):
    cases = [
        {"current_part": Part.OPENING}, {"current_part": Part.CLOSING}, {"plan_status": PlanStatus.PLANNING},
        {"status": SessionStatus.COMPLETED}, {"risk": Risk(level=RiskLevel.CRISIS)},
        {"replans": PART2_MAX_REPLANS}, {"part2_task_update_count": PART2_MAX_REPLANS},
        {"wrap_up": WrapUp(stage=WrapUpStage.AGREED), "status": SessionStatus.WRAPPING_UP},
    ]  # fmt: skip
    for more in cases:
        with subtests.test(more=more):
            assert worth_telling(planned(RESISTING), SEQ, served=False)
            assert worth_telling(planned(RESISTING, **more), SEQ, served=False) is None


def test_a_kind_rests_and_another_does_not():
    told = StateFeedbackGiven(kind="resistance", seq=SEQ).apply(planned(RESISTING), NOW)
    after = range(SEQ + 1, SEQ + STATE_FEEDBACK_REST + 2)
    found = [worth_telling(told, seq, served=False) for seq in after]
    assert found == [None] * STATE_FEEDBACK_REST + [StateKind.RESISTANCE]
    circling = told.model_copy(update={"user_state": UserState(resistance="strong", circular=True)})
    assert worth_telling(circling, SEQ + 1, served=False) is StateKind.CIRCULAR


def test_a_late_feedback_takes_back_no_rest():
    told = StateFeedbackGiven(kind="resistance", seq=SEQ).apply(planned(RESISTING), NOW)
    assert StateFeedbackGiven(kind="resistance", seq=3).apply(told, NOW).state_feedback == {"resistance": SEQ}


@given(
    st.sampled_from([RESISTING, RISEN, ELSEWHERE, CIRCLING, UserState()]),
    st.sampled_from(Part),
    st.sampled_from(PlanStatus),
    st.sampled_from(RiskLevel),
    st.integers(0, 6),
    st.booleans(),
)
def test_nothing_is_ever_told_where_no_plan_may_be_asked_for(now, part, plan, level, replans, served):
    state = planned(now, waiting=0, current_part=part, plan_status=plan, risk=Risk(level=level), replans=replans)
    if worth_telling(state, SEQ, served=served) is not None:
        assert may_replan(state)
