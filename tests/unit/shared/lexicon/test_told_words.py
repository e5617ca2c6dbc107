"""A wish is told in words that a user would choose."""

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.lexicon.told_words import ToldWordsFile

FILE = load_yaml(DATA / "told_words.yaml", ToldWordsFile).root
WORDS = content().told_words


@pytest.mark.parametrize("slot", FILE)
def test_each_example_is_found_for_its_slot_and_the_others_are_not(slot):
    phrases = FILE[slot]
    assert [text for text in phrases.examples if not WORDS.tells(slot, text)] == []
    assert [text for text in phrases.others if WORDS.tells(slot, text)] == []
