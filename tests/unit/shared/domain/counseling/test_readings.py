from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.readings import KEPT_READINGS, StateReading, before, compare, keep, newly_named
from shared.domain.counseling.user_state import EmotionChange, EmotionLabel, Resistance, StateSignal, UserState, combine
from shared.safety.levels import RiskLevel

MILD, STRONG, NO = Resistance.MILD, Resistance.STRONG, Resistance.NONE
states = st.builds(
    UserState,
    resistance=st.sampled_from(Resistance),
    emotion=st.sampled_from(EmotionLabel),
    intensity=st.integers(0, 10),
    emotion_change=st.sampled_from(EmotionChange),
    topic_changed=st.booleans(),
    circular=st.booleans(),
    risk=st.sampled_from(RiskLevel),
    evidence=st.sampled_from(["", "말"]),
)


@given(states, states)
def test_combining_two_readings_lowers_no_value_of_either(by_rule, by_model):
    joined, order = combine(by_rule, by_model), list(Resistance)
    for one in (by_rule, by_model):
        assert joined.risk >= one.risk
        assert joined.intensity >= one.intensity
        assert order.index(joined.resistance) >= order.index(one.resistance)
        assert joined.topic_changed >= one.topic_changed
        assert joined.circular >= one.circular
    assert joined.risk in (by_rule.risk, by_model.risk)
    assert (joined.emotion, joined.intensity) in {(s.emotion, s.intensity) for s in (by_rule, by_model)}


def test_signals_start_at_their_thresholds_with_the_most_pressing_first():
    everything = {"risk": RiskLevel.IMMINENT, "resistance": STRONG, "intensity": 9, "topic_changed": True}
    cases = [
        ({}, ""), ({"risk": RiskLevel.CONCERN}, ""), ({"risk": RiskLevel.CRISIS}, "risk"),
        ({"resistance": MILD}, ""), ({"resistance": STRONG}, "resistance"),
        ({"resistance": MILD, "resistance_persists": True}, "resistance"),
        ({"intensity": 3}, ""), ({"intensity": 4}, "clear_emotion"), ({"intensity": 6}, "clear_emotion"),
        ({"intensity": 7}, "strong_emotion"), ({"emotion": EmotionLabel.JOY, "intensity": 9}, "clear_emotion"),
        ({"emotion_change": "rise"}, "emotion_change"), ({"emotion_change": "eased"}, "eased"),
        ({**everything, "circular": True}, "risk resistance strong_emotion topic_change circular"),
    ]  # fmt: skip
    assert [" ".join(UserState(**found).signals()) for found, _ in cases] == [signals for _, signals in cases]


def change(*felt, proposed="none"):
    """The change found in a sequence of (emotion, intensity), given the change that the model proposed."""
    *earlier, now = [UserState(emotion=emotion, intensity=intensity) for emotion, intensity in felt]
    return compare(now.model_copy(update={"emotion_change": EmotionChange(proposed)}), earlier).emotion_change.value


def test_a_change_of_emotion_is_computed_from_the_intensities():
    cases = [
        ([("anger", 9)], "none"), ([("neutral", 0), ("anger", 7)], "rise"), ([("anger", 4), ("anger", 7)], "rise"),
        ([("anger", 5), ("anger", 7)], "none"), ([("neutral", 0), ("anger", 6)], "none"),
        ([("anger", 8), ("neutral", 0), ("anger", 8)], "none"),
        ([("anger", 8), ("neutral", 0), ("neutral", 0), ("anger", 8)], "rise"),
        ([("joy", 5), ("sadness", 4)], "turned"), ([("joy", 5), ("sadness", 9)], "turned"),
        ([("joy", 3), ("sadness", 5)], "none"), ([("joy", 5), ("sadness", 3)], "none"),
        ([("joy", 9), ("joy", 10)], "none"), ([("anger", 7), ("anger", 8), ("anger", 7)], "sustained"),
        ([("anxiety", 7), ("sadness", 9), ("anger", 7)], "sustained"), ([("anger", 7), ("anger", 7)], "none"),
        ([("anger", 7), ("anger", 6), ("anger", 7)], "none"), ([("joy", 8), ("joy", 8), ("joy", 8)], "none"),
        ([("sadness", 5), ("relief", 4)], "eased"), ([("sadness", 3), ("relief", 5)], "none"),
        ([("sadness", 8), ("sadness", 4)], "eased"), ([("sadness", 8), ("sadness", 5)], "none"),
        ([("sadness", 8), ("neutral", 0)], "none"), ([("sadness", 6), ("sadness", 2)], "none"),
    ]  # fmt: skip
    assert [((felt, found), got) for felt, found in cases if (got := change(*felt)) != found] == []


