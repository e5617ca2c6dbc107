"""What code counts in the judged replies."""

import pytest

from functions.supervisor.judgement import MOST_LETTERS, NO_OCCASION, Counts, Exchange, count
from shared.content.catalogue import content
from shared.domain.counseling.supervision import Criterion
from shared.locale import Locale, Register

SENTENCE = "그 밤이 참 길게 느껴지셨겠어요."
ASKS = "어떤 마음이 들었어요?"


def counted(*replies: str, said: str = "며칠째 잠을 못 자고 있어요", locale=Locale.KO, register=Register.FORMAL):
    exchanges = [Exchange(said=said, reply=reply) for reply in replies]
    return count(exchanges, locale, register, content().guard_rules)


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (f"{SENTENCE} {ASKS}", 9),
        (" ".join([SENTENCE] * 4), 8),
        (f"{'그 밤이 길고 길어서 ' * 10}힘드셨겠어요.", 8),
        (" ".join([SENTENCE] * 5), 6),
        (" ".join([SENTENCE] * 7), 4),
        ("가 " * (MOST_LETTERS[Locale.KO] * 2), 2),
        ("네.", 2),
    ],
)
def test_the_length_follows_the_rubrics_bands(reply, score):
    assert counted(reply).length == score


def test_the_length_is_the_mean_rounded_down():
    assert counted(f"{SENTENCE} {ASKS}", " ".join([SENTENCE] * 4)).length == 8
    assert counted().length == NO_OCCASION


@pytest.mark.parametrize(
    ("reply", "cap"),
    [
        (SENTENCE, 10),
        (f"“왜 나만?” 하셨군요. {ASKS}", 10),
        (f"{ASKS} {ASKS}", 4),
        (f"{ASKS} {ASKS} {ASKS}", 2),
        (f"{SENTENCE} 정말요?! {ASKS}", 4),
        (f"{SENTENCE} 그래서… ? {ASKS}", 4),
        (f"{SENTENCE} 정말요??", 10),
    ],
)
def test_the_reply_with_the_most_questions_caps_their_score(reply, cap):
    counts = counted(SENTENCE, reply)
    assert counts.question_cap == cap
    assert (Criterion.APPROPRIATE_QUESTIONS in counts.low) == (cap < 10)


@pytest.mark.parametrize(
    ("replies", "register", "score", "broken"),
    [
        ((SENTENCE, ASKS), Register.FORMAL, 9, False),
        (("“괜찮아.”라고 했군요.", '"괜찮아." 그 말이 남으셨군요.'), Register.FORMAL, 9, False),
        ((f"{SENTENCE} 많이 힘들었겠구나.",), Register.FORMAL, 6, True),
        ((f"{SENTENCE} {SENTENCE} 힘들었겠구나.", f"{SENTENCE} 그랬구나."), Register.FORMAL, 2, True),
        (("그랬구나. 힘들었겠구나.", SENTENCE), Register.FORMAL, 4, True),
        (("그랬구나.", "어떤 마음이 들었어?"), Register.CASUAL, 9, False),
        ((SENTENCE,), Register.CASUAL, 6, True),
    ],
)
def test_the_register_of_every_sentence_is_counted(replies, register, score, broken):
    counts = counted(*replies, register=register)
    assert (counts.register_score, counts.register_broken) == (score, broken)
    assert (Criterion.REGISTER in counts.low) == broken


def test_english_has_no_register():
    counts = counted("That night was long. What was it like?", locale=Locale.EN)
    assert counts == Counts(length=9)
