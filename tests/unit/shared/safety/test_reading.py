"""Behaviour of one text and its sentences."""

from bisect import bisect_right

from shared.safety.reading import Reading


def test_a_sentence_keeps_its_mark_and_knows_its_positions():
    reading = Reading("하나. 둘?! 셋")
    assert reading.said == ["하나.", " 둘?", "!", " 셋"]
    assert [reading.sentence(number) for number in range(4)] == [(0, 3), (3, 6), (6, 7), (7, 9)]
    assert [reading.sentence_at(at) for at in (0, 2, 3, 6, 8, 9)] == [0, 0, 1, 2, 3, 3]


def test_a_text_without_words_has_no_sentences():
    assert Reading("").said == []
    assert Reading("").sentence_at(0) == 0


def test_a_place_is_that_of_the_text_without_its_spaces():
    reading = Reading("가 나다 나")
    assert reading.squeezed == "가나다나"
    assert [place + bisect_right(reading.spaces, place) for place in range(4)] == [0, 2, 3, 5]


def test_a_part_is_a_text_of_its_own():
    assert Reading("하나. 둘? 셋").part((3, 6)).text == " 둘?"


def test_what_another_reading_does_not_have_comes_with_the_sentences_around_it():
    plain, joined = Reading("가. 나. 다. 라. 마. 바. 사"), Reading("가. 나. 닭. 라. 마. 바. 사")
    assert plain.differing(joined.text, around=0).text == " 닭."
    assert plain.differing(joined.text, around=1).text == "! 나. 닭. 라.".replace("! ", "!  ")
    assert joined.differing(joined.text, around=1).text == ""


def test_what_stands_apart_is_kept_as_many_sentences_apart():
    plain, other = Reading("가. 나. 다. 라. 마. 바"), Reading("곰. 나. 다. 라. 마. 밤")
    differing = plain.differing(other.text, around=1)
    assert differing.text == "곰. 나.!  마. 밤"
    assert len(differing.said) == 5


def test_sentences_around_two_differences_come_once():
    plain, other = Reading("가. 나. 다. 라. 마"), Reading("곰. 나. 달. 라. 마")
    assert plain.differing(other.text, around=1).text == "곰. 나. 달. 라."