def test_a_proposed_change_is_kept_unless_the_intensities_contradict_it():
    cases = [
        ([("anger", 6)], "rise", "none"), ([("anger", 3), ("anger", 6)], "rise", "rise"),
        ([("anger", 3), ("anger", 3)], "rise", "none"), ([("anger", 6), ("anger", 5)], "rise", "none"),
        ([("joy", 5), ("joy", 8)], "rise", "none"), ([("joy", 3), ("sadness", 5)], "turned", "turned"),
        ([("anger", 5), ("anger", 6)], "sustained", "sustained"), ([("anger", 2), ("anger", 6)], "sustained", "none"),
        ([("sadness", 6), ("sadness", 3)], "eased", "eased"), ([("sadness", 6), ("neutral", 0)], "eased", "eased"),
        ([("sadness", 6), ("sadness", 7)], "eased", "none"), ([("sadness", 2), ("sadness", 1)], "eased", "none"),
        ([("neutral", 0), ("anger", 7)], "eased", "rise"), ([("joy", 5), ("sadness", 4)], "sustained", "turned"),
    ]  # fmt: skip
    wrong = [(case, got) for *case, found in cases if (got := change(*case[0], proposed=case[1])) != found]
    assert wrong == []


def test_resistance_persists_when_it_is_in_three_of_the_last_four_readings():
    cases = [
        ([MILD], False), ([MILD, MILD], False), ([MILD, MILD, MILD], True), ([MILD, NO, MILD, MILD], True),
        ([MILD, MILD, NO, MILD], True), ([MILD, MILD, MILD, NO], False), ([MILD, NO, NO, MILD, MILD], False),
        ([MILD, NO, MILD, NO, MILD], False), ([STRONG, MILD, MILD], True), ([NO, NO, STRONG], False),
    ]  # fmt: skip
    for resistances, persists in cases:
        *earlier, now = [UserState(resistance=one) for one in resistances]
        found = compare(now, earlier)
        assert found.resistance_persists is persists, resistances
        assert (StateSignal.RESISTANCE in found.signals()) is (persists or now.resistance is STRONG), resistances


@given(st.lists(st.tuples(st.integers(1, 20), states), max_size=20))
def test_the_newest_readings_are_kept_in_order_without_the_users_words(made):
    kept: tuple[StateReading, ...] = ()
    for seq, state in made:
        kept = keep(kept, StateReading.of(state, seq))
    turns = [one.seq for one in kept]
    assert turns == sorted(set(turns))
    assert len(kept) <= KEPT_READINGS
    assert all(one.evidence == "" for one in kept)
    if made:
        assert turns[-1] == max(seq for seq, _ in made)
        assert all(one.seq < turns[-1] for one in before(kept, turns[-1]))


def test_a_feeling_is_new_unless_one_of_the_kept_readings_has_it():
    def felt(label, intensity=5):
        return UserState(emotion=EmotionLabel(label), intensity=intensity)

    sad, calm, angry = felt("sadness"), UserState(), felt("anger")
    assert newly_named(sad, ())
    assert newly_named(sad, (angry, felt("sadness", 2))), "a hint of it was not received yet"
    assert not newly_named(sad, (sad, calm, angry)), "they come back to it after some turns"
    assert newly_named(angry, (sad, calm, sad))
    assert not newly_named(calm, (sad,))
