"""Triggers are found while the letters arrive, and what may become one is known."""

from shared.safety.output_guard.triggers import Trigger, Triggers, Walk


def walked(text, *triggers):
    """Return who was found and where, and from where on the text is held at its end."""
    walk = Walk(Triggers(triggers))
    found = [one for place, letter in enumerate(text) for one in walk.take(letter, place)]
    return found, walk.held_from()


def test_a_trigger_is_found_where_it_begins_whatever_blanks_stand_in_it():
    for text in ("그 목을 매", "그 목을매", "그 목 을 매"):
        assert walked(text, Trigger("목을매", "act"))[0] == [("act", 2)]


def test_triggers_that_begin_alike_are_all_found():
    assert walked("약을 드", Trigger("약", "drug"), Trigger("약을드", "take"))[0] == [("drug", 0), ("take", 0)]


def test_what_may_become_a_trigger_is_held():
    held = {"그 목": 2, "그 목을": 2, "그 목 을": 2, "그 목소": None, "그 손목": None, "": None}
    assert {text: walked(text, Trigger("목을매", "act"))[1] for text in held} == held


def test_a_trigger_begins_inside_a_word_only_where_it_may():
    assert walked("예약 .kr naver.kr", Trigger("약", "drug"), Trigger("kr", "link", inside=True))[0] == [
        ("link", 4),
        ("link", 13),
    ]


def test_a_korean_word_begins_behind_anything_that_is_not_korean():
    found = {text: walked(text, Trigger("약", "drug"))[0] for text in ("adhd약", "“약", "10약")}
    assert found == {text: [("drug", len(text) - 1)] for text in found}
