"""Triggers found letter by letter, and quotations of others or of the speaker."""

from shared.safety.output_guard.rules import is_quoted, is_told
from shared.safety.output_guard.sentence import Sentence
from shared.safety.output_guard.triggers import Trigger, Triggers, Walk


def walked(text, *triggers):
    """Return the triggers found with their places, and the place from which the end of the text is held."""
    walk = Walk(Triggers(triggers))
    found = [one for place, letter in enumerate(text) for one in walk.take(letter, place)]
    return found, walk.held_from()


def test_every_trigger_is_found_at_its_beginning_with_any_blanks_in_it():
    for text in ("그 목을 매", "그 목을매", "그 목 을 매"):
        assert walked(text, Trigger("목을매", "act"))[0] == [("act", 2)]
    assert walked("약을 드", Trigger("약", "drug"), Trigger("약을드", "take"))[0] == [("drug", 0), ("take", 0)]


def test_a_prefix_of_a_trigger_is_held():
    held = {"그 목": 2, "그 목을": 2, "그 목 을": 2, "그 목소": None, "그 손목": None, "": None}
    assert {text: walked(text, Trigger("목을매", "act"))[1] for text in held} == held


def test_a_trigger_begins_inside_a_korean_word_only_if_allowed_and_after_any_other_character():
    triggers = Trigger("약", "drug"), Trigger("kr", "link", inside=True)
    assert walked("예약 .kr naver.kr", *triggers)[0] == [("link", 4), ("link", 13)]
    found = {text: walked(text, Trigger("약", "drug"))[0] for text in ("adhd약", "“약", "10약")}
    assert found == {text: [("drug", len(text) - 1)] for text in found}


WORDS = "비밀로 할게"


def place_in(text):
    sentence = Sentence()
    for char in text:
        sentence.add(char)
    first = text.index(WORDS)
    return sentence, first, first + len(WORDS) - 1


def test_the_words_next_to_a_quotation_show_whether_it_is_reported():
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
