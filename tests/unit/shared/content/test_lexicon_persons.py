"""Names, backchannels, and questions about CBot itself."""

import time

import pytest

from shared.content.catalogue import content

LEXICON = content().lexicon

NAMES = {
    "제 이름은 민수예요": "민수",
    "제 이름은 민준이에요": "민준",
    "제 이름은 김민수입니다": "김민수",
    "제 이름은 수지에요": "수지",
    "내 이름은 지현이야": "지현",
    "내 이름은 지아야": "지아",
    "이름은 수빈이요": "수빈",
    "이름은 하늘": "하늘",
    "저는 민준이라고 해요": "민준",
    "저는 민수라고 합니다": "민수",
    "안녕하세요, 저는 박서연이라고 합니다.": "박서연",
    "저는 서준이라고 하는데 요즘 너무 힘들어요": "서준",
    "지우라고 불러 주세요": "지우",
    "그냥 현우라고 불러줘": "현우",
    "제이라고 불러 주세요": "제이",
    "민준이라고 부르시면 돼요": "민준",
    "제 이름은 민수이고 요즘 잠을 못 자요": "민수",
    "제 별명은 곰돌이예요": "곰돌이",
    "제 이름은 이고은이에요": "이고은",
    "제 이름은 지훈이 아니라 지은이에요": "지은",
    "제 이름은 수아가 아니라 수지예요": "수지",
    "제 이름은 지훈이 아니라 지은이고 요즘 잠을 못 자요": "지은",
    "아니요, 이름은 민수가 아니라 민호입니다": "민호",
    "저는 지훈이 아니라 지은이라고 해요": "지은",
    "지훈 말고 지은이라고 불러 주세요": "지은",
    "지훈 님 말고 지은이라고 불러 주세요": "지은",
    "저를 지훈이라고 부르지 말고 지은이라고 불러 주세요": "지은",
    "제 이름은 Alex예요": "Alex",
    "저는 Tom이라고 해요": "Tom",
    "이름은 민지고 회사원이에요": "민지",
    "제 이름은 지혜요": "지혜",
    "이름은 은하고요": "은하",
    "My name is Sam": "Sam",
    "Hi, my name's Anna.": "Anna",
    "my name is Mary Jane and I feel sad": "Mary Jane",
    "please call me Jin": "Jin",
    "I go by Max": "Max",
    "My name isn't Tom it's Tim": "Tim",
    "call me Jin not Jim": "Jin",
}
NO_NAMES = [
    "저는 회사원이에요",
    "저는 힘들어요",
    "저는 대학생입니다",
    "저는 민수예요",
    "저는 아니라고 해요",
    "엄마가 저를 바보라고 불러요",
    "다들 저를 문제아라고 해요",
    "친구 이름은 비밀이에요",
    "제 이름은 비밀이에요",
    "이름은 말하기 싫어요",
    "이름은 없어요",
    "제 이름은 아직 말하고 싶지 않아요",
    "이름은 몰라도 돼요",
    "이름 밝히고 싶지 않아요",
    "이름은 됐고 그냥 얘기나 들어줘",
    "이름은 부담스러워요",
    "이름은 공개하고 싶지 않아요",
    "이름은 알려드리고 싶지 않아요",
    "이름은 말씀드리기 어려워요",
    "이름은 안됨",
    "이름은 굳이요",
    "이름은 글쎄요",
    "제 이름은 지훈이 아니에요",
    "제 이름은 지훈이 아니라니까요",
    "제 이름은 지훈이 아니라고요",
    "제 이름은 지훈이 아니라 다른 거예요",
    "지훈이라고 부르지 마세요",
    "저는 학생이 아니라 회사원이에요",
    "이름은 본명이 아니라 가명이에요",
    "환자 말고 사람이라고 불러 주세요",
    "아무거나라고 불러 주세요",
    "엄마는 괜찮다고 해요",
    "요즘 잠을 못 자요",
    "네",
    "I'm tired",
    "my name is not important",
    "call me later",
    "they call me stupid",
    "call me crazy but I like it",
    "I am a student",
]


@pytest.mark.parametrize(("text", "name"), NAMES.items())
def test_a_stated_name_is_read(text, name):
    assert LEXICON.name(text) == name


@pytest.mark.parametrize("text", NO_NAMES)
def test_what_is_no_stated_name_is_left_alone(text):
    assert LEXICON.name(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "네",
        "넵",
        "음",
        "음...",
        "ㅇㅇ",
        "ㅎㅎ",
        "ㅋㅋㅋ",
        "😊",
        "안녕하세요",
        "안녕하세요!",
        "네네",
        "아 네",
        "네 맞아요",
        "아...",
        "hi",
        "Hello!",
        "ok thanks",
        "hmm",
        "hi there",
    ],
)
def test_a_mere_sound_is_a_backchannel(text):
    assert LEXICON.is_backchannel(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "네 힘들어요",
        "없어요",
        "모르겠어요",
        "아니요",
        "아파요",
        "음악이 좋아요",
        "어제",
        "네 번째예요",
        "안녕하지 못해요",
        "3",
        "민수",
        "hello darkness",
        "ok but",
        "no",
    ],
)
def test_words_are_no_backchannel(text):
    assert not LEXICON.is_backchannel(text)


@pytest.mark.parametrize(
    "text",
    [
        "사람이에요?",
        "사람이에요",
        "혹시 사람이세요?",
        "진짜 사람이야?",
        "사람 맞아요?",
        "너 사람이야?",
        "AI야?",
        "AI예요?",
        "너 AI지?",
        "인공지능인가요?",
        "로봇이에요?",
        "챗봇이에요?",
        "상담사님은 사람인가요?",
        "사람이에요 AI예요?",
        "사람이랑 얘기하는 거예요?",
        "사람이 아니에요?",
        "are you human?",
        "Are you a real person?",
        "are you a bot or a human",
        "Am I talking to a real person?",
        "wait, are you an AI?",
    ],
)
def test_asking_whether_it_is_a_person_is_recognised(text):
    assert LEXICON.asks_if_human(text)


@pytest.mark.parametrize(
    "text",
    [
        "그 사람이에요",
        "좋은 사람이에요",
        "저는 사람이 무서워요",
        "AI가 제 일을 뺏을까 봐 걱정돼요",
        "저는 AI 개발자예요",
        "나쁜 사람인가요?",
        "제가 이상한 사람인가요?",
        "기계처럼 살아요",
        "로봇 같다는 말을 들어요",
        "사람을 못 믿겠어요",
        "저도 사람이에요",
        "are you sure?",
        "are you there?",
        "he is a real person",
        "I feel like a robot",
        "people are strange",
    ],
)
def test_talking_of_people_is_no_question_about_cbot(text):
    assert not LEXICON.asks_if_human(text)


@pytest.mark.parametrize(
    "piece", ["네 ", "네", "오늘 이제 그만 ", "더 ", "저는 이름은 ", "안 슬퍼 ", "a ", "i'm ", "가", "사람 "]
)
def test_a_hostile_message_costs_little_time(piece):
    text = (piece * 4000)[:4000] + "!x"
    started = time.process_time()
    LEXICON.answer(text)
    LEXICON.says_task_done(text)
    LEXICON.is_backchannel(text)
    LEXICON.resistance(text)
    LEXICON.emotion(text)
    LEXICON.asks_if_human(text)
    LEXICON.name(text)
    assert time.process_time() - started < 1
