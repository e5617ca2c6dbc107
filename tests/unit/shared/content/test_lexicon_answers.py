"""What a reply to "shall we stop here?" means, and who asks to end."""

import pytest

from shared.content.catalogue import content
from shared.content.lexicon import Answer

LEXICON = content().lexicon

CONFIRM = [
    "네",
    "네!",
    "넵",
    "네네",
    "네네네",
    "ㅇㅇ",
    "ㅇㅋ",
    "응",
    "응 그래",
    "좋아요",
    "네 좋아요",
    "네좋아요",
    "그래요",
    "그렇게 해요",
    "네 그렇게 해요",
    "네, 그렇게 할게요",
    "네, 그만할게요",
    "네 그만할게요 ㅎㅎ",
    "네, 오늘은 여기까지 할게요",
    "네 오늘은 이만 마무리할게요",
    "알겠습니다. 감사합니다!",
    "네 감사합니다",
    "네, 오늘 정말 고마웠어요",
    "아니요 괜찮아요 이만 할게요",
    "아니요, 이제 그만할게요",
    "아니요, 더 없어요",
    "더 할 얘기는 없어요",
    "더 하고 싶은 말 없어요",
    "더 얘기 안 해도 돼요",
    "그럴까요?",
    "응 오늘은 그만하자",
    "어 그래",
    "yes",
    "Yes please",
    "ok",
    "okay, thanks",
    "sure, let's stop here",
    "sounds good",
    "No, that's all, thank you",
    "no, I'm good, let's wrap up",
    "nothing else",
    "ok 그만할게요",
    "네 이제 끝내요",
    "아니 됐어 그만할래",
    "네 가봐야 해요",
    "네 이제 자야겠어요",
    "ㅇㅇ 끝",
    "그만",
    "네 여기까지요",
    "네, 내일 또 올게요",
    "이제 그만 얘기할게요",
    "괜찮아요, 여기까지 할게요",
    "아니 오늘은 이걸로 됐어요",
    "아니, 오늘은 이걸로 됐어요",
    "아니요 이 정도면 충분해요",
    "오늘은 됐어요",
    "이제 됐어요",
    "이걸로 됐어요 감사합니다",
    "이제 가봐야 해요",
]
CANCEL = [
    "아니요, 더 얘기할래요",
    "아니요",
    "아뇨",
    "ㄴㄴ",
    "싫어요",
    "아직요",
    "아직이요!",
    "조금만 더",
    "조금만 더 얘기하고 싶어요",
    "네, 근데 더 얘기하고 싶어요",
    "네 그런데 하나만 더 물어볼게요",
    "네... 근데 아직 할 말이 남았어요",
    "잠깐만요",
    "계속할래요",
    "계속 얘기하고 싶어요",
    "안 끝낼래요",
    "아직 끝내고 싶지 않아요",
    "그만하고 싶지 않아요",
    "끝내지 말아 주세요",
    "더 할 말은 없는데 조금만 더 있고 싶어요",
    "하고 싶은 말이 더 있어요",
    "취소할게요",
    "네 이어 갈게요",
    "네, 얘기할게요",
    "아니 더 할래",
    "no",
    "not yet",
    "No, I want to keep talking",
    "yes but one more thing",
    "wait, I have a question",
    "don't end it",
    "can we continue?",
    "이걸로 됐는데 하나만 더요",
    "이 정도면 됐어요. 근데 하나만 더 얘기할래요",
]
UNCLEAR = [
    "",
    "네?",
    "응?",
    "글쎄요",
    "모르겠어요",
    "잘 모르겠어요",
    "네 근데 좀 아쉽네요",
    "네...",
    "네…",
    "괜찮아요",
    "됐어요",
    "이걸로 됐어요?",
    "취업이 이제 됐어요",
    "이제 됐다고 생각했는데 아니었어요",
    "감사합니다",
    "네 그만할게요. 근데 다음 상담은 언제예요?",
    "엄마한테 전화가 왔어요",
    "네 어제도 회사에서 혼났어요",
    "좋아하는 사람이 있어요",
    "maybe",
    "I guess so",
    "yes but I feel bad",
    "yesterday I cried",
    "no thanks",
]


@pytest.mark.parametrize("text", CONFIRM)
def test_agreement_is_recognised(text):
    assert LEXICON.answer(text) is Answer.CONFIRM


@pytest.mark.parametrize("text", CANCEL)
def test_a_wish_to_go_on_wins(text):
    assert LEXICON.answer(text) is Answer.CANCEL


