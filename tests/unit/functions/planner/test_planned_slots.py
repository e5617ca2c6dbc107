"""The slots that a planned task may bring: what remains of each, and what is counted."""

from functions.planner.planned_slots import SlotReader
from functions.planner.proposal_errors import ProposalErrors, counted
from shared.content.catalogue import content
from shared.domain.counseling.plans import Fault
from shared.domain.slots import Invalid, SlotKind, gate_open, validate
from shared.locale import Locale, Register
from tests.fakes.counselling import session, slot, task
from tests.fakes.plans import slot_wording

PLANS = content().part2_templates
BEFORE = (
    task(required_slots=(slot("name", label="이름"),), optional_slots=(slot("sleep", label="잠"),), status="completed"),
)


def read(*given, **fields):
    tally = ProposalErrors(content().text_rules)
    state = session(*BEFORE, user_info={"name": "민지"}, **fields)
    return SlotReader(PLANS, state, tally).read(given), counted(tally.found)


def test_a_sound_slot_stands_as_it_is():
    (found,), faults = read(slot_wording(questions=("언제부터 그러셨어요?", "처음은 언제였나요？")))
    assert (found.name, found.kind, found.label) == ("since_when", SlotKind.TEXT, "시작된 때")
    assert found.questions == ("언제부터 그러셨어요?", "처음은 언제였나요？")
    assert faults == {}


CHOICES = ("거의 매일", "가끔")
DROPPED = {
    "an unknown kind": ({"kind": "date"}, Fault.SLOT_KIND),
    "a name": ({"kind": "name"}, Fault.SLOT_KIND),
    "no label": ({"label": " "}, Fault.SLOT_TEXT),
    "no question": ({"questions": ()}, Fault.SLOT_TEXT),
    "a question that asks nothing": ({"questions": ("말해 주세요.",)}, Fault.SLOT_TEXT),
    "an endless question": ({"questions": ("정말 " * 60 + "그런가요?",)}, Fault.SLOT_TEXT),
    "a choice of nothing": ({"kind": "choice", "choices": ()}, Fault.SLOT_CHOICES),
    "a choice of one": ({"kind": "choice", "choices": ("네", " 네 ", "")}, Fault.SLOT_CHOICES),
    "what is known by its name": ({"name": "name"}, Fault.SLOT_KNOWN),
    "what is known by its label": ({"name": "who", "label": " 이 름"}, Fault.SLOT_KNOWN),
    "an alarming question": ({"questions": ("죽고 싶다는 생각은 언제부터 했어요?",)}, Fault.ALARMING),
    "an alarming choice": ({"kind": "choice", "choices": ("죽고 싶어요", "아니요")}, Fault.ALARMING),
}


def test_a_slot_that_does_not_hold_is_dropped():
    assert [
        ((fault, code), got)
        for fault, code in DROPPED.values()
        if (got := read(slot_wording(**fault))) != ((), {code: 1})
    ] == []


CORRECTED = {
    "a name in camel case": ({"name": "sinceWhen"}, "since_when", Fault.SLOT_RENAMED),
    "a name with spaces": ({"name": " Since when? "}, "since_when", Fault.SLOT_RENAMED),
    "a Korean name": ({"name": "언제부터"}, "detail", Fault.SLOT_RENAMED),
    "a name that begins with digits": ({"name": "2nd time"}, "nd_time", Fault.SLOT_RENAMED),
    "an endless name": ({"name": "a" * 90}, "a" * 40, Fault.SLOT_RENAMED),
    "the name of a slot that nobody filled": ({"name": "sleep"}, "sleep_2", Fault.SLOT_RENAMED),
    "choices where there are none": ({"choices": CHOICES}, "since_when", Fault.SLOT_CHOICES),
    "bounds the wrong way round": (
        {"kind": "integer", "minimum": 9, "maximum": 1}, "since_when", Fault.SLOT_BOUNDS,
    ),
    "a long label": ({"label": "가" * 90}, "since_when", Fault.CUT),
}  # fmt: skip


def test_what_can_be_corrected_is_corrected(subtests):
    for fault, name, code in CORRECTED.values():
        with subtests.test(fault=fault, name=name, code=code):
            (found,), faults = read(slot_wording(**fault))
            assert (found.name, faults) == (name, {code: 1})
            assert found.choices == ()
            assert (found.minimum, found.maximum) == (None, None)


def test_two_of_a_name_get_a_number_and_a_third_is_too_many():
    given = [slot_wording(label=label) for label in ("처음", "다음", "마지막")]
    found, faults = read(*given)
    assert [each.name for each in found] == ["since_when", "since_when_2"]
    assert faults == {Fault.SLOT_RENAMED: 2, Fault.TOO_MANY_SLOTS: 1}


VALUES = {
    "text": ({}, "작년부터요", " "),
    "boolean": ({"kind": "boolean"}, "네", "글쎄요"),
    "integer": ({"kind": "integer"}, "3번", "많이"),
    "bounds": ({"kind": "integer", "minimum": 0, "maximum": 10}, "7", "11"),
    "choice": ({"kind": "choice", "choices": CHOICES}, "가끔", "전혀"),
}


def test_a_planned_slot_takes_what_fits_and_says_what_does_not(subtests):
    for register, locale in (*((each, Locale.KO) for each in Register), (Register.FORMAL, Locale.EN)):
        for fields, good, bad in VALUES.values():
            with subtests.test(register=register, locale=locale, fields=fields, good=good, bad=bad):
                (found,), _ = read(slot_wording(**fields), register=register, locale=locale)
                value = validate(found, good)
                assert not isinstance(value, Invalid)
                assert gate_open((found,), {found.name: value})
                refused = validate(found, bad)
                assert isinstance(refused, Invalid)
                assert refused.reason
                assert "{" not in refused.reason
