from shared.content.catalogue import content
from shared.domain.slots import SlotKind
from shared.locale import Locale, Register
from shared.services.counseling.prompt_slots import LONGEST_VALUE, MOST_KNOWN, slots_for_prompt
from tests.fakes.counselling import session, slot, task

SLOTS = tuple(slot(f"slot_{number}", label=f"Slot {number}") for number in range(60))


def given(values, *slots, locale=Locale.KO, register=Register.FORMAL):
    state = session(task(required_slots=(*slots, *SLOTS)), user_info=values)
    return slots_for_prompt(state, content().messages(locale, register))


def test_a_value_is_shown_as_one_says_it_by_its_label():
    cases = [
        (True, Locale.KO, "네"),
        (False, Locale.KO, "아니요"),
        (False, Locale.EN, "no"),
        (0, Locale.KO, "0"),
        ("  언니 \n랑 ", Locale.KO, "언니 랑"),
    ]
    assert {
        words: got
        for value, locale, words in cases
        if (got := given({"slot_1": value}, locale=locale)) != {"Slot 1": words}
    } == {}


def test_a_value_whose_slot_is_gone_stands_by_its_name():
    assert given({"old": "x"}) == {"old": "x"}


def test_of_many_values_the_name_and_the_newest_are_shown():
    name = slot("name", kind=SlotKind.NAME, label="Name")
    shown = given({"name": "지우"} | {f"slot_{number}": str(number) for number in range(60)}, name)
    assert list(shown) == ["Name", *(f"Slot {number}" for number in range(60 - MOST_KNOWN + 1, 60))]


def test_a_long_value_is_shown_by_its_head_and_tail():
    shown = given({"slot_1": "가" * 300 + "하" * 200})["Slot 1"]
    assert len(shown) <= LONGEST_VALUE
    assert (shown[0], shown[-1]) == ("가", "하")
