"""The lists of `session_words.yaml`, held to their own examples and to sentences that stand in no list."""

from pathlib import Path

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.session_words import SessionWordsFile
from shared.domain.slots import SlotKind

WORDS = content().session_words
FILE = load_yaml(DATA / Path("session_words.yaml"), SessionWordsFile)
RECOGNISED = {
    "asks_to_end": WORDS.asks_to_end,
    "asks_to_wrap_up": WORDS.asks_to_wrap_up,
    "wants_more": WORDS.wants_more,
    "declines": lambda text: WORDS.declines(text, SlotKind.TEXT),
    "declines_name": lambda text: WORDS.declines(text, SlotKind.NAME),
}


def each(field: str) -> list[tuple[str, str]]:
    return [(name, text) for name in RECOGNISED for text in getattr(getattr(FILE, name), field)]


@pytest.mark.parametrize(("name", "text"), each("examples"))
def test_every_example_is_recognised(name: str, text: str) -> None:
    assert RECOGNISED[name](text)


@pytest.mark.parametrize(("name", "text"), each("others"))
def test_nothing_that_looks_alike_is_recognised(name: str, text: str) -> None:
    assert not RECOGNISED[name](text)
