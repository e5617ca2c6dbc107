from shared.domain.conversation import Message, Role
from shared.services.counseling.dialogue import ANALYSIS_CHARACTERS, Line, lines
from tests.fakes.counselling import NOW


def message(text, role=Role.USER):
    return Message(seq=1, role=role, text=text, created_at=NOW)


def test_each_line_has_its_speaker():
    assert lines([message("안녕", Role.COUNSELOR), message("네")]) == (
        Line(speaker="counselor", text="안녕"),
        Line(speaker="user", text="네"),
    )


def test_the_newest_that_fit_are_shown():
    long = "x" * (ANALYSIS_CHARACTERS // 2)
    assert len(lines([message(long)] * 5)) == 2
    assert [line.text for line in lines([message("a" * 10), message("b" * 10), message("c" * 10)], 25)] == [
        "b" * 10,
        "c" * 10,
    ]
