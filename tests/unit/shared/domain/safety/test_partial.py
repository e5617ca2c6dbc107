"""A pattern's beginnings: every beginning of a match matches, and what can be no match any more does not."""

import re

import pytest

from shared.domain.safety.partial import beginning_of

PATTERNS = [
    ("abc", ["abc"], ["b", "ax", "abx"]),
    ("a(?:bc|de)?f", ["abcf", "adef", "af"], ["ag", "abd", "adf"]),
    (r"\d{2,3}-\d{4}(?!\d)", ["12-3456", "123-4567"], ["1-", "12-x", "1234"]),
    ("[가-힣]{1,3}(?: 좀)? ?(?:드세요|드셔)", ["약 드세요", "그약 좀 드셔"], ["약 다", "1"]),
    (r"drug(?=s? (?:is|are))", ["drugs are"], ["drugx", "drugs wo"]),
    (r"(?:to )?\bme\b", ["to me", "me"], ["to you", "you"]),
]


@pytest.mark.parametrize(("source", "matches", "others"), PATTERNS)
def test_it_follows_a_text_letter_by_letter(source, matches, others):
    beginning = beginning_of(source)
    for text in matches:
        assert re.match(source, text)
        for upto in range(len(text) + 1):
            assert beginning.match(text[:upto]), text[:upto]
    for text in others:
        assert not beginning.match(text), text
