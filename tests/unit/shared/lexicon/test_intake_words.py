"""A question of intake is recognised by its matter, in words that a counsellor would choose."""

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.lexicon.intake_words import IntakeWordsFile

FILE = load_yaml(DATA / "intake_words.yaml", IntakeWordsFile).root
WORDS = content().intake_words


@pytest.mark.parametrize("matter", FILE)
def test_each_example_asks_for_its_matter_and_the_others_ask_for_none(matter):
    phrases = FILE[matter]
    assert [text for text in phrases.examples if matter not in WORDS.matters(text)] == []
    assert {text: WORDS.matters(text) for text in phrases.others if WORDS.matters(text)} == {}
