"""Behaviour of the prefilter: it may name too many places, never too few."""

import json
import random
from pathlib import Path

import pytest

from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.safety.frequencies import Frequencies, by_length
from shared.safety.normalise import normalise
from shared.safety.prefilter import prefilter_of
from shared.safety.reading import Reading
from shared.safety.search import PatternIndex, Search

_FIXTURES = Path(__file__).parents[4] / "fixtures"
_SPLICES = 800
_EVERY = 4
"""Of the examples as they stand; the splices are drawn from all of them."""


def _anchor(pattern, frequency=by_length):
    anchor = prefilter_of(pattern, frequency).anchor
    assert anchor is not None
    return anchor


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
        ("(?:abc|d?)ef", {"abcef", "def", "ef"}),
        ("가나|다", {"가나", "다"}),
        ("(?:가 ?나 ?|다){0,8}라마바", {"라마바"}),
        ("[가 ]나", {"가나", "나"}),
        ("가나?(?:다|라 ??마)", {"가다", "가나다", "가라마", "가나라마"}),
    ],
)
def test_the_most_telling_strings_of_a_match_are_found(pattern, strings):
    assert _anchor(pattern).strings == strings


def test_what_every_other_sentence_has_tells_nothing():
    assert prefilter_of("i|me|my", lambda _: 0.2).anchor is None
    assert _anchor("i|me|my", lambda _: 0.001).strings == {"i", "me", "my"}


@pytest.mark.parametrize("pattern", ["[^.?!]{0,9}", "(?:가|나)?", r"\d\d", "(?:가나|[^다])", "$"])
def test_a_pattern_without_words_is_tried_everywhere(pattern):
    assert prefilter_of(pattern).anchor is None


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
    assert _anchor(pattern)[1:] == (nearest, furthest)


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
    assert prefilter_of(pattern).first == first


@pytest.mark.parametrize(
    ("pattern", "head", "reach"),
    [
        ("가나", "가나", 3),
        ("가 ?나[^.]{0,9}다", "가 ?나", 4),
        ("(?:가나|다){2,3}라", "(?:가나|다){2,3}", 7),
        ("[^.]{0,3}(?:가|나)? ?다[^.]{0,9}라", "[^.]{0,3}(?:가|나)? ?다", 7),
        ("(?<=마바)가[^.]{0,9}나", "(?<=마바)가", 2),
        ("(?=[^.]{0,9}나)가(?!다)", "(?=[^.]{0,9}나)가", 12),
        ("(?:(?!가나)다|라)마", "(?:(?!가나)다|라)", 4),
    ],
)
def test_the_head_of_a_pattern_matches_at_least_a_letter_and_it_is_known_how_far_it_looks(pattern, head, reach):
    """A letter more than it takes, for the border of a word."""
    found = prefilter_of(pattern)
    assert (pattern[: found.head], found.reach) == (head, reach)


@pytest.mark.parametrize("pattern", ["(?:가|나)?", "가|나다", "(?:가|나)다|(?:다)?"])
def test_where_no_beginning_must_match_the_head_is_the_whole_pattern_and_looks_as_far_as_there_is_text(pattern):
    found = prefilter_of(pattern)
    assert pattern[: found.head] == pattern
    assert found.reach > 1_000_000


def test_the_strings_that_are_rarer_in_what_people_write_are_chosen():
    often = Frequencies(["오늘도 그랬어요"] * 50)
    assert _anchor("오늘 ?[^.]{0,9}절벽", often).strings == {"절벽"}
    assert _anchor("절벽 ?[^.]{0,9}오늘", often).strings == {"절벽"}


def test_of_strings_as_rare_those_are_chosen_that_say_best_where_a_match_begins():
    assert _anchor("[^.]{0,90}가나[^.]{0,3}다라").strings == {"가나"}
    assert _anchor("가나[^.]{0,90}다라").strings == {"가나"}


def test_a_frequency_is_that_of_the_rarest_letters_and_never_nothing():
    frequency = Frequencies(["가나 다라", "가나"])
    assert frequency("가나") > frequency("다라") > frequency("마") > 0
    assert frequency("가나다라") == frequency("나다라")
    assert by_length("가나") > by_length("가나다라마바사아")


def test_what_is_no_pattern_is_an_error():
    with pytest.raises(ValueError, match="not of our pattern language"):
        prefilter_of("가\\")


def _examples():
    written = rule_definitions()
    for one in (*written.rules, *written.signs, *written.contexts):
        yield from one.positives
        yield from one.negatives
    for line in (_FIXTURES / "crisis_probe.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["text"]


def _sample():
    yield from list(_examples())[::_EVERY]


def _spliced():
    """The beginning of one message and the end of another, which makes words stand where no rule expects them."""
    chance, texts = random.Random(0), list(_examples())
    for _ in range(_SPLICES):
        one, other = chance.choice(texts), chance.choice(texts)
        yield one[: chance.randint(0, len(one))] + other[chance.randint(0, len(other)) :]


def _patterns():
    rules = crisis_rules()
    for rule in (*rules.rules, *(sign.rule for sign in rules.signs)):
        yield from (*rule.patterns, *rule.exclusions, *rule.unless)
    for context in rules.contexts:
        yield from (*context.patterns, *context.unless)


@pytest.mark.parametrize("texts", [_sample, _spliced])
def test_no_match_of_any_pattern_is_hidden(texts):
    """Against the pattern alone, on all texts at once: that also has them stand next to each other."""
    reading = Reading(" ".join(reading for text in texts() for reading in normalise(text)))
    patterns = tuple(_patterns())
    search = Search(reading, PatternIndex(patterns))
    for pattern in patterns:
        assert list(search.spans(pattern)) == [found.span() for found in pattern.regex.finditer(reading.text)], pattern
