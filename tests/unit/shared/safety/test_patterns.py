"""Behaviour of the pattern language."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import alternatives, expand, patterns_of
from shared.safety.reading import Reading
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet
from shared.safety.search import PatternIndex, Search


def _rule(patterns, exclusions=(), unless=()):
    made = (patterns_of(group, {"want": "(?:싶|시퍼)"}) for group in (patterns, exclusions, unless))
    return RuleSet.of([Rule("one", CrisisOutcome.CRISIS, *made)])


def _rule_of(*patterns):
    return RuleSet.of([Rule("one", CrisisOutcome.CRISIS, patterns, (), ())])


@pytest.mark.parametrize("text", ["죽고싶", "죽고 싶", "죽 고싶", "죽 고 시퍼"])
def test_a_pattern_matches_with_and_without_spaces(text):
    assert re.fullmatch(expand("죽고 <want>", {"want": "(?:싶|시퍼)"}), text)


def test_a_fragment_may_name_another():
    assert expand("<both>다", {"one": "가", "both": "<one>나"}) == "가 ?나 ?다"


def test_classes_and_look_behinds_are_left_alone():
    assert expand("[가나]다(?<!가나)", {}) == "[가나]다(?<!가나)"


def test_what_is_repeated_has_a_bound():
    assert expand(r"(?:너무 |참 )*싫 \w+ [가-힣]+(?:a|b)+\+", {}) == (
        r"(?:너 ?무 ?|참 ?){0,8}싫 ?\w{1,24} ?[가-힣]{1,24}(?:a|b){1,8}\+"
    )


def test_each_alternative_of_a_pattern_is_a_pattern_of_its_own():
    assert [one.source for one in patterns_of(["가|<want>(?:a|b)|[|](?<!|)"], {"want": "(?:싶|시퍼)"})] == [
        "가",
        "(?:싶|시 ?퍼)(?:a|b)",
        "[|](?<!|)",
    ]


@pytest.mark.parametrize(
    ("written", "sources"),
    [
        ("<either>", ["가", "나다"]),
        ("(?:<either>|라)", ["가", "나다", "라"]),
        ("(?:가|나)|(?:다)", ["가", "나", "다"]),
        ("(?:가|나)(?:다|라)", ["(?:가|나)(?:다|라)"]),
        ("(?:가|나)?", ["(?:가|나)?"]),
        ("(?=가|나)", ["(?=가|나)"]),
        (r"(?:가|\)|[)]나)", ["가", r"\)", "[)]나"]),
    ],
)
def test_the_alternatives_in_a_group_that_is_all_of_a_pattern_are_patterns_too(written, sources):
    assert [one.source for one in patterns_of([written], {"either": "(?:가|나(?:다))"})] == [
        one.replace("나다", "나(?:다)") for one in sources
    ]


@pytest.mark.parametrize("source", ["가나", "[^.]{0,9}가나", "[^.]{0,9}"])
def test_once_a_pattern_is_compiled_no_text_waits_for_it(source):
    (pattern,) = patterns_of([source], {})
    assert pattern.compile()
    known = set(vars(pattern))
    assert _rule_of(pattern).hits("다 가나")
    assert {"regex", "head"} & (set(vars(pattern)) - known) == set()
    assert not pattern.compile()


def test_an_unknown_fragment_is_an_error():
    with pytest.raises(KeyError):
        expand("<nothing>", {})


def test_an_exclusion_silences_only_the_hit_that_it_overlaps():
    rules = _rule(["죽고 <want>"], ["죽고 싶냐"])
    assert not rules.hits("죽고싶냐")
    assert rules.hits("죽고싶냐. 나는 죽고 싶어")


@given(st.lists(st.sampled_from(["가", "나", "다", "다가", "가나다", "가라", "라", "."])))
@example(["나", "가", "가"])
@example(["다가", "가나다"])
@example(["다가", "가", "다가"])
def test_a_hit_counts_where_no_exclusion_of_its_sentence_overlaps_it(pieces):
    hit, exclusion = "가[나라]{0,2}", "나[^.]{0,3}가나?|나다|다가"
    text = "".join(pieces)
    (rule,) = _rule([hit], [exclusion]).rules
    counted = []
    for number, sentence in enumerate(text.replace(".", ".|").split("|")):
        hits = [found.span() for found in re.finditer(expand(hit, {}), sentence)]
        excluded = [found.span() for one in alternatives(exclusion) for found in re.finditer(expand(one, {}), sentence)]
        if any(not any(at < end and start < until for at, until in excluded) for start, end in hits):
            counted.append(number)
    assert list(rule.sentences(Search(Reading(text), PatternIndex(rule.patterns)))) == counted


def test_unless_silences_the_rule_in_its_sentence_only():
    rules = _rule(["자살"], unless=["영화"])
    assert rules.hits("자살")
    assert not rules.hits("자살하는 영화")
    assert rules.hits("영화를 봤다. 자살 생각이 났다")
