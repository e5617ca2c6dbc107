"""What the user answers to the protocol: yes, that they are safe, or that they want numbers."""

import pytest

from shared.content.crisis_answers import (
    about_me,
    act_named,
    acted,
    admits,
    asks_directly,
    asks_resources,
    danger_near_them,
    done,
    harm_near,
    named_near,
    place_named,
    reassurances,
    soon,
    violence_near,
)
from shared.content.crisis_protocol import protocol
from shared.content.safety_rules import screening
from shared.safety.reassurance import Reassurance
from tests.support.sentences import sentences

SAID = sentences("safety/crisis_answers")

_read = screening().screen


@pytest.mark.parametrize("kind", Reassurance)
def test_every_kind_of_reassurance_holds_the_examples_beside_it(kind):
    words = getattr(protocol().safe, kind.value)
    assert [text for text in words.positives if kind not in reassurances(_read(text))] == []
    assert [text for text in words.negatives if kind in reassurances(_read(text))] == []


def test_beside_a_decision_hiding_fear_or_violence_no_word_of_safety_counts():
    doubts = protocol().safe.doubt.positives
    both = [*doubts, *(f"지금은 안전해요. {text}" for text in doubts)]
    assert {text: said for text in both if (said := reassurances(_read(text)))} == {}


def test_other_words_leave_it_counted():
    assert [text for text in protocol().safe.doubt.negatives if not reassurances(_read(text))] == []


def test_the_user_says_that_they_are_safe():
    assert [text for text in SAID["safe"] if not reassurances(_read(text))] == []


def test_politeness_a_negation_irony_or_a_crisis_is_no_word_of_safety():
    assert {text: said for text in SAID["not_safe"] if (said := reassurances(_read(text)))} == {}


def test_a_yes_to_the_question_whether_they_want_to_die_is_told_from_everything_else():
    written = protocol().admits
    assert [text for text in written.positives if not admits(_read(text))] == []
    assert [text for text in written.negatives if admits(_read(text))] == []


def test_one_of_the_family_is_near_who_hurts_them_and_company_who_was_not_told_of():
    written = protocol().named_near
    assert [text for text in written.positives if not named_near(_read(text), "")] == []
    assert [text for text in written.negatives if named_near(_read(text), "")] == []
    assert named_near(_read("아빠는 집에 있어요"), "아빠가 때려요")
    assert named_near(_read("어머니가 집에 있어요"), "엄마가 때려요")
    assert named_near(_read("그 사람이 집에 있어요"), "남편이 때려요")
    assert not named_near(_read("엄마가 옆에 있어요"), "아빠가 때려요")
    assert not named_near(_read("지금 엄마 집에 있어요"), "남편이 때려요")


@pytest.mark.parametrize(
    "answer", [acted, act_named, done, soon, about_me, violence_near, danger_near_them, harm_near, place_named]
)
def test_an_answer_to_the_protocol_is_told_from_everything_else(answer):
    written = getattr(protocol(), answer.__name__)
    assert [text for text in written.positives if not answer(_read(text))] == []
    assert [text for text in written.negatives if answer(_read(text))] == []


def test_every_question_of_the_protocol_about_their_own_death_is_known_as_one_and_no_other_follows_it():
    written = protocol()
    for texts in (*dict(written.replies.concern).values(), *dict(written.ask_directly).values()):
        assert [text for text in texts if not asks_directly(text, last=True)] == []


def test_a_direct_question_is_heard_in_a_reply():
    assert [reply for reply in SAID["asks_directly"] if not asks_directly(reply)] == []


def test_an_evasion_or_a_question_about_somebody_else_is_no_direct_question():
    assert [reply for reply in SAID["does_not_ask"] if asks_directly(reply)] == []


def test_only_what_is_asked_last_counts_where_it_must():
    assert not asks_directly("혹시 죽고 싶다는 뜻인가요? 곁에 누가 있나요?", last=True)


def test_the_user_asks_for_resources():
    assert [text for text in SAID["asks_resources"] if not asks_resources(_read(text))] == []


def test_other_numbers_and_what_one_has_done_or_has_are_no_request_for_resources():
    assert [text for text in SAID["asks_none"] if asks_resources(_read(text))] == []
