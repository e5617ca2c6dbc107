"""Behaviour of the search: what it finds is what each pattern alone would find."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.safety.pattern_parts import Anchor
from shared.safety.patterns import Pattern, patterns_of
from shared.safety.prefilter import Prefilter
from shared.safety.reading import Reading
from shared.safety.search import PatternIndex, Search

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
    "[^.]{0,9}가(?=[^.]{0,9}나)",
    "(?:다|나)[^.]{0,7}가가(?!나)",
    r"다[^.]{0,5}나가\b",
    "[가나]{1,3} ?다나$",
]


def _search(text, *patterns, **more):
    return Search(Reading(text), PatternIndex(patterns), **more)


@given(st.text(alphabet="가나다 .🔪", max_size=500), st.lists(st.sampled_from(_SOURCES), min_size=1, unique=True))
def test_each_of_many_patterns_is_found_wherever_it_alone_would_be(text, sources):
    patterns = [Pattern(source) for source in sources]
    search = _search(text, *patterns)
    for pattern in patterns:
        assert list(search.spans(pattern)) == [found.span() for found in re.finditer(pattern.source, text)]
    assert set(search.matching()) == {pattern for pattern in patterns if re.search(pattern.source, text)}


@pytest.mark.parametrize("source", ["가", "(?:가나|가)(?!다)", "(?:다|나)[^.]{0,7}가", "(?:가)?"])
def test_thousands_of_matches_are_found_one_by_one(source):
    text = "가나" * 2000
    (pattern,) = patterns_of([source], {})
    assert list(_search(text, pattern).spans(pattern)) == [found.span() for found in re.finditer(source, text)]


def test_a_match_may_begin_right_behind_a_place_where_there_was_none():
    pattern = Pattern("다[^.]{0,7}가가(?!나)", Prefilter(Anchor(frozenset({"가가"}), 1, 8), frozenset("다"), 1, 1))
    assert _search("다가가나.다가가", pattern).matching() == [pattern]


def test_of_words_that_overlap_the_first_to_begin_comes_first():
    pattern = Pattern(
        "가나다라|나다", Prefilter(Anchor(frozenset({"가나다라", "나다"}), 0, 0), frozenset("가나"), 0, 0)
    )
    assert list(_search("가나다라", pattern).spans(pattern)) == [(0, 4)]


@given(st.text(alphabet="죽고싶 너무.", max_size=200))
def test_matches_come_in_order_and_none_begins_in_another(text):
    (pattern,) = patterns_of(["(?:너무 )*[^.?!]{0,6}죽고 싶"], {})
    spans = list(_search(text, pattern).spans(pattern))
    assert spans == [found.span() for found in pattern.regex.finditer(text)]
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize("word", [Anchor(frozenset({"가나"}), 0, 0), Anchor(frozenset({"다라"}), 2, 252)])
@pytest.mark.parametrize("between", [0, 1, 127, 249, 250])
def test_a_word_of_a_match_may_stand_as_far_from_its_beginning_as_the_pattern_allows(word, between):
    pattern = Pattern("가나[^.]{0,250}다라", Prefilter(word, frozenset("가"), 2, 3))
    for before in range(0, 300, 7):
        text = "마" * before + "가나" + "바" * between + "다라"
        assert list(_search(text, pattern).spans(pattern)) == [(before, len(text))]
    assert list(_search("가나" + "바" * 251 + "다라", pattern).spans(pattern)) == []


def test_a_pattern_may_not_match_where_its_word_is_missing():
    pattern = Pattern("가나[^.]{0,100}다라")
    search = _search("가다나라" * 20, pattern)
    assert pattern not in search.may
    assert list(search.spans(pattern)) == []


def test_a_match_that_begins_behind_the_place_of_one_word_is_found_at_that_of_the_next():
    pattern = Pattern("가[^.]{0,3}다", Prefilter(Anchor(frozenset("다"), 1, 4), frozenset("가"), 1, 2))
    assert list(_search("다가다가바바바다", pattern).spans(pattern)) == [(1, 3), (3, 8)]


def test_what_stands_anywhere_in_the_message_is_found_in_the_reading_beside():
    one, other = Pattern("가나"), Pattern("다라")
    index = PatternIndex([one, other])
    search = Search(Reading("다라"), index, beside=Search(Reading("가나"), index))
    assert search.any(frozenset({one}))
    assert list(search.spans(one)) == []
    assert not search.any(frozenset())
    assert search.any()


def test_a_message_can_be_searched_again_for_other_patterns_in_all_its_readings():
    one, other = Pattern("가나"), Pattern("다라")
    index = PatternIndex([one])
    search = Search(Reading("가나"), index, beside=Search(Reading("다라"), index)).again(PatternIndex([other]))
    assert list(search.may) == []
    assert search.any(frozenset({other}))


_EVERYWHERE = Prefilter(None, frozenset("가"), 1, 2)


@pytest.mark.parametrize("text", ["가나", "다 가나", "가 가다 가나", "다" * 300 + "가나"])
def test_a_pattern_without_a_word_is_found_wherever_it_stands(text):
    pattern = Pattern("가나", _EVERYWHERE)
    search = _search(text, pattern)
    assert search.matching() == [pattern]
    assert list(search.spans(pattern)) == [(len(text) - 2, len(text))]


@pytest.mark.parametrize("text", ["", "가", "나가", "다라"])
def test_a_pattern_without_a_word_is_not_found_where_it_is_not(text):
    assert _search(text, Pattern("가나", _EVERYWHERE)).matching() == []


def test_a_message_holds_other_patterns_if_one_of_its_readings_does():
    told, common, nowhere = Pattern("다라"), Pattern("가나", _EVERYWHERE), Pattern("마바")
    none = PatternIndex([])
    search = Search(Reading("나가"), none, beside=Search(Reading("가나다라"), none))
    assert search.holds(PatternIndex([told]))
    assert search.holds(PatternIndex([common, nowhere]))
    assert not search.holds(PatternIndex([nowhere]))
    assert not search.holds(none)


def test_a_lone_surrogate_hides_nothing():
    pattern = Pattern("가나")
    assert list(_search("\ud83d가나", pattern).spans(pattern)) == [(1, 3)]
