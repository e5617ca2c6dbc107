import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.slots import MAX_TEXT, Invalid, SlotKind, gate_open, means_none, missing, validate
from tests.fakes.counselling import slot

TYPES = {
    SlotKind.TEXT: str,
    SlotKind.NAME: str,
    SlotKind.BOOLEAN: bool,
    SlotKind.INTEGER: int,
    SlotKind.CHOICE: str,
}


def of(kind, **more):
    return slot("answer", kind=kind, choices=("아침", "저녁", "Night") if kind is SlotKind.CHOICE else (), **more)


class TestTheGate:
    def test_a_falsy_or_empty_answer_fills_its_slot(self, subtests):
        for value in (0, False, "", "없어요"):
            with subtests.test(value=value):
                assert missing([slot("a")], {"a": value}) == ()
                assert gate_open([slot("a")], {"a": value})

    def test_is_open_only_when_every_required_slot_is_given(self):
        required = [slot("a"), slot("b"), slot("c")]
        assert missing(required, {"b": "x"}) == (required[0], required[2])
        assert not gate_open(required, {"a": "x", "b": "x"})
        assert gate_open(required, {"a": "x", "b": "x", "c": "x", "other": "y"})

    def test_with_no_required_slot_there_is_no_gate_to_open(self):
        assert not gate_open([], {})
        assert not gate_open([], {"a": "x"})

    @given(st.dictionaries(st.sampled_from("abcd"), st.one_of(st.text(), st.integers(), st.booleans())))
    def test_is_open_exactly_when_nothing_is_missing_whatever_the_values(self, values):
        required = [slot(name) for name in "abc"]
        assert gate_open(required, values) == set("abc").issubset(values)
        assert {one.name for one in missing(required, values)} == set("abc") - set(values)

    def test_is_opened_by_what_is_declined_as_by_what_is_given(self):
        required = [slot("a"), slot("b")]
        assert gate_open(required, {"a": "x"}, ["b"])
        assert gate_open(required, {}, ["a", "b"])
        assert missing(required, {}, ["a"]) == (required[1],)


class TestQuestions:
    def test_a_repeated_question_takes_the_next_wording_and_none_comes_twice(self):
        asked = [slot("a").question(times) for times in range(5)]
        assert asked == ["a?", "once more: a?", "differently: a?", None, None]


class TestText:
    def test_keeps_the_words_and_tidies_the_blanks(self):
        assert validate(of(SlotKind.TEXT), "  회사 일이\n 너무   많아요 ") == "회사 일이 너무 많아요"

    def test_none_is_an_answer(self):
        assert validate(of(SlotKind.TEXT), "없어요") == "없어요"

    def test_blank_words_are_no_value(self):
        assert isinstance(validate(of(SlotKind.TEXT), " \n "), Invalid)

    def test_is_cut_at_its_limit(self):
        assert validate(of(SlotKind.TEXT), "가" * (MAX_TEXT + 1)) == "가" * MAX_TEXT


class TestNames:
    def test_what_people_are_called_holds(self):
        assert {
            name: got
            for name in ("지민", "김 지민", "Anne-Marie", "O'Neil", "J. R.", "R2D2")
            if (got := validate(of(SlotKind.NAME), f" {name} ")) != name
        } == {}

    def test_what_nobody_is_called_does_not(self):
        assert [
            name
            for name in ("", "123", "<script>", "@ann", "가" * 31, "a@b.c", "_ann", True, 7)
            if not isinstance(validate(of(SlotKind.NAME), name), Invalid)
        ] == []


