"""Behaviour of the prefilter: it may ask for too little, never for too much."""

import json
from pathlib import Path

import pytest

from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.domain.safety.normalise import normalise
from shared.domain.safety.prefilter import clauses
from shared.domain.safety.reading import Reading

_FIXTURES = Path(__file__).parents[4] / "fixtures"


def _texts():
    for line in (_FIXTURES / "crisis_probe.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["text"]
    for rule in rule_definitions().rules:
        yield from rule.positives
        yield from rule.negatives


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("죽 ?고", [{"죽고"}]),
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
    assert sorted(map(sorted, (clause.strings for clause in clauses(pattern)))) == sorted(map(sorted, needed))


def test_no_match_of_any_rule_is_filtered_out():
    readings = [Reading(reading) for reading in {reading for text in _texts() for reading in normalise(text)}]
    for rule in crisis_rules().rules:
        for pattern in rule.patterns:
            for reading in readings:
                if not any(True for _ in pattern.spans(reading)):
                    assert not pattern.regex.search(reading.text), (rule.id, pattern.source, reading.text)
