"""No pattern of the shipped rules takes more than a bounded time, for any message.

A match is no longer than its pattern allows, and the work on the matches grows with the text, not with its square,
even if one sentence repeats the match. tests/unit/test_linear_patterns.py tries each pattern on hostile texts.
"""

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

_LONGEST_MATCH = 400
"""Characters. A tenth of the longest message."""
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
