"""Behaviour of the prefilter: it may ask for too little, never for too much."""

import json
from pathlib import Path

import pytest

from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.domain.safety.normalise import normalise
from shared.domain.safety.prefilter import clauses, present

_FIXTURES = Path(__file__).parents[4] / "fixtures"


def _texts():
    for name in ("crisis_dev.jsonl", "crisis_probe.jsonl"):
        for line in (_FIXTURES / name).read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["text"]
    for rule in rule_definitions().rules:
        yield from rule.positives
        yield from rule.negatives


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("죽 ?고", [{"죽"}, {"고"}]),
        ("(?:자|쟈)살", [{"자", "쟈"}, {"살"}]),
        ("약(?:을|를)? ?먹", [{"약"}, {"먹"}]),
        ("(?:가|)나", [{"나"}]),
        ("(?<!투)자(?!금)해", [{"자"}, {"해"}]),
        ("[죽듁]음", [{"죽", "듁"}, {"음"}]),
        ("[^죽]음", [{"음"}]),
        ("a{2,3}b{0,2}c", [{"a"}, {"c"}]),
        (r"\bsuicid(?:e|al)\b", [{"suicid"}, {"e", "al"}]),
        ("(?:abc|d?)e", [{"e"}]),
    ],
)
def test_the_words_that_a_match_contains_are_found(pattern, needed):
    assert [set(clause) for clause in clauses(pattern)] == needed


def test_no_match_of_any_rule_is_filtered_out():
    readings = {reading for text in _texts() for reading in normalise(text)}
    rules = crisis_rules()
    for reading in readings:
        words = present(reading, rules.vocabulary)
        for rule in rules.rules:
            for pattern in rule.patterns + rule.exclusions:
                if not pattern.possible(words):
                    assert not pattern.regex.search(reading), (rule.id, pattern.source, reading)
