"""What fills a slot of free text is told by its matter, in words that a user would choose."""

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.lexicon.told_words import ToldWordsFile

FILE = load_yaml(DATA / "told_words.yaml", ToldWordsFile).root
WORDS = content().told_words


@pytest.mark.parametrize(("slot", "told"), [(slot, told) for slot, lists in FILE.items() for told in lists])
def test_each_example_is_found_for_its_slot_and_the_others_are_not(slot, told):
    phrases = FILE[slot][told]
    assert [text for text in phrases.examples if not WORDS.tells(slot, told, text)] == []
    assert [text for text in phrases.others if WORDS.tells(slot, told, text)] == []


def test_a_slot_that_is_not_listed_tells_nothing():
    assert not WORDS.lists("nickname")
    assert not any(WORDS.tells("nickname", told, "뭐든지요") for told in FILE["coping_style"])