class TestBooleans:
    def test_yes_in_the_users_words(self):
        cases = [
            "네", "예", "응", "네, 있어요", "있어요", "있었어요", "해 봤어요", "해봤어요", "맞아요", "yes",
            "Yeah.", "I have", True, 1,
        ]  # fmt: skip
        assert [(said, got) for said in cases if (got := validate(of(SlotKind.BOOLEAN), said)) is not True] == []

    def test_no_in_the_users_words(self):
        cases = [
            "아니요", "아뇨", "없어요", "아니 없는데", "딱히 없어요", "음, 없어요", "처음이에요", "안 해봤어요",
            "No", "nope", "never", "first time", False, 0,
        ]  # fmt: skip
        assert [(said, got) for said in cases if (got := validate(of(SlotKind.BOOLEAN), said)) is not False] == []

    def test_a_polite_yes_before_a_no_is_a_no(self):
        assert {
            said: got
            for said in ("네, 처음이에요", "네 없어요", "어 아니요", "예, 안 해봤어요", "네... 없습니다")
            if (got := validate(of(SlotKind.BOOLEAN), said)) is not False
        } == {}

    @pytest.mark.parametrize("said", ["없지는 않아요", "없진 않아요"])
    def test_not_none_is_no_plain_no(self, said):
        assert validate(of(SlotKind.BOOLEAN), said) is not False

    def test_anything_else_is_neither(self):
        assert [
            said
            for said in ("글쎄요", "", "노래방", "noodles", "네팔", 2, -1)
            if not isinstance(validate(of(SlotKind.BOOLEAN), said), Invalid)
        ] == []


class TestIntegers:
    def test_a_number_with_its_unit_is_the_number(self):
        cases = [("3", 3), (" 12 번 ", 12), ("7시간", 7), ("-2", -2), (5, 5), ("0", 0), ("없어요", 0)]
        assert {said: got for said, value in cases if (got := validate(of(SlotKind.INTEGER), said)) != value} == {}

    def test_what_is_no_plain_number_does_not_hold(self):
        assert [
            said
            for said in ("세 번", "3 or 4", "1.5", "", True, "1234567890", "한 3번 정도 되는 것 같아요")
            if not isinstance(validate(of(SlotKind.INTEGER), said), Invalid)
        ] == []

    def test_bounds_are_included(self, subtests):
        for said, holds in ((0, False), (1, True), (10, True), (11, False), ("없어요", False)):
            with subtests.test(said=said):
                value = validate(of(SlotKind.INTEGER, minimum=1, maximum=10), said)
                assert (value == said) if holds else isinstance(value, Invalid)


class TestChoices:
    def test_is_found_whatever_its_case_and_given_as_it_is_written(self):
        assert validate(of(SlotKind.CHOICE), " NIGHT ") == "Night"

    def test_outside_the_list_nothing_holds(self):
        assert isinstance(validate(of(SlotKind.CHOICE), "점심"), Invalid)


def test_an_invalid_value_bears_the_slots_own_name_and_error(subtests):
    for kind in SlotKind:
        with subtests.test(kind=kind):
            found = validate(of(kind, minimum=1, maximum=2), "\u200b" if kind is not SlotKind.TEXT else "  ")
            assert found == Invalid(slot="answer", reason="that is no answer")


def test_words_that_mean_none():
    cases = [
        ("없어요", True), ("아무도 없어요", True), ("음, 딱히 없는데요", True), ("별로 없네", False),
        ("nobody", True), ("친구가 없어요", False), ("있어요", False), ("", False),
    ]  # fmt: skip
    assert {said: got for said, none in cases if (got := means_none(said)) is not none} == {}


@given(
    st.sampled_from(SlotKind),
    st.one_of(st.text(), st.integers(), st.booleans(), st.sampled_from(["네", "없어요", "아침", "3번", "지민"])),
)
def test_validation_never_raises_and_gives_the_right_type_or_the_slots_error(kind, raw):
    value = validate(of(kind), raw)
    if isinstance(value, Invalid):
        assert value.reason == "that is no answer"
    else:
        assert type(value) is TYPES[kind]


@given(st.sampled_from(SlotKind), st.one_of(st.text(), st.integers(), st.booleans()))
def test_a_valid_value_stays_valid_and_the_same(kind, raw):
    value = validate(of(kind), raw)
    if not isinstance(value, Invalid):
        assert validate(of(kind), value) == value
