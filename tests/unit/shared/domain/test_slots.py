from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.domain import slots
from shared.domain.slots import MAX_TEXT, Invalid, SlotKind, gate_open, missing
from tests.builders.sessions import slot

TYPES = {"text": str, "name": str, "boolean": bool, "integer": int, "choice": str}
INVALID = Invalid(slot="answer", reason="that is no answer")

WORDS = content().answers


def validate(slot, raw):
    return slots.validate(slot, raw, WORDS)


def of(kind, **more):
    return slot("answer", kind=kind, choices=("아침", "저녁", "Night") if kind == "choice" else (), **more)


def validated(kind, raws, **more):
    return {raw: validate(of(kind, **more), raw) for raw in raws}


@given(
    st.dictionaries(st.sampled_from("abcd"), st.text() | st.integers() | st.booleans() | st.just("없어요")),
    st.sets(st.sampled_from("abc")),
)
def test_the_gate_is_open_exactly_when_every_required_slot_is_given_or_declined(values, declined):
    required = [slot(name) for name in "abc"]
    left = [name for name in "abc" if name not in {*values, *declined}]
    assert gate_open(required, values, list(declined)) is (not left)
    assert [one.name for one in missing(required, values, list(declined))] == left
    assert not gate_open([], values), "closed without a required slot"


def test_a_repeated_question_uses_the_next_wording_and_ends_with_the_last():
    asked = [slot("a").question(times) for times in range(5)]
    assert asked == ["a?", "once more: a?", "differently: a?", None, None]


def test_a_text_keeps_its_words_loses_extra_blanks_and_is_cut_at_its_limit():
    cases = {
        "  회사 일이\n 너무   많아요 ": "회사 일이 너무 많아요",
        "없어요": "없어요",
        " \n ": INVALID,
        "가" * (MAX_TEXT + 1): "가" * MAX_TEXT,
    }
    assert validated("text", cases) == cases


def test_a_name_has_letters_and_no_markup_addresses_or_mere_numbers():
    names = ("지민", "김 지민", "Anne-Marie", "O'Neil", "J. R.", "R2D2")
    assert validated("name", (f" {name} " for name in names)) == {f" {name} ": name for name in names}
    others = ("", "123", "<script>", "@ann", "가" * 31, "a@b.c", "_ann", True, 7)
    assert validated("name", others) == dict.fromkeys(others, INVALID)


class TestBooleans:
    def test_yes_and_no_are_read_in_the_users_words_and_a_no_after_a_polite_yes_is_a_no(self):
        yes = (
            "네", "예", "응", "네, 있어요", "있어요", "있었어요", "해 봤어요", "해봤어요", "맞아요", "yes",
            "Yeah.", "I have", True,
        )  # fmt: skip
        no = (
            "아니요", "아뇨", "없어요", "아니 없는데", "딱히 없어요", "음, 없어요", "처음이에요", "안 해봤어요",
            "No", "nope", "never", "first time", False,
            "네, 처음이에요", "네 없어요", "어 아니요", "예, 안 해봤어요", "네... 없습니다",
        )  # fmt: skip
        cases = {**dict.fromkeys(yes, True), **dict.fromkeys(no, False)}
        assert validated("boolean", cases) == cases
        assert [validate(of("boolean"), number) for number in (1, 0)] == [True, False]

    def test_any_other_text_is_invalid(self):
        others = ("글쎄요", "", "노래방", "noodles", "네팔", 2, -1)
        assert validated("boolean", others) == dict.fromkeys(others, INVALID)
        for said in ("없지는 않아요", "없진 않아요"):
            assert validate(of("boolean"), said) is not False, "not none is no plain no"


class TestIntegers:
    def test_a_number_with_or_without_a_unit_is_read_and_any_other_text_is_invalid(self):
        cases = {"3": 3, " 12 번 ": 12, "7시간": 7, "-2": -2, 5: 5, "0": 0, "없어요": 0}
        others = ("세 번", "3 or 4", "1.5", "", True, "1234567890", "한 3번 정도 되는 것 같아요")
        cases |= dict.fromkeys(others, INVALID)
        assert validated("integer", cases) == cases

    def test_bounds_are_inclusive(self):
        cases = {0: INVALID, 1: 1, 10: 10, 11: INVALID, "없어요": INVALID}
        assert validated("integer", cases, minimum=1, maximum=10) == cases


def test_a_choice_is_found_in_any_case_and_returned_in_its_own():
    assert validated("choice", (" NIGHT ", "점심")) == {" NIGHT ": "Night", "점심": INVALID}


def test_only_an_answer_that_says_none_means_none():
    cases = {
        "없어요": True, "아무도 없어요": True, "음, 딱히 없는데요": True, "별로 없네": False,
        "nobody": True, "친구가 없어요": False, "있어요": False, "": False,
    }  # fmt: skip
    assert {said: WORDS.says_none(said) for said in cases} == cases


@given(
    st.sampled_from(SlotKind),
    st.text() | st.integers() | st.booleans() | st.sampled_from(["네", "없어요", "아침", "3번", "지민", "\u200b", " "]),
)
def test_validation_returns_the_slots_error_or_a_value_of_its_type_that_is_valid_again(kind, raw):
    value = validate(of(kind), raw)
    if value != INVALID:
        assert type(value) is TYPES[kind.value]
        assert validate(of(kind), value) == value
