"""The lists of `session_words.yaml`, held to their own examples and to sentences that stand in no list."""

import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.session_words import SessionWordsFile
from shared.content.session_words import without_questions
from shared.domain.slots import SlotKind
from shared.locale import Locale, Register
from tests.support.sentences import sentences

LONGEST_S = 0.5
WORDS = content().session_words
FILE = load_yaml(DATA / Path("session_words.yaml"), SessionWordsFile)
RECOGNISED = {
    "asks_to_end": WORDS.asks_to_end,
    "asks_to_wrap_up": WORDS.asks_to_wrap_up,
    "wants_more": WORDS.wants_more,
    "wants_to_stay": WORDS.wants_to_stay,
    "declines": lambda text: WORDS.declines(text, SlotKind.TEXT),
    "wants_none": WORDS.wants_none,
    "declines_name": lambda text: WORDS.declines(text, SlotKind.NAME),
}
SAID = sentences("lexicon/session_words")


def misheard(texts: dict[str, Iterable[str]], *, wanted: bool) -> list[tuple[str, str]]:
    """Return what is recognised, or is not, against what is wanted of it."""
    return [(name, text) for name in texts for text in texts[name] if bool(RECOGNISED[name](text)) is not wanted]


def written(field: str) -> dict[str, Iterable[str]]:
    return {name: getattr(getattr(FILE, name), field) for name in RECOGNISED}


def test_every_example_is_recognised_and_nothing_that_looks_alike() -> None:
    assert misheard(written("examples"), wanted=True) == []
    assert misheard(written("others"), wanted=False) == []


def test_what_is_said_in_other_words_is_recognised_too() -> None:
    examples = written("examples")
    assert misheard(SAID["paraphrases"], wanted=True) == []
    assert [text for name, texts in SAID["paraphrases"].items() for text in texts if text in examples[name]] == []


def test_what_only_sounds_like_it_is_not() -> None:
    assert misheard(SAID["look_alike"], wanted=False) == []


def test_the_rules_own_questions_are_recognised() -> None:
    for voice in product(Locale, Register):
        messages = content().messages(*voice)
        assert WORDS.asks_to_end(messages.text("confirm_end")), voice
        assert WORDS.asks_to_wrap_up(messages.text("propose_wrap_up")), voice
        assert not WORDS.asks_to_end(messages.text("propose_wrap_up")), "a yes to the closing is none to the end"


class TestAReplysQuestion:
    def test_is_whether_to_end_where_it_asks_nothing_else(self) -> None:
        assert [reply for reply in SAID["replies"]["ask_to_end"] if not WORDS.asks_to_end(reply)] == []

    def test_is_not_where_a_yes_could_be_to_something_else_or_nothing_is_asked(self) -> None:
        assert [reply for reply in ("", *SAID["replies"]["do_not"]) if WORDS.asks_to_end(reply)] == []


def test_a_reply_without_its_questions_keeps_what_it_says() -> None:
    left = {
        "많이 힘드셨겠어요. 그 마음이 지금도 남아 있나요?": "많이 힘드셨겠어요.",
        "그 마음이 지금도 남아 있나요?": "",
        "네. 언제부터 그러셨어요? 천천히 말해도 돼요.": "네. 천천히 말해도 돼요.",
        "“왜 나만?” 하는 마음이셨군요. 지금도 그런가요?": "“왜 나만?” 하는 마음이셨군요.",
        "첫 줄이에요.\n정말 그랬어요?\n끝 줄이에요.": "첫 줄이에요.\n\n끝 줄이에요.",
        "그러셨군요.": "그러셨군요.",
    }
    assert {reply: without_questions(reply) for reply in left} == left


def test_the_longest_message_is_read_in_no_time() -> None:
    took = {}
    for text in ("오늘 " * 1300, "그럼 이제 " * 600, "네 음 " * 1000, "i " * 2000, "가" * 4000, "더 " * 1300):
        began = time.process_time()
        for recognise in RECOGNISED.values():
            recognise(text)
            recognise(f"{text}?")
        took[text[:6]] = time.process_time() - began
    assert {text: seconds for text, seconds in took.items() if seconds >= LONGEST_S} == {}
