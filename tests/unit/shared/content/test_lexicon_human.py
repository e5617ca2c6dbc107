"""Asking whether it is a person, in many words; and talking of people, machines and AI without asking."""

import unicodedata

import pytest

from shared.content.catalogue import content
from tests.support.sentences import sentences

ASKED = content().lexicon.asks_if_human
ROWS = sentences("asks_if_human")


def test_asking_whether_it_is_a_person_is_recognised():
    assert [text for texts in ROWS["asking"].values() for text in texts if not ASKED(text)] == []


def test_talking_of_people_and_machines_is_no_question_about_cbot():
    assert [text for texts in ROWS["not_asking"].values() for text in texts if ASKED(text)] == []


@pytest.mark.parametrize(
    "written",
    [
        str.upper,
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: f"  {text.replace(' ', '  ')}  ㅋㅋㅋ",
        lambda text: f"오늘 좀 힘들었어요. {text}" if len(text) > 8 else text,
        lambda text: f"{text} 궁금해서요." if len(text) > 8 else text,
    ],
    ids=["capitals", "decomposed", "blanks_and_laughter", "behind_a_sentence", "before_a_sentence"],
)
def test_how_it_is_written_makes_no_difference(written):
    questions = [f"{text.rstrip('?')}?" for texts in ROWS["asking"].values() for text in texts]
    assert [text for text in questions if not ASKED(written(text))] == []


def test_what_may_tell_of_somebody_else_asks_only_with_a_question_mark():
    texts = ("상담사예요", "정신과 의사세요", "상담하는 분이에요", "i'm talking to a therapist")
    assert [text for text in texts if ASKED(f"{text}.")] == []
    assert [text for text in texts if not ASKED(f"{text}?") or not ASKED(f"안녕하세요. {text}??")] == []


def test_the_lists_are_long_enough_to_mean_something():
    assert min(len(texts) for part in ROWS.values() for texts in part.values()) >= 60


def test_an_endless_question_costs_no_time():
    words = (
        "혹시 근데 솔직히 진짜 사람 ",
        "so wait hey but and well ",
        "사람이 ai가 아니라 ",
        "너 진짜 혹시, ",
        "진짜 면허 있는 상담사 아니면 ",
        "am i talking to a real licensed ",
    )
    assert [some for some in words if ASKED(some * 600)] == []