@pytest.mark.parametrize("text", UNCLEAR)
def test_half_an_answer_is_left_to_the_model(text):
    assert LEXICON.answer(text) is Answer.UNCLEAR


ENDS = [
    "오늘은 여기까지 할게요",
    "오늘은 여기까지",
    "여기까지 할래요",
    "이제 그만할래요",
    "이제 그만할게요.",
    "그만할래",
    "상담 끝낼게요",
    "상담을 이만 마칠게요",
    "상담 종료",
    "상담 종료해 주세요",
    "오늘 상담은 이만할게요",
    "죄송한데 오늘은 여기까지만 할게요",
    "피곤해서 이만 잘게요",
    "이만 가볼게요",
    "대화 그만하고 싶어요",
    "오늘은 그만하고 싶어요",
    "이제 그만해도 될까요?",
    "네 오늘 이야기는 여기까지 하고 싶어요",
    "고마워요, 다음에 또 올게요",
    "상담 그만둘래요",
    "이제 가봐야 해요",
    "저 이제 가 봐야 할 것 같아요",
    "네 저는 이만 가봐야겠어요",
    "죄송한데 이제 나가봐야 돼요",
    "슬슬 가야 할 것 같아요",
    "시간이 늦어서 자야 해요",
    "나갈게요",
    "이만 나가 볼게요",
    "그럼 나가 볼게요",
    "저 먼저 갈게요",
    "end the session please",
    "I'd like to stop here",
    "Let's stop for today.",
    "can we stop here?",
    "that's all for today",
    "I'm done for today",
    "I have to go now",
    "bye",
]
NO_END = [
    "그만 살고 싶다",
    "이제 그만 살고 싶어요",
    "직장을 그만둘까",
    "직장을 그만둘래요",
    "회사 그만두고 싶어요",
    "이제 다 끝내고 싶어요",
    "다 그만할래요",
    "이제 끝내고 싶어요",
    "그만하고 싶어요",
    "모든 걸 끝낼게요",
    "인생을 끝낼게요",
    "그 사람을 그만 만날래요",
    "술은 이제 그만 마실게요",
    "게임은 이제 그만할래요",
    "공부 그만할래요",
    "그 얘기는 그만할래요",
    "이 얘기는 여기까지 할게요",
    "그동안 감사했어요. 이만 갈게요",
    "다들 고마웠어요. 이제 그만할게요",
    "엄마가 그만하라고 했어요",
    "그만",
    "오늘은 회사에 갔어요",
    "남자친구와 끝냈어요",
    "학교에 가봐야 해요",
    "이제 학교에 가봐야 해요",
    "병원에 가 봐야 할 것 같아요",
    "이제 병원에 가 봐야 할 것 같아요",
    "집을 나갈게요",
    "이제 회사를 나가야 할 것 같아요",
    "오늘은 병원에 가야 해요",
    "가볼게요",
    "저는 자야 해요",
    "엄마가 나가래요",
    "네",
    "I want to end it",
    "I want to end it all",
    "I want to stop living",
    "I want to end my life",
    "I want to quit my job",
    "I'm done with everything",
    "I want this pain to end",
    "we stopped talking",
]


@pytest.mark.parametrize("text", ENDS)
def test_a_request_to_end_is_recognised(text):
    assert LEXICON.asks_to_end(text)


@pytest.mark.parametrize("text", NO_END)
def test_ending_something_else_is_no_request_to_end(text):
    assert not LEXICON.asks_to_end(text)


DONE = [
    "그 얘기는 다 했어요",
    "이건 이제 됐어요",
    "그건 충분해요",
    "이 이야기는 이제 충분해요",
    "그게 다예요",
    "그게 전부예요",
    "이 얘기는 그만할래요",
    "하고 싶은 말은 다 했어요",
    "다른 얘기 하고 싶어요",
    "다음으로 넘어가요",
    "네, 이 부분은 다 얘기했어요",
    "그 일은 이제 됐어요",
    "이 얘기는 여기까지 할게요",
    "that's all about that",
    "I've said enough about this",
    "let's move on",
    "can we talk about something else?",
    "I'm done talking about this",
]
NOT_DONE = [
    "숙제를 다 했어요",
    "최선을 다했어요",
    "할 만큼 다 했는데 안 돼요",
    "아직 그 얘기를 다 못 했어요",
    "다른 얘기를 친구가 했어요",
    "그 일은 이제 시작이에요",
    "됐어요",
    "네",
    "그게 다 제 잘못이에요",
    "이 문제는 너무 어려워요",
    "회사 일은 다 제가 해요",
    "충분히 노력했다고 생각해요",
    "다음 주에 시험이에요",
    "that's all I have in my life",
    "I've had enough of this job",
    "I moved on from him",
]


