"""The beginning of an analysis is read as it arrives, and says what the whole says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.chat.flows.counseling.detectors.first_look import DANGERS, MOST_IN_LOOK, VALUE, WORDS, look_in
from functions.chat.flows.counseling.detectors.message_analysis import MessageAnalysis
from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from shared.engine.partial_json import so_far

BY_NAME = ("reason",)
TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=12)
SLOTS = st.lists(st.builds(SlotFound, name=st.sampled_from(["name", "reason"]), quote=TEXT, value=TEXT), max_size=2)


@st.composite
def analyses(draw):
    slots = draw(SLOTS)
    look = (*draw(st.lists(st.sampled_from(WORDS), max_size=4)), *(f"{VALUE}{one.name}" for one in slots))
    return MessageAnalysis(look=look, slots=slots, intensity=3, state_evidence=draw(TEXT), task_evidence=draw(TEXT))


@given(analysis=analyses())
def test_a_look_is_read_once_and_never_otherwise_than_in_the_whole(analysis):
    text = analysis.model_dump_json()
    read = [found for end in range(len(text) + 1) if (found := look_in(text[:end], by_name=BY_NAME)) is not None]
    assert read, "it is whole before the answer ends"
    assert {found.look for found in read} == {analysis.look}
    if f"{VALUE}name" in analysis.look:
        assert all(found.slots == analysis.slots for found in read)


@given(text=st.text(max_size=60))
def test_what_is_no_json_object_has_no_fields(text):
    assert dict(so_far(text)) == {} or text.strip().startswith("{")
    look_in(text, by_name=BY_NAME)


@given(value=st.dictionaries(TEXT, st.one_of(st.integers(), TEXT, st.lists(TEXT, max_size=3)), max_size=4))
def test_the_whole_of_an_object_has_all_its_fields(value):
    assert so_far(json.dumps(value)) == value


@pytest.mark.parametrize("danger", DANGERS)
def test_a_look_that_is_too_long_keeps_its_danger_and_its_order(danger):
    look = [*(f"{VALUE}{number}" for number in range(MOST_IN_LOOK)), "sadness", danger]
    read = MessageAnalysis.model_validate_json(
        json.dumps({"look": look, "slots": [], "intensity": 3, "state_evidence": "", "task_evidence": ""})
    )
    assert read.look == (danger, *look[: MOST_IN_LOOK - 1])
    assert read.reading().risk == danger


def test_a_look_that_repeats_itself_keeps_each_word_once():
    look = ["sadness"] * 200 + ["clear_feeling", "crisis"]
    read = MessageAnalysis(look=tuple(look), slots=(), intensity=3, state_evidence="", task_evidence="")
    assert read.look == ("crisis", "sadness", "clear_feeling")
