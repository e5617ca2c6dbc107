"""Behaviour of the borders between clauses."""

import pytest

from shared.safety.reading import Reading


def _clause(text, words):
    begin = text.index(words)
    first, last = Reading(text).clause((begin, begin + len(words)))
    return text[first:last]


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("영화 보다가 울었는데 죽고 싶어", "죽고 싶어"),
        ("게임하다가 죽고 싶어", "죽고 싶어"),
        ("답답하고 죽고 싶어", "죽고 싶어"),
        ("울고 나서 죽고 싶어", "죽고 싶어"),
        ("밥은 먹지만 죽고 싶어", "죽고 싶어"),
        ("밥 먹고 웃으면서도 죽고 싶어", "웃으면서도 죽고 싶어"),
        ("친구가 웃었는데죽고 싶어", "죽고 싶어"),
        ("죽고 싶어, 밥은 먹었어", "죽고 싶어, "),
        ("죽고 싶은데 밥은 먹었어", "죽고 싶은데 "),
        ("영화 봤다. 죽고 싶어", "죽고 싶어"),
        ("친구도 없고 이렇게 죽고 싶어", "이렇게 죽고 싶어"),
        ("영화 봤어요 죽고 싶어", "죽고 싶어"),
        ("영화 봤다 죽고 싶어", "죽고 싶어"),
        ("영화 봤어 죽고 싶어", "죽고 싶어"),
        ("집에 있어 죽고 싶어", "죽고 싶어"),
        ("운동 중에 죽고 싶어", "죽고 싶어"),
        ("비가 와요. 수술 뒤로 죽고 싶어", "죽고 싶어"),
        ("필요 없고 중요 부위 죽고 싶어", "중요 부위 죽고 싶어"),
    ],
)
def test_a_connective_or_a_mark_ends_a_clause(text, clause):
    assert _clause(text, "죽고 싶") == clause


@pytest.mark.parametrize(
    "text",
    [
        "죽고 싶다고 한 적 없어요",
        "죽고 싶어 하고 있어",
        "학교에서 죽고 싶어",
        "친구가 수업 중에 죽고 싶",
        "혼자서 죽고 싶어",
        "죽고 싶으려고 해",
        "주머니까지 죽고 싶",
    ],
)
def test_a_quotation_an_auxiliary_and_a_particle_end_none(text):
    assert _clause(text, "죽고 싶") == text


def test_a_cause_right_before_belongs_to_an_idiom():
    assert _clause("날이 너무 더워서 죽겠다", "죽겠") == "더워서 죽겠다"
    assert _clause("더워서 죽겠다", "죽겠") == "더워서 죽겠다"


@pytest.mark.parametrize("joint", ["and ", "but ", "so ", "because ", "then "])
def test_an_english_conjunction_begins_a_clause(joint):
    assert _clause(f"i saw a film {joint}i want to die", "want to die") == f"{joint}i want to die"


def test_words_of_several_clauses_have_all_of_them():
    assert _clause("a film, i cut it and i bleed, that is all", "cut it and i bleed") == "i cut it and i bleed, "


@pytest.mark.parametrize(("text", "inside"), [("인생 사진", True), ("그 생 사", False), ("차에 뛰어들", False)])
def test_what_begins_with_the_last_syllable_of_a_word_is_told_from_a_particle(text, inside):
    begin = len(text.split(" ")[0]) - 1 if text != "그 생 사" else 2
    assert Reading(text).begins_inside_word((begin, len(text))) is inside
