"""Quotations that are told of, and those that are the speaker's own words."""

from shared.safety.output_guard.quotations import is_quoted, is_told
from shared.safety.output_guard.sentence import Sentence

WORDS = "비밀로 할게"


def place_in(text):
    sentence = Sentence()
    for char in text:
        sentence.add(char)
    first = text.index(WORDS)
    return sentence, first, first + len(WORDS) - 1


def test_a_quotation_is_told_of_by_what_stands_beside_it():
    quoted_and_told = {
        f'"{WORDS}."': (True, False),
        f"“{WORDS}.”": (True, False),
        f'그럼요: "{WORDS}."': (True, False),
        f'제가 드리는 말: "{WORDS}."': (True, False),
        f'친구가 보낸 메시지: "{WORDS}."': (True, True),
        f'"{WORDS}." 이 말이 남았군요': (True, True),
        f'"{WORDS}"라고 하셨군요': (True, True),
        f"친구가 “{WORDS}”라고 했군요": (True, True),
        f"{WORDS}요": (False, False),
        f'"그래요" {WORDS}요': (False, False),
    }
    places = {text: place_in(text) for text in quoted_and_told}
    assert {text: (is_quoted(*place), is_told(*place)) for text, place in places.items()} == quoted_and_told
