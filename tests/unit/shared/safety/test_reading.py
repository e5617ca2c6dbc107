from shared.safety.reading import Reading


def test_a_sentence_has_its_mark_and_positions_and_an_empty_text_has_one_empty_sentence():
    reading = Reading("하나. 둘?! 셋")
    assert [reading.sentence(number) for number in range(4)] == [(0, 3), (3, 6), (6, 7), (7, 9)]
    assert [reading.sentence_at(at) for at in (0, 2, 3, 6, 8, 9)] == [0, 0, 1, 2, 3, 3]
    assert (Reading("").sentence_at(0), Reading("").sentence(0)) == (0, (0, 0))


def test_the_sentence_of_a_letter_is_found_in_the_text_without_blanks():
    reading = Reading("가 나. 다 라 마")
    assert reading.squeezed == "가나.다라마"
    assert [reading.sentence_of_letter(number) for number in range(6)] == [0, 0, 0, 1, 1, 1]


def test_a_match_that_begins_inside_a_word_is_distinguished_from_one_after_it():
    inside = {("인생 사진", 1): True, ("그 생 사", 2): False, ("차에 뛰어들", 1): False}
    assert {(text, at): Reading(text).begins_inside_word((at, len(text))) for text, at in inside} == inside


def _clause(text, words):
    begin = text.index(words)
    first, last = Reading(text).clause((begin, begin + len(words)))
    return text[first:last]


def test_a_connective_or_a_punctuation_mark_ends_a_clause():
    alone = (
        *("영화 보다가 울었는데 죽고 싶어", "게임하다가 죽고 싶어", "답답하고 죽고 싶어"),
        *("울고 나서 죽고 싶어", "밥은 먹지만 죽고 싶어", "친구가 웃었는데죽고 싶어", "영화 봤다. 죽고 싶어"),
        *("영화 봤어요 죽고 싶어", "영화 봤다 죽고 싶어", "영화 봤어 죽고 싶어", "집에 있어 죽고 싶어"),
        *("운동 중에 죽고 싶어", "비가 와요. 수술 뒤로 죽고 싶어"),
    )
    clauses = dict.fromkeys(alone, "죽고 싶어") | {
        "밥 먹고 웃으면서도 죽고 싶어": "웃으면서도 죽고 싶어",
        "죽고 싶어, 밥은 먹었어": "죽고 싶어, ",
        "죽고 싶은데 밥은 먹었어": "죽고 싶은데 ",
        "친구도 없고 이렇게 죽고 싶어": "이렇게 죽고 싶어",
        "필요 없고 중요 부위 죽고 싶어": "중요 부위 죽고 싶어",
    }
    assert {text: _clause(text, "죽고 싶") for text in clauses} == clauses


def test_a_quotation_an_auxiliary_or_a_particle_ends_no_clause():
    texts = (
        *("죽고 싶다고 한 적 없어요", "죽고 싶어 하고 있어", "학교에서 죽고 싶어", "친구가 수업 중에 죽고 싶"),
        *("혼자서 죽고 싶어", "죽고 싶으려고 해", "주머니까지 죽고 싶"),
    )
    assert {text: _clause(text, "죽고 싶") for text in texts} == {text: text for text in texts}


def test_a_cause_directly_before_an_idiom_is_in_its_clause():
    assert _clause("날이 너무 더워서 죽겠다", "죽겠") == _clause("더워서 죽겠다", "죽겠") == "더워서 죽겠다"


def test_an_english_conjunction_begins_a_clause_and_a_longer_match_spans_several_clauses():
    joints = ("and ", "but ", "so ", "because ", "then ")
    clauses = {joint: _clause(f"i saw a film {joint}i want to die", "want to die") for joint in joints}
    assert clauses == {joint: f"{joint}i want to die" for joint in joints}
    assert _clause("a film, i cut it and i bleed, that is all", "cut it and i bleed") == "i cut it and i bleed, "
