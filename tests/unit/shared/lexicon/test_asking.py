"""What of a reply asks the user for something."""

import pytest

from shared.lexicon.asking import asks_of, without_asks

INVITING = (
    *("말해 주세요.", "조금 더 들려주실래요", "그때 이야기를 해 줄래요.", "괜찮으시면 조금 더 들려주세요."),
    *("어떤 마음이었는지 저한테 말해 줘.", "그 얘기를 더 듣고 싶어요.", "무엇이 제일 무거웠는지 궁금해요."),
    *("지금 계신 곳이 안전한지 알고 싶어요.", "I want to know how you sleep."),
    *("함께 있던 때를 말씀해 주세요.", "Tell me a little more.", "I'd like to hear what happened."),
)
NOT_INVITING = (
    *(
        "천천히 말씀해 주세요.",
        "떠오르는 대로 편하게 이야기해 주세요.",
        "말해 줘서 고마워요.",
        "힘들면 언제든 말해 주세요.",
    ),
    *(
        "떠오르는 게 있으면 그때 들려주세요.",
        "선생님께 꼭 말해 주세요.",
        "친구한테 말해 보세요.",
        "119에 다친 곳을 알려 주세요.",
    ),
    *("편하게 말씀하셔도 돼요.", "지금 바로 전화해 주세요.", "Take your time.", "Tell me whenever you like."),
)
WITHOUT_MARK = (
    "요즘 잠은 어떠세요.",
    "무엇이 힘든가요.",
    "언제부터 그러셨어요.",
    "그때 괜찮았니.",
    "무슨 생각이 드나요.",
    "같이 볼까요.",
    *("누가 아나요.", "언제 시작됐나요.", "둘째 언제부터예요.", "무엇이 힘드세요.", "잠은 잘 주무시는지요."),
)
STATEMENTS = (
    *(
        "눈물이 나요.",
        "마음을 달래요.",
        "어떤 분들은 그럴 때 울기도 해요.",
        "원래 그래요.",
        "언제든 괜찮아요.",
        "얼마나 힘드셨을까요.",
    ),
    *(
        "하루에 몇 번씩 열어 본다는 이야기로 들었어요.",
        "누구와 있어도 외로우셨어요.",
        "그 마음도 여기에서 계속 듣고 싶어요.",
    ),
    *("무엇이든 괜찮아요.", "누가 뭐래도 쉬세요.", "왜인지 눈물이 나요.", "얼마나 힘드셨는지요.", "무엇보다 쉬세요."),
    *("확인된 곳만 알려 줄 수 있어.", "그 마음을 제대로 알고 싶어요."),
)
JOINED = {
    "언제부터, 어디서, 누구와 그랬어요?": 3,
    "언제 어디서 그랬어요?": 2,
    "언제부터, 그리고 왜 그러셨어요?": 2,
    "언제부터 그러셨고, 어디서 그러셨어요? 네.": 2,
    "어떤 마음이 들었고 왜 그랬어? 응.": 2,
    "언제부터 그랬는지, 누구와 있었는지 들려주세요.": 2,
    "언제부터, 어디서요?": 2,
    "언제부터 그러셨는지, 잠은 잘 주무시는지, 식사는 하시는지 알고 싶어요.": 3,
    "잠은 잘 주무시는지, 식사는 하시는지 궁금해요.": 2,
    "누구와 지내시는지요 그리고 일은 언제부터 하셨는지요": 2,
    "언제부터 그러셨나요 그리고 잠은 주무시나요": 2,
    "잠은 주무시나요, 식사는 하시나요?": 2,
    "언제부터 그랬어, 그리고 잠은 잘 자?": 2,
    "그렇군요, 잠은 잘 주무세요, 밥은 드세요?": 2,
    "식사는 제때 하셨어요, 약은 드셨어요?": 2,
    "잠은 잘 자, 밥은 먹어?": 2,
    "언제였는지, 누구와였는지 알려 주세요.": 2,
    "When did it start and are you sleeping?": 2,
    "When did it start, and how did you feel?": 2,
    "When, where and with whom did it happen?": 2,
}
ONE = (
    *("일인가요, 사람인가요?", "어느 쪽이 더 힘드세요, 일인가요, 사람인가요?", "몇 시에 누워서 몇 시에 잠드세요?"),
    *("언제, 어떻게 하겠다는 생각까지 하셨나요?", "뭐가 힘든지, 어디서부터 말할지 모르겠는 마음인가요?"),
    *("잠이 안 오는 건지, 자꾸 깨는 건지 궁금해요.", "괜찮으신가요 아니면 힘드신가요?", "How did you feel and decide?"),
    "무슨 말인지 알 것 같아요, 어떤 마음이셨어요?",
    *("그러셨군요, 많이 힘드셨겠어요, 지금은 어떠세요?", "잘 오셨어요, 오늘은 어떤 이야기를 할까요?"),
    *("편하게 말씀하세요, 마음은 좀 어떠세요?", "밤에는 푹 주무세요, 기분은 괜찮으세요?"),
    "오늘은 좀 어떠세요, 어제보다 나으세요?",
    *("“왜, 어디서?” 하고 물으셨나요?", "언제든, 어디서든 그런가요?", "How often and how strongly is it there?"),
)
NONE = ("어떤 마음이었는지, 왜 그러셨는지 알 것 같아요.", "“언제부터 그랬어요?”라고 물었군요.", "https://a.kr/?q=1")


@pytest.mark.parametrize("sentence", [*INVITING, *WITHOUT_MARK])
def test_an_invitation_and_a_question_without_its_mark_are_what_a_reply_asks(sentence):
    assert asks_of(f"그러셨군요. {sentence}") == (sentence,)
    assert without_asks(f"그러셨군요. {sentence}") == "그러셨군요."


@pytest.mark.parametrize("sentence", [*NOT_INVITING, *STATEMENTS, *NONE])
def test_leave_to_take_time_advice_and_statements_ask_nothing(sentence):
    assert asks_of(sentence) == ()


@pytest.mark.parametrize("sentence", JOINED)
def test_of_several_questions_in_one_sentence_each_counts(sentence):
    assert len(asks_of(sentence)) == JOINED[sentence]


@pytest.mark.parametrize("sentence", ONE)
def test_a_choice_and_what_is_only_reported_are_one_question(sentence):
    assert len(asks_of(sentence)) == 1
