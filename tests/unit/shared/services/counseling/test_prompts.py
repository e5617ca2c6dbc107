"""What a prompt shows of a session: its dialogue, its plan, what is known; and what counts as said in it."""

from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.domain.counseling.task import Part, TaskStatus
from shared.locale import Locale, Register
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.plan import MOST_DONE, plan_in_prompt
from shared.services.counseling.prompt_slots import slots_for_prompt
from tests.builders.sessions import NOW, session, slot, task

SAID = "요즘 회사 일 때문에, 잠을 못 자요… “정말” 힘들어요!"


def known(values, locale=Locale.KO):
    state = session(task(required_slots=(slot("slot_1", label="Slot 1"),)), user_info=values)
    return slots_for_prompt(state, content().messages(locale, Register.FORMAL))


def test_of_a_plan_the_newest_that_is_done_is_shown_and_all_that_is_open_but_nothing_that_was_closed_untouched():
    def planned(name, **more):
        return task(name, Part.EXPLORATION, **more)

    waiting = [planned(f"open_{number}") for number in range(9)]
    covered = {"status": TaskStatus.SUFFICIENT, "sufficient_at": NOW}
    done = [planned(f"done_{number}", **covered) for number in range(MOST_DONE + 3)]
    closed = planned("closed", status=TaskStatus.COMPLETED, completed_at=NOW)
    shown = plan_in_prompt(session(task("of_another_part"), *done, closed, *waiting), Part.EXPLORATION)
    assert [one.id for one in shown] == [one.id for one in (*done[3:], *waiting)]


def test_a_value_is_shown_as_one_says_it_by_its_label_or_its_name_where_the_slot_is_gone():
    cases = [
        (True, Locale.KO, "네"),
        (False, Locale.KO, "아니요"),
        (False, Locale.EN, "no"),
        (0, Locale.KO, "0"),
        ("  언니 \n랑 ", Locale.KO, "언니 랑"),
    ]
    assert [known({"slot_1": value}, locale=locale) for value, locale, _ in cases] == [
        {"Slot 1": words} for *_, words in cases
    ]
    assert known({"old": "x"}) == {"old": "x"}


def test_words_that_were_said_count_whatever_their_spacing_marks_case_and_form():
    said = [
        "잠을 못 자요",
        "잠을못자요",
        "“잠을 못 자요.”",
        "회사 일 때문에 잠을",
        "정말 힘들어요",
        "  힘들어요  ",
        SAID,
    ]
    assert [quote for quote in said if not is_verbatim_quote(quote, SAID)] == []
    others = {"MY BOSS": "it is my boss.", "\u1112\u1161\u11ab": "한", "‹b›안녕": "<b>안녕"}
    assert {quote: text for quote, text in others.items() if not is_verbatim_quote(quote, text)} == {}
    not_said = ("잠을 잘 자요", "일 때문에 회사", "", "  ", "...", "“”", "저는 지민이에요")
    assert [quote for quote in not_said if is_verbatim_quote(quote, SAID)] == []


@given(st.text(alphabet="가나다 .,!", min_size=1), st.text(), st.text())
def test_a_part_of_any_text_was_said(quote, before, after):
    assert is_verbatim_quote(quote, before + quote + after) or not quote.strip(" .,!")
    assert is_verbatim_quote(before, after) in (True, False)
