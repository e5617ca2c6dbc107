"""A pattern's beginnings: every beginning of a match may match, and what can be no match any more does not."""

import re
from itertools import cycle, islice

import pytest

from shared.content.guard_rules import guard_file, guard_rules
from shared.safety.output_guard.following import followed
from shared.safety.output_guard.partial import Text

PATTERNS = [
    ("abc", ["abc"], ["b", "ax", "abx"]),
    ("a(?:bc|de)?f", ["abcf", "adef", "af"], ["ag", "abd", "adf"]),
    (r"\d{2,3}-\d{4}(?!\d)", ["12-3456", "123-4567"], ["1-", "12-x", "1234"]),
    ("[가-힣]{1,3}(?: 좀)? ?(?:드세요|드셔)", ["약 드세요", "그약 좀 드셔"], ["약 다", "1"]),
    (r"drug(?=s? (?:is|are))", ["drugs are"], ["drugx", "drugs wo"]),
    (r"(?:to )?\bme\b", ["to me", "me"], ["to you", "you"]),
    (r"(?<!x)a{2}b+?c*", ["aab", "aabbcc"], ["ab", "aac"]),
    (r"(?:ab){2}|[^.\n]{0,2}?(?:end|\n)", ["abab", "x end", "\n"], ["xyzend", "x.end"]),
]


def followed_through(source, text):
    read = Text(text, 0, len(text))
    return followed(source).may_match(read), followed(source).matches(read)


@pytest.mark.parametrize(("source", "matches", "others"), PATTERNS)
def test_it_follows_a_text_letter_by_letter(source, matches, others):
    for text in matches:
        assert re.match(source, text)
        assert followed_through(source, text) == (True, True), text
        for upto in range(len(text)):
            assert followed_through(source, text[:upto])[0], text[:upto]
    for text in others:
        assert followed_through(source, text) == (False, False), text


def test_it_finds_what_the_regular_expression_finds_in_every_pattern_of_the_rules():
    examples = cycle([text.lower() for rule in guard_file().rules for text in (*rule.positives, *rule.negatives)])
    found = 0
    for source in {pattern.source for rule in guard_rules().rules for hit in rule.hits for pattern in hit.then}:
        for text in islice(examples, 60):
            for start in range(0, len(text), 3):
                until = min(len(text), start + 30)
                expected = re.compile(source).match(text, start, until) is not None
                assert followed(source).matches(Text(text, start, until)) is expected, (source, text[start:until])
                found += expected
    assert found > 100


def test_places_before_the_beginning_are_seen_and_those_behind_the_end_are_not():
    assert followed("(?<=a)b").matches(Text("ab", 1, 2))
    assert not followed("bc").matches(Text("abc", 1, 2))
    assert followed("bc").may_match(Text("abc", 1, 2))


def test_a_pattern_that_is_asked_often_still_finds_the_same():
    pattern = followed("(?<=a)b(?!d)|often")
    texts = [Text("abc", 1, 3), Text("abd", 1, 3), Text("often", 0, 5), Text("oft", 0, 3)]
    answers = [[pattern.matches(text) for text in texts] for _ in range(300)]
    assert {tuple(row) for row in answers} == {(True, False, True, False)}
