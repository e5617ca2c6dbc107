"""Behaviour of the prefilter: it may name too many places, never too few."""

import json
import random
from pathlib import Path

import pytest

from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.domain.safety.normalise import normalise
from shared.domain.safety.prefilter import anchor_of
from shared.domain.safety.reading import Reading

_FIXTURES = Path(__file__).parents[4] / "fixtures"
_SPLICES = 800


@pytest.mark.parametrize(
    ("pattern", "strings"),
    [
        ("죽 ?고", {"죽고"}),
        ("(?:자|쟈)살", {"자살", "쟈살"}),
        ("약(?:을|를)? ?먹", {"약먹", "약을먹", "약를먹"}),
        ("(?:가|)나다", {"가나다", "나다"}),
        ("(?<!투)자(?!금)해", {"자해"}),
        ("[죽듁]음", {"죽음", "듁음"}),
        ("[^죽]음", {"음"}),
        ("a{2,3}b{0,2}cde", {"cde"}),
        (r"\bsuicid(?:e|al)\b", {"suicid"}),
        ("(?:abc|d?)e", {"abce", "de", "e"}),
        ("가나|다", {"가나", "다"}),
        ("(?:가 ?나 ?|다){0,8}라마바", {"라마바"}),
        ("[가 ]나", {"가나", "나"}),
        ("가나?(?:다|라 ??마)", {"가다", "가나다", "가라마", "가나라마"}),
    ],
)
def test_the_most_telling_strings_of_a_match_are_found(pattern, strings):
    assert anchor_of(pattern).strings == strings


@pytest.mark.parametrize("pattern", ["[^.?!]{0,9}", "(?:가|나)?", r"\d\d", "(?:가나|[^다])", "$"])
def test_a_pattern_without_words_is_tried_everywhere(pattern):
    assert anchor_of(pattern).strings is None


@pytest.mark.parametrize(
    ("pattern", "nearest", "furthest"),
    [
        ("가나", 0, 0),
        ("[^.?!]{0,9}가나", 0, 9),
        ("[^.?!]{2,9}가나", 2, 9),
        ("(?:\\d ?|\\d\\d)가나", 1, 2),
        ("(?:[^.]{1,3}가나라|마바사)", 0, 3),
        ("(?:스스로|내)? ?(?: ?가나다라|[ 마])바사", 0, 2),
    ],
)
def test_it_is_known_how_far_from_the_beginning_they_stand(pattern, nearest, furthest):
    assert anchor_of(pattern)[1:3] == (nearest, furthest)


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        ("가나", {"가"}),
        ("(?:가|나 ?)?다", {"가", "나", "다"}),
        (" ?가", {" ", "가"}),
        ("[^가]나", None),
        ("\\b가", {"가"}),
    ],
)
def test_it_is_known_with_which_letters_a_match_begins(pattern, first):
    assert anchor_of(pattern).first == first


@pytest.mark.parametrize(
    ("pattern", "also", "within"),
    [
        (r"\b(?:want|need)(?: ?\w{1,8}){0,2} ?(?:bridges?|roof)", {"bridge", "bridges", "roof", "want", "need"}, 31),
        ("가나[^.]{0,9}(?:다라|마바)", None, 0),
    ],
)
def test_latin_strings_behind_the_beginning_are_looked_for_before_a_try(pattern, also, within):
    anchor = anchor_of(pattern)
    assert also is None or (anchor.strings | anchor.also) <= {string[:6] for string in also}
    assert (anchor.also is None) == (also is None)
    assert anchor.within <= within


def test_what_is_no_pattern_is_an_error():
    with pytest.raises(ValueError, match="not of our pattern language"):
        anchor_of("가\\")


def _examples():
    written = rule_definitions()
    for one in (*written.rules, *written.signs, *written.contexts):
        yield from one.positives
        yield from one.negatives
    for line in (_FIXTURES / "crisis_probe.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["text"]


def _spliced():
    """The beginning of one message and the end of another, which makes words stand where no rule expects them."""
    chance, texts = random.Random(0), list(_examples())
    for _ in range(_SPLICES):
        one, other = chance.choice(texts), chance.choice(texts)
        yield one[: chance.randint(0, len(one))] + other[chance.randint(0, len(other)) :]


def _patterns():
    rules = crisis_rules()
    for rule in (*rules.rules, *(sign.rule for sign in rules.signs)):
        yield from rule.patterns
    for context in rules.contexts:
        yield from (*context.patterns, *context.unless)


@pytest.mark.parametrize("texts", [_examples, _spliced])
def test_no_match_of_any_pattern_is_hidden(texts):
    """Against the pattern alone, on all texts at once: that also has them stand next to each other."""
    reading = Reading(" ".join(reading for text in texts() for reading in normalise(text)))
    for pattern in _patterns():
        assert pattern.spans(reading) == [found.span() for found in pattern.regex.finditer(reading.text)], pattern
