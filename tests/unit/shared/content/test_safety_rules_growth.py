"""No pattern of the shipped rules takes more than a bounded time, for any message.

The steps of the proof: a pattern is tried once at a place, at most; no match is longer than the pattern allows,
so a try does not depend on how long the text is; a try takes no more than so many steps; and the work on
the matches grows with the text, not with its square, even if one sentence repeats the match.
"""

import re
import re._constants as op
import re._parser as parser
import sys
from collections import Counter

import pytest

from shared.content.catalogue import content
from shared.content.loader import load_yaml
from shared.content.safety_rules import rule_files
from shared.content.schemas.safety_rules import RuleFile
from shared.locale import Locale
from tests.unit.shared.content.backtracking import Work, near_misses, pumped, tree_of

_LONGEST_MATCH = 400
"""Characters. A tenth of the longest message."""
_STEPS = 100_000
"""Of one try; a step takes some nanoseconds, and the worst message of 4,000 characters some 60 milliseconds."""
_DEPTH = 10_000
"""Frames that the count may take: it recurses once per letter."""
_LENGTH = 300
_EVERY = 3
"""Of the patterns whose steps are counted: they are made of the same few forms."""
_REPEATED = 400


_ALL = {source: rule.id for rule in content().screening.rules for source in rule.sources}


def _repeated(items):
    """The greatest number of each repetition, however deep."""
    for kind, value in items:
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            yield value[1]
            yield from _repeated(value[2])
        elif kind is op.SUBPATTERN:
            yield from _repeated(value[-1])
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from _repeated(branch)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from _repeated(value[1])


def test_every_repetition_and_every_match_is_bounded():
    for source, rule_id in _ALL.items():
        tree = parser.parse(source)
        assert max(_repeated(tree), default=0) < op.MAXREPEAT, (rule_id, source)
        assert 0 < tree.getwidth()[1] <= _LONGEST_MATCH, (rule_id, source)


@pytest.fixture
def deep():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(_DEPTH)
    yield
    sys.setrecursionlimit(before)


def test_one_match_attempt_takes_bounded_steps_at_any_text_length(deep):
    for source, rule_id in list(_ALL.items())[::_EVERY]:
        tree = tree_of(source)
        for seed in near_misses(tree):
            short, long = (Work(tree, pumped(seed, length)) for length in (_LENGTH, 2 * _LENGTH))
            steps = long.steps_at(0)
            assert steps == short.steps_at(0), (rule_id, source, seed)
            assert max(steps, long.steps_at(len(seed) // 2)) <= _STEPS, (rule_id, source, seed)


@pytest.mark.parametrize("apart", [" ", *(pytest.param(mark, marks=pytest.mark.long) for mark in ("", ". "))])
def test_screening_a_repetitive_message_takes_time_linear_in_its_length(apart):
    for one in (rule for locale in Locale for path in rule_files(locale) for rule in load_yaml(path, RuleFile).rules):
        again = f"{one.not_found[0]}{apart}"
        short, long = (again * (length // len(again)) for length in (_REPEATED, 2 * _REPEATED))
        content().screening.screen(short)  # compiles
        assert _calls(long) < 2.5 * _calls(short), (one.id, again)


def _calls(text):
    """Return the number of calls that screening makes, among them each match attempt of a pattern."""
    counted = Counter()
    sys.setprofile(lambda _frame, event, _arg: counted.update((event,)))
    try:
        content().screening.screen(text)
    finally:
        sys.setprofile(None)
    return counted["call"] + counted["c_call"]


@pytest.mark.parametrize(("source", "growing"), [("a{0,8}b", False), ("a*b", True), ("(?:a|aa){0,90}b", True)])
def test_the_step_count_distinguishes_a_bounded_pattern_from_a_growing_one(source, growing):
    short, long = (Work(tree_of(source), pumped("a", length)).steps_at(0) for length in (10, 20))
    assert (long > 1.5 * short) is growing


@pytest.mark.parametrize("source", ["가(?:나|다)?라", "(?<!가)나{1,3}?다(?!라)", r"\b[a-c]+\b", "[^가]{0,3}나$"])
def test_the_step_counter_matches_exactly_where_the_re_module_matches(source):
    pattern = re.compile(source)
    places = [(text, at) for text in ("가나라", "나나다", "다나", "abc", "가", "가다라나") for at in range(len(text))]
    counted = [place for place in places if Work(tree_of(source), place[0]).matches(place[1])]
    assert counted == [place for place in places if pattern.match(*place)]