@pytest.mark.parametrize("text", DONE)
def test_a_finished_subject_is_recognised(text):
    assert LEXICON.says_task_done(text)


@pytest.mark.parametrize("text", NOT_DONE)
def test_doing_things_is_not_finishing_a_subject(text):
    assert not LEXICON.says_task_done(text)


ALL_SAID = [
    "오늘 할 말은 다 했어요",
    "하고 싶은 말은 다 한 것 같아요",
    "저는 이제 하고 싶었던 얘기 다 했네요",
    "네, 드릴 말씀은 다 드렸어요",
    "더 할 얘기는 없어요",
    "이제 딱히 더 하고 싶은 말은 없네요",
    "오늘은 다 털어놨어요",
    "I've said everything I wanted to say",
    "I have nothing more to say today",
]
NOT_ALL_SAID = [
    "아니요, 없어요",
    "더 없어요",
    "엄마한테 하고 싶은 말은 다 했어요",
    "할 일은 다 했어요",
    "할 말을 잃었어요",
    "아직 하고 싶은 말을 다 못 했어요",
    "남편은 저한테 할 말이 없대요",
    "더 이상 할 수 있는 게 없어요",
    "이건 이제 됐어요",
    "I have nothing left to live for",
    "I told you everything about him yesterday",
]


@pytest.mark.parametrize("text", ALL_SAID)
def test_that_all_is_said_is_recognised(text):
    assert LEXICON.says_all_is_said(text)
    assert LEXICON.says_task_done(text)


@pytest.mark.parametrize("text", NOT_ALL_SAID)
def test_that_there_is_none_of_something_else_is_not_all_said(text):
    assert not LEXICON.says_all_is_said(text)


@pytest.mark.parametrize(
    "text", ["아니요", "없어요", "아뇨, 딱히 없어요", "괜찮아요", "더 없습니다", "nothing else", "No, thanks"]
)
def test_a_no_to_whether_anything_is_left_is_recognised(text):
    assert LEXICON.has_nothing_to_say(text)


@pytest.mark.parametrize(
    "text",
    ["", "네", "네, 있어요", "없지는 않아요", "아니요, 사실은 하나 있어요", "없어요. 근데 엄마가 걱정돼요", "yes"],
)
def test_a_yes_to_whether_anything_is_left_is_no_no(text):
    assert not LEXICON.has_nothing_to_say(text)


@pytest.mark.parametrize(
    "text", ["아니 됐어요", "그냥 괜찮아요", "아뇨 괜찮아요", "상관없습니다", "저는 아무래도 좋아요", "whatever"]
)
def test_words_that_can_be_a_yes_as_well_as_a_no_are_recognised(text):
    assert LEXICON.is_ambiguous(text)
    assert LEXICON.answer(text) is Answer.UNCLEAR


@pytest.mark.parametrize(
    "text", ["", "네 힘드네요", "괜찮은 사람이에요", "아니 그 사람이 됐다고 했어요", "엄마는 괜찮아요"]
)
def test_words_that_tell_something_are_not_ambiguous(text):
    assert not LEXICON.is_ambiguous(text)


@pytest.mark.parametrize("text", ["네ㅠㅠ", "네 ㅜ", "좋아요ㅠ", "그래요 😢", "더 할 얘기는 없어요ㅠㅠ"])
def test_a_yes_in_tears_is_half_a_yes(text):
    assert LEXICON.answer(text) is Answer.UNCLEAR


@pytest.mark.parametrize("text", ["네 그만할게요ㅠㅠ", "오늘은 여기까지 할게요ㅠ"])
def test_the_users_own_wish_to_end_stands_in_tears_too(text):
    assert LEXICON.answer(text) is Answer.CONFIRM


@pytest.mark.parametrize(
    "text", ["더 이상 없어요 너무 힘들어요", "더 할 말은 없어요. 그냥 다 지쳤어요", "nothing else matters to him"]
)
def test_nothing_more_is_no_yes_where_something_is_told_with_it(text):
    assert LEXICON.answer(text) is not Answer.CONFIRM
