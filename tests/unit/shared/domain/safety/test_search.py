"""Behaviour of the search: what it finds is what each pattern alone would find."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.safety.anchors import Anchor
from shared.domain.safety.patterns import Pattern, patterns_of
from shared.domain.safety.prefilter import Prefilter
from shared.domain.safety.reading import Reading
from shared.domain.safety.search import PatternIndex, Search

_SOURCES = [
    "가 ?나",
    "가[^.?!]{0,9}다",
    "(?:가|나)다",
    "나 ?다 ?가",
    "[^.]{0,5}나다",
    "(?:가 ?)?다$",
    "[^가]",
    "(?:가나|나가)[^.]{0,9}(?:다다|다가)[^.]{0,3}나나",
    "🔪가",
    "나{2,3}[^나]{1,200}가가",
]


def _search(text, *patterns, **more):
    return Search(Reading(text), PatternIndex(patterns), **more)


@given(st.text(alphabet="가나다 .🔪", max_size=500), st.lists(st.sampled_from(_SOURCES), min_size=1, unique=True))
def test_each_of_many_patterns_is_found_wherever_it_alone_would_be(text, sources):
    patterns = [Pattern(source) for source in sources]
    search = _search(text, *patterns)
    for pattern in patterns:
        assert list(search.spans(pattern)) == [found.span() for found in re.finditer(pattern.source, text)]


@given(st.text(alphabet="죽고싶 너무.", max_size=200))
def test_a_pattern_is_tried_once_at_a_place_and_wherever_it_matches(text):
    (pattern,) = patterns_of(["(?:너무 )*[^.?!]{0,6}죽고 싶"], {})
    starts = list(_search(text, pattern).starts(pattern))
    assert starts == sorted({*starts})
    assert {found.start() for found in pattern.regex.finditer(text)} <= {*starts}


_FIRST, _LAST = Anchor(frozenset({"가나"}), 0, 0), Anchor(frozenset({"다라"}), 2, 252)


@pytest.mark.parametrize("anchors", [(_FIRST,), (_LAST,), (_FIRST, _LAST), (_LAST, _FIRST)])
@pytest.mark.parametrize("between", [0, 1, 120, 127, 128, 129, 250])
def test_words_of_a_match_may_stand_in_different_blocks(anchors, between):
    pattern = Pattern("가나[^.]{0,250}다라", Prefilter(anchors))
    for before in range(0, 300, 7):
        text = "마" * before + "가나" + "바" * between + "다라"
        assert list(_search(text, pattern).spans(pattern)) == [(before, len(text))]


_NEAR = Anchor(frozenset({"다라"}), 2, 102)


@pytest.mark.parametrize("anchors", [(_FIRST, _NEAR), (_NEAR, _FIRST)])
@pytest.mark.parametrize("between", [0, 1, 50, 99, 100])
def test_all_the_words_of_a_match_are_looked_for_as_far_apart_as_it_allows(anchors, between):
    pattern = Pattern("가나[^.]{0,100}다라", Prefilter(anchors))
    for before in range(0, 300, 7):
        text = "마" * before + "가나" + "바" * between + "다라"
        search = _search(text, pattern)
        assert pattern in search.may
        assert list(search.spans(pattern)) == [(before, len(text))]


def test_a_pattern_is_not_tried_where_one_of_its_words_is_missing():
    pattern = Pattern("가나[^.]{0,100}다라", Prefilter((_FIRST, _NEAR)))
    assert pattern not in _search("가나" + "바" * 300, pattern).may
    assert list(_search("가나" + "바" * 110 + "다라", pattern).starts(pattern)) == []


def test_what_stands_anywhere_in_the_message_is_found_in_the_reading_beside():
    one, other = Pattern("가나"), Pattern("다라")
    index = PatternIndex([one, other])
    search = Search(Reading("다라"), index, beside=Search(Reading("가나"), index))
    assert search.any(frozenset({one}))
    assert list(search.spans(one)) == []
    assert not search.any(frozenset())
    assert search.any()


def test_a_lone_surrogate_hides_nothing():
    pattern = Pattern("가나")
    assert list(_search("\ud83d가나", pattern).spans(pattern)) == [(1, 3)]
