"""Behaviour of one text: its sentences, and where strings stand in it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading, Strings


def test_a_sentence_keeps_its_mark_and_knows_its_positions():
    reading = Reading("하나. 둘? 셋")
    assert [reading.text[start:end] for start, end in reading.sentences] == ["하나.", " 둘?", " 셋"]
    assert [reading.sentence_at(at) for at in (0, 2, 3, 7)] == [0, 0, 1, 2]


@given(
    st.text(alphabet="가나다 .", max_size=500),
    st.sampled_from(
        ["가 ?나", "가[^.?!]{0,9}다", "(?:가|나)다", "나 ?다 ?가", "[^.]{0,5}나다", "(?:가 ?)?다$", "[^가]"]
    ),
)
def test_a_pattern_is_tried_wherever_it_can_match_in_a_sentence(text, source):
    expected = [found.span() for found in re.finditer(source, text)]
    assert list(Pattern(source).spans(Reading(text))) == expected


def test_a_place_is_that_of_the_text_without_its_spaces():
    reading = Reading("가 나다 나")
    assert (reading.squeezed, reading.places("나"), reading.places("마")) == ("가나다나", [1, 3], [])
    assert reading.unsqueezed([1, 3]) == [2, 5]


@given(
    st.lists(st.text(alphabet="가나🔪", min_size=1, max_size=6), unique=True, max_size=8),
    st.text(alphabet="가나🔪 ", max_size=80),
)
def test_many_strings_are_found_in_one_walk_where_each_alone_would_be(strings, text):
    reading = Reading(text)
    found = Strings({string: [number] for number, string in enumerate(strings)}, noted=strings).found(reading)
    alone = {number: Reading(text).places(string) for number, string in enumerate(strings)}
    assert {number: sorted(places) for number, places in found.items()} == {n: p for n, p in alone.items() if p}
    assert [reading.places(string) for string in strings] == list(alone.values())
