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


def test_a_plan_shows_its_newest_covered_tasks_and_all_open_ones():
    def planned(name, **more):
        return task(name, Part.EXPLORATION, **more)

    waiting = [planned(f"open_{number}") for number in range(9)]
    covered = {"status": TaskStatus.SUFFICIENT, "sufficient_at": NOW}
    done = [planned(f"done_{number}", **covered) for number in range(MOST_DONE + 3)]
    closed = planned("closed", status=TaskStatus.COMPLETED, completed_at=NOW)
    shown = plan_in_prompt(session(task("of_another_part"), *done, closed, *waiting), Part.EXPLORATION)
    assert [one.id for one in shown] == [one.id for one in (*done[3:], *waiting)]


def test_a_slot_value_is_shown_in_words_under_its_label_or_under_its_name_if_the_slot_is_gone():
    for value, words in ((True, "네"), (False, "아니요"), (0, "0"), ("  언니 \n랑 ", "언니 랑")):
        assert known({"slot_1": value}) == {"Slot 1": words}
    assert known({"slot_1": False}, Locale.EN) == {"Slot 1": "no"}
    assert known({"old": "x"}) == {"old": "x"}


def test_a_quote_is_verbatim_regardless_of_spacing_punctuation_case_and_unicode_form():
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
def test_every_part_of_a_text_is_a_verbatim_quote(quote, before, after):
    assert is_verbatim_quote(quote, before + quote + after) or not quote.strip(" .,!")
    assert is_verbatim_quote(before, after) in (True, False)
