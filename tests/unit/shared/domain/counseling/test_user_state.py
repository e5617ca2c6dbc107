from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.user_state import EmotionLabel, Resistance, StateSignal, UserState, combine
from shared.safety.levels import RiskLevel

ORDER = list(Resistance)
states = st.builds(
    UserState,
    resistance=st.sampled_from(Resistance),
    emotion=st.sampled_from(EmotionLabel),
    intensity=st.integers(0, 10),
    topic_changed=st.booleans(),
    circular=st.booleans(),
    risk=st.sampled_from(RiskLevel),
    evidence=st.sampled_from(["", "a", "b"]),
)


@given(states, states)
def test_joining_two_readings_lowers_neither_risk_nor_anything_else(by_rule, by_model):
    joined = combine(by_rule, by_model)
    for one in (by_rule, by_model):
        assert joined.risk >= one.risk
        assert joined.intensity >= one.intensity
        assert ORDER.index(joined.resistance) >= ORDER.index(one.resistance)
        assert joined.topic_changed >= one.topic_changed
        assert joined.circular >= one.circular
    assert joined.risk in (by_rule.risk, by_model.risk)


@given(states, states)
def test_the_emotion_and_its_intensity_come_from_one_reading(by_rule, by_model):
    joined = combine(by_rule, by_model)
    assert (joined.emotion, joined.intensity) in {(s.emotion, s.intensity) for s in (by_rule, by_model)}


def test_the_models_evidence_goes_first():
    assert combine(UserState(evidence="rule"), UserState(evidence="model")).evidence == "model"
    assert combine(UserState(evidence="rule"), UserState()).evidence == "rule"


def test_each_finding_from_its_threshold_on():
    cases = [
        (UserState(), ()),
        (UserState(risk=RiskLevel.CONCERN), ()),
        (UserState(risk=RiskLevel.CRISIS), (StateSignal.RISK,)),
        (UserState(resistance=Resistance.MILD), ()),
        (UserState(resistance=Resistance.STRONG), (StateSignal.RESISTANCE,)),
        (UserState(intensity=3), ()),
        (UserState(intensity=4), (StateSignal.CLEAR_EMOTION,)),
        (UserState(intensity=6), (StateSignal.CLEAR_EMOTION,)),
        (UserState(intensity=7), (StateSignal.STRONG_EMOTION,)),
        (UserState(emotion=EmotionLabel.JOY, intensity=9), (StateSignal.CLEAR_EMOTION,)),
        (UserState(resistance=Resistance.MILD, resistance_persists=True), (StateSignal.RESISTANCE,)),
        (UserState(emotion_change="turned"), (StateSignal.EMOTION_CHANGE,)),
        (UserState(emotion_change="rise"), (StateSignal.EMOTION_CHANGE,)),
        (UserState(emotion_change="sustained"), (StateSignal.EMOTION_CHANGE,)),
        (UserState(emotion_change="eased"), (StateSignal.EASED,)),
    ]
    assert {state: got for state, signals in cases if (got := state.signals()) != signals} == {}


def test_signals_come_most_pressing_first():
    everything = UserState(
        risk=RiskLevel.IMMINENT, resistance=Resistance.STRONG, intensity=9, topic_changed=True, circular=True
    )
    assert everything.signals() == (
        StateSignal.RISK,
        StateSignal.RESISTANCE,
        StateSignal.STRONG_EMOTION,
        StateSignal.TOPIC_CHANGE,
        StateSignal.CIRCULAR,
    )
