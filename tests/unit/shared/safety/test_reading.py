"""Behaviour of one text and its sentences."""

from shared.safety.reading import Reading


def test_a_sentence_keeps_its_mark_and_knows_its_positions():
    reading = Reading("하나. 둘?! 셋")
    assert [reading.sentence(number) for number in range(4)] == [(0, 3), (3, 6), (6, 7), (7, 9)]
    assert [reading.sentence_at(at) for at in (0, 2, 3, 6, 8, 9)] == [0, 0, 1, 2, 3, 3]


def test_a_text_without_words_is_one_empty_sentence():
    assert (Reading("").sentence_at(0), Reading("").sentence(0)) == (0, (0, 0))


def test_a_letter_is_found_in_its_sentence_whatever_the_blanks():
    reading = Reading("가 나. 다 라 마")
    assert reading.squeezed == "가나.다라마"
    assert [reading.sentence_of_letter(number) for number in range(6)] == [0, 0, 0, 1, 1, 1]


def test_what_begins_with_the_last_syllable_of_a_word_is_told_from_a_particle_and_from_a_word():
    inside = {("인생 사진", 1): True, ("그 생 사", 2): False, ("차에 뛰어들", 1): False}
    assert {(text, at): Reading(text).begins_inside_word((at, len(text))) for text, at in inside} == inside
