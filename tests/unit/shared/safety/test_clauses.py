"""Behaviour of the borders between clauses."""

from shared.safety.reading import Reading


def _clause(text, words):
    begin = text.index(words)
    first, last = Reading(text).clause((begin, begin + len(words)))
    return text[first:last]


def test_a_connective_or_a_mark_ends_a_clause():
    clauses = {
        "영화 보다가 울었는데 죽고 싶어": "죽고 싶어",
        "게임하다가 죽고 싶어": "죽고 싶어",
        "답답하고 죽고 싶어": "죽고 싶어",
        "울고 나서 죽고 싶어": "죽고 싶어",
        "밥은 먹지만 죽고 싶어": "죽고 싶어",
        "밥 먹고 웃으면서도 죽고 싶어": "웃으면서도 죽고 싶어",
        "친구가 웃었는데죽고 싶어": "죽고 싶어",
        "죽고 싶어, 밥은 먹었어": "죽고 싶어, ",
        "죽고 싶은데 밥은 먹었어": "죽고 싶은데 ",
        "영화 봤다. 죽고 싶어": "죽고 싶어",
        "친구도 없고 이렇게 죽고 싶어": "이렇게 죽고 싶어",
        "영화 봤어요 죽고 싶어": "죽고 싶어",
        "영화 봤다 죽고 싶어": "죽고 싶어",
        "영화 봤어 죽고 싶어": "죽고 싶어",
        "집에 있어 죽고 싶어": "죽고 싶어",
        "운동 중에 죽고 싶어": "죽고 싶어",
        "비가 와요. 수술 뒤로 죽고 싶어": "죽고 싶어",
        "필요 없고 중요 부위 죽고 싶어": "중요 부위 죽고 싶어",
    }
    assert {text: _clause(text, "죽고 싶") for text in clauses} == clauses


def test_a_quotation_an_auxiliary_and_a_particle_end_none():
    texts = (
        "죽고 싶다고 한 적 없어요",
        "죽고 싶어 하고 있어",
        "학교에서 죽고 싶어",
        "친구가 수업 중에 죽고 싶",
        "혼자서 죽고 싶어",
        "죽고 싶으려고 해",
        "주머니까지 죽고 싶",
    )
    assert {text: _clause(text, "죽고 싶") for text in texts} == {text: text for text in texts}


def test_a_cause_right_before_belongs_to_an_idiom():
    assert _clause("날이 너무 더워서 죽겠다", "죽겠") == "더워서 죽겠다"
    assert _clause("더워서 죽겠다", "죽겠") == "더워서 죽겠다"


def test_an_english_conjunction_begins_a_clause():
    joints = ("and ", "but ", "so ", "because ", "then ")
    clauses = {joint: _clause(f"i saw a film {joint}i want to die", "want to die") for joint in joints}
    assert clauses == {joint: f"{joint}i want to die" for joint in joints}


def test_words_of_several_clauses_have_all_of_them():
    assert _clause("a film, i cut it and i bleed, that is all", "cut it and i bleed") == "i cut it and i bleed, "
