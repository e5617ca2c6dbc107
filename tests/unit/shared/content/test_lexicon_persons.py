"""Names, and backchannels; and that no message takes long to read."""

import time

from shared.content.catalogue import content
from tests.support.sentences import sentences

LEXICON = content().lexicon
SAID = sentences("lexicon/names")
PIECES = ("네 ", "네", "오늘 이제 그만 ", "더 ", "저는 이름은 ", "안 슬퍼 ", "a ", "i'm ", "가", "사람 ")


def test_a_stated_name_is_read():
    assert {text: LEXICON.name(text) for text in SAID["names"]} == SAID["names"]


def test_what_is_no_stated_name_is_left_alone():
    assert {text: name for text in SAID["no_names"] if (name := LEXICON.name(text)) is not None} == {}


def test_a_mere_sound_is_a_backchannel_and_words_are_none():
    assert [text for text in SAID["backchannels"] if not LEXICON.is_backchannel(text)] == []
    assert [text for text in ("", "  ", *SAID["words"]) if LEXICON.is_backchannel(text)] == []


def test_a_hostile_message_costs_little_time():
    slow = {}
    for piece in PIECES:
        text = (piece * 4000)[:4000] + "!x"
        started = time.process_time()
        LEXICON.answer(text)
        LEXICON.says_task_done(text)
        LEXICON.is_backchannel(text)
        LEXICON.resistance(text)
        LEXICON.emotion(text)
        LEXICON.asks_if_human(text)
        LEXICON.name(text)
        slow[piece] = time.process_time() - started
    assert {piece: took for piece, took in slow.items() if took >= 1} == {}
