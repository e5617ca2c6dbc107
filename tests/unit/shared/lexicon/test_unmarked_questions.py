"""Questions of a reply that end without a question mark."""

import pytest

from shared.lexicon.session_words import questions_of, without_questions

ASKS = (
    *("무엇이 가장 힘드셨나요.", "그 뒤로 어떻게 지내셨을까요.", "지금은 어떤가요."),
    *("조금 더 들려주시겠어요.", "잠은 주무십니까.", "그때 누가 곁에 있었어요.", "무슨 일이 있었어요."),
    *("누구한테 말했어요.", "그래서 어떻게 했어요.", "그 일이 언제였어요."),
    *("그때 어떤 말을 들으셨어요.", "어느 학교를 다니셨어요."),
)
TELLS = (
    *("화가 나요.", "눈물이 나요.", "많이 힘드시겠어요.", "얼마나 힘드셨을까요."),
    *("혼자 집에 가요.", "그러니까 지치셨군요.", "누가 곁에 있어 주면 좋겠어요.", "누가 봐도 애쓰셨어요."),
    *("무슨 말을 해도 소용이 없었어요.", "왜 그랬는지 들려주셨어요.", "누가 왔다 가면 더 허전하셨어요."),
)


@pytest.mark.parametrize("sentence", ASKS)
def test_count_as_questions_and_are_left_out(sentence):
    assert questions_of(f"그러셨군요. {sentence}") == (sentence,)
    assert without_questions(f"그러셨군요. {sentence}") == "그러셨군요."


@pytest.mark.parametrize("sentence", TELLS)
def test_are_not_what_only_sounds_like_one(sentence):
    assert questions_of(sentence) == ()
