"""What the user answers to the protocol: yes, that they are safe, or that they want numbers."""

import pytest

from shared.content.catalogue import content
from shared.safety.reassurance import Reassurance
from tests.builders.sentences import sentences

SAID = sentences("safety/crisis_answers")

_read = content().screening.screen


@pytest.mark.parametrize("kind", Reassurance)
def test_every_kind_of_reassurance_holds_the_examples_beside_it(kind):
    words = getattr(content().crisis_replies.written.safe, kind.value)
    assert [text for text in words.positives if kind not in content().crisis_answers.reassurances(_read(text))] == []
    assert [text for text in words.negatives if kind in content().crisis_answers.reassurances(_read(text))] == []


def test_beside_a_decision_hiding_fear_or_violence_no_word_of_safety_counts():
    doubts = content().crisis_replies.written.safe.doubt.positives
    both = [*doubts, *(f"지금은 안전해요. {text}" for text in doubts)]
    assert {text: said for text in both if (said := content().crisis_answers.reassurances(_read(text)))} == {}


def test_other_words_leave_it_counted():
    negatives = content().crisis_replies.written.safe.doubt.negatives
    assert [text for text in negatives if not content().crisis_answers.reassurances(_read(text))] == []


@pytest.mark.parametrize(
    ("heard", "meant", "not_meant"),
    [
        (lambda text: content().crisis_answers.reassurances(_read(text)), "safe", "not_safe"),
        (content().crisis_answers.asks_directly, "asks_directly", "does_not_ask"),
        (lambda text: content().crisis_answers.asks_resources(_read(text)), "asks_resources", "asks_none"),
    ],
    ids=["a_word_of_safety", "a_direct_question", "a_request_for_resources"],
)
def test_what_is_meant_is_heard_and_nothing_that_only_sounds_like_it(heard, meant, not_meant):
    assert [text for text in SAID[meant] if not heard(text)] == []
    assert [text for text in SAID[not_meant] if heard(text)] == []


def test_a_yes_to_the_question_whether_they_want_to_die_is_told_from_everything_else():
    written = content().crisis_replies.written.admits
    assert [text for text in written.positives if not content().crisis_answers.admits(_read(text))] == []
    assert [text for text in written.negatives if content().crisis_answers.admits(_read(text))] == []


def test_one_of_the_family_is_near_who_hurts_them_and_company_who_was_not_told_of():
    written = content().crisis_replies.written.named_near
    assert [text for text in written.positives if not content().crisis_answers.named_near(_read(text), "")] == []
    assert [text for text in written.negatives if content().crisis_answers.named_near(_read(text), "")] == []
    assert content().crisis_answers.named_near(_read("아빠는 집에 있어요"), "아빠가 때려요")
    assert content().crisis_answers.named_near(_read("어머니가 집에 있어요"), "엄마가 때려요")
    assert content().crisis_answers.named_near(_read("그 사람이 집에 있어요"), "남편이 때려요")
    assert not content().crisis_answers.named_near(_read("엄마가 옆에 있어요"), "아빠가 때려요")
    assert not content().crisis_answers.named_near(_read("지금 엄마 집에 있어요"), "남편이 때려요")


@pytest.mark.parametrize(
    "answer",
    [
        content().crisis_answers.acted,
        content().crisis_answers.act_named,
        content().crisis_answers.done,
        content().crisis_answers.soon,
        content().crisis_answers.about_me,
        content().crisis_answers.violence_near,
        content().crisis_answers.danger_near_them,
        content().crisis_answers.harm_near,
        content().crisis_answers.place_named,
    ],
)
def test_an_answer_to_the_protocol_is_told_from_everything_else(answer):
    written = getattr(content().crisis_replies.written, answer.__name__)
    assert [text for text in written.positives if not answer(_read(text))] == []
    assert [text for text in written.negatives if answer(_read(text))] == []


def test_every_question_of_the_protocol_about_their_own_death_is_known_as_one_and_no_other_follows_it():
    written = content().crisis_replies.written
    for texts in (*dict(written.replies.concern).values(), *dict(written.ask_directly).values()):
        assert [text for text in texts if not content().crisis_answers.asks_directly(text, last=True)] == []


def test_only_what_is_asked_last_counts_where_it_must():
    assert not content().crisis_answers.asks_directly("혹시 죽고 싶다는 뜻인가요? 곁에 누가 있나요?", last=True)
