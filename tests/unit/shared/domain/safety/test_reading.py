"""Behaviour of one text, cut into sentences and pieces."""

import re

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading


def test_a_sentence_keeps_its_mark_and_knows_its_positions():
    reading = Reading("하나. 둘? 셋")
    assert [reading.text[start:end] for start, end in reading.sentences] == ["하나.", " 둘?", " 셋"]
    assert [reading.sentence_at(at) for at in (0, 2, 3, 7)] == [0, 0, 1, 2]


@given(
    st.text(alphabet="가나다 .", max_size=500),
    st.sampled_from(["가 ?나", "가[^.?!]{0,9}다", "(?:가|나)다", "나 ?다 ?가"]),
)
def test_a_pattern_is_tried_wherever_it_can_match_in_a_sentence(text, source):
    expected = [found.span() for found in re.finditer(source, text)]
    assert list(Pattern(source).spans(Reading(text))) == expected
