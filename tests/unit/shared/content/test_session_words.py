"""The lists of `session_words.yaml`, held to their own examples and to sentences that stand in no list."""

import time
from pathlib import Path

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.session_words import SessionWordsFile
from shared.content.session_words import without_questions
from shared.domain.slots import SlotKind
from shared.locale import Locale, Register

LONGEST_S = 0.5
WORDS = content().session_words
FILE = load_yaml(DATA / Path("session_words.yaml"), SessionWordsFile)
RECOGNISED = {
    "asks_to_end": WORDS.asks_to_end,
    "asks_to_wrap_up": WORDS.asks_to_wrap_up,
    "wants_more": WORDS.wants_more,
    "wants_to_stay": WORDS.wants_to_stay,
    "declines": lambda text: WORDS.declines(text, SlotKind.TEXT),
    "wants_none": WORDS.wants_none,
    "declines_name": lambda text: WORDS.declines(text, SlotKind.NAME),
}

PARAPHRASES = {
    "asks_to_end": (
        "오늘 상담은 이쯤에서 마무리해 볼까요?",
        "그럼 여기까지 하고 쉬실래요?",
        "오늘은 이 정도로 마쳐도 괜찮으시겠어요?",
        "여기에서 오늘 이야기를 마무리하면 될까요?",
        "말씀해 주셔서 고마워요. 오늘은 여기서 끝낼까요?",
        "이제 그만 마칠까요?",
        "오늘은 이만 쉬고 싶으세요?",
        "여기서 이야기를 멈추고 싶으신가요?",
        "오늘은 여기까지 나눌까요?",
        "오늘 세션을 종료할까요?",
        "오늘은 여기서 마무리하길 원하세요?",
        "우리 오늘은 여기까지만 할까?",
        "이만 끝낼래?",
        "오늘 이야기 여기까지 하면 괜찮을까요?",
        "충분히 이야기 나눈 것 같은데 오늘은 여기서 마칠까요?",
        "Should we end here today?",
        "Do you feel ready to stop here for today?",
        "Can we call it a day?",
        "Is it okay with you if we stop here?",
        "Would you like to stop for today?",
        "May we close our session here?",
        "Do you want to finish here?",
    ),
    "asks_to_wrap_up": (
        "이제 정리하고 마무리해도 괜찮을까요?",
        "오늘은 이만 정리할까요?",
        "많이 이야기해 주셨으니, 이제 마무리로 넘어가 볼까요?",
        "오늘 이야기를 마무리하는 단계로 넘어가 볼까요?",
        "슬슬 마무리해 볼까요?",
        "이제 마무리로 가도 될까?",
        "Would it be okay to start wrapping things up?",
        "How about we move towards closing?",
        "Shall we slowly wrap things up?",
    ),
    "wants_more": (
        "음 조금 더 얘기하면 안 될까요",
        "저 할 얘기가 좀 더 있는데요",
        "아직 이야기가 안 끝났어요",
        "더 말하고 싶은 게 있어요",
        "얘기 더 할래",
        "좀 더 얘기하자",
        "더 상담하고 싶어요",
        "그만하기 전에 하나만 더 이야기하고 싶어요",
        "아직 못다 한 이야기가 있어요",
        "근데 더 얘기하고 싶은데",
        "사실 아직 더 이야기하고 싶어요",
        "I want to talk some more",
        "could we go on a little longer",
        "동생 이야기도 좀 하고 싶은데요",
        "학교 얘기도 해도 될까요?",
        "말씀 못 드린 게 하나 있어요",
        "저 더 있고 싶어요",
        "I still have something else to tell you",
        "wait, I'd like to continue",
    ),
    "wants_to_stay": (
        "조금 더 있을게요",
        "선생님 조금만 더 있어도 돼요?",
        "그만하지 마세요",
        "마무리하지 말아요",
        "아직 끝내고 싶지 않은데요",
        "끝내지 않았으면 좋겠어요",
        "지금은 그만하기 싫어요",
        "좀 더 하면 안 될까요?",
        "ㄴㄴ 더 할래",
        "네 근데 조금 더 하고 싶은데요",
        "제발 끝내지 마요",
        "하나만 더 여쭤봐도 될까요?",
        "네, 하나만 더 물어볼게요",
        "마치기엔 좀 일러요",
        "아직은 안 끝낼래",
        "wait, please don't stop yet",
        "just a bit more",
        "I'd like to stay here longer",
        "not yet please",
    ),
    "declines": (
        "별로 말하고 싶지 않네요",
        "그건 좀 말하기가 그래요",
        "안 말하고 싶어요",
        "대답하기 싫은데요",
        "그 질문은 건너뛰고 싶어요",
        "패스",
        "그냥 넘어갈게요",
        "꼭 대답해야 되나요?",
        "말씀드리기 좀 곤란해요",
        "알려 주고 싶지 않아요",
        "얘기하고 싶지 않습니다",
        "말 못 하겠어요",
        "노코멘트",
        "그런 건 묻지 마세요",
        "비밀로 할래요",
        "이건 스킵할게요",
        "죄송하지만 밝히기 어렵습니다",
        "대답 안 할게요",
        "굳이 알려 드려야 하나요?",
        "다른 질문으로 넘어갈게요",
        "지금은 얘기하기 싫어요",
        "그건 나중에 얘기할게요",
        "말해 주기 싫어",
        "싫은데",
        "그건 사생활이라서요",
        "답하고 싶지 않아요",
        "그냥 생략해 주세요",
        "말하기 껄끄러워요",
        "그 부분은 넘어가 주시면 좋겠어요",
        "not telling",
        "I'd rather keep that to myself",
        "No, I don't want to say",
        "let's skip it",
        "that's too personal",
        "I don't feel like answering that",
        "do I need to say?",
        "I'll pass on that one",
        "Next question please",
        "I prefer not to",
    ),
    "wants_none": (
        "음, 없는데요",
        "아직 없어요",
        "하고 싶은 이야기는 딱히 없네요",
        "not really",
        "I don't have a goal",
    ),
    "declines_name": (
        "그냥 익명 할게요",
        "이름은 말하고 싶지 않아요",
        "이름은 비밀이에요",
        "이름 안 알려 줄래요",
        "본명은 말하기 싫어요",
        "딱히 없어요",
        "아무거나 괜찮아요",
        "그냥 마음대로 불러",
        "익명이 좋아요",
        "이름은 필요 없잖아요",
        "이름 안 밝히고 싶어요",
        "그냥 넘어가 주세요",
        "됐어요",
        "anonymous",
        "no",
        "I'd prefer to stay anonymous",
        "you don't need to know my name",
        "names don't matter",
        "nope",
    ),
}
"""Recognised, and in no list of the file."""
LOOK_ALIKE = {
    "asks_to_end": (
        "그 사람과는, 여기까지 할까요?",
        "어머니에 대해서는, 여기까지 할까요?",
        "그 회사는, 이만 마무리할까요?",
        "About your mother, shall we stop here?",
        "As for the exercise, shall we stop here for today?",
        "오늘 가장 마음에 남는 건 무엇인가요?",
        "여기서 이야기하니 어떠세요?",
        "오늘은 어떤 이야기를 나누고 싶으세요?",
        "그 사람과의 대화를 여기서 끝내고 싶었던 건가요?",
        "지금까지 이야기하면서 힘들지는 않으셨어요?",
        "오늘 회의는 언제 마치셨어요?",
        "그때 그만하고 싶으셨어요?",
        "오늘은 그만 울고 싶으세요?",
        "이만하면 잘하고 있다는 생각이 드시나요?",
        "이 통증을 멈추고 싶으세요?",
        "오늘 일을 끝내면 무엇을 하고 싶으세요?",
        "여기서 벗어나고 싶으세요?",
        "이야기를 끝까지 들어 준 사람이 있었나요?",
        "Do you want to finish school?",
        "Would you like to end the relationship?",
        "How does the day usually end?",
        "Can we stop the bleeding?",
        "Do you want to stop taking the pills?",
        "Would you like to tell me how the session with him went?",
        "What would you like to stop doing today?",
    ),
    "asks_to_wrap_up": (
        "엄마와의 관계는, 이제 정리해 볼까요?",
        "엄마와의 관계는, 이제 마무리해 볼까요?",
        "정리해 볼까요?",
        "슬슬 정리해 볼까요?",
        "오늘 나눈 이야기를 정리하는 시간을 가져 볼까요?",
        "이제 조금씩 정리해도 괜찮을까요?",
        "그 일을 정리하고 싶으세요?",
        "이번 주를 마무리하면서 어떤 기분이 드세요?",
        "옷장을 정리해 볼까요?",
        "생각을 정리해 볼까요?",
    ),
    "wants_to_stay": (
        "집에 더 있고 싶어요",
        "회사를 그만두기 싫어요",
        "그 사람이 끝내지 말자고 했어요",
        "과제를 아직 못 끝냈어요",
        "동생이 조금만 더 자고 싶대요",
        "한 번만 더 엄마한테 말해 볼게요",
        "조금 더 노력하고 싶어요",
        "운동을 계속하고 싶어요",
        "울지 마세요",
        "이제 그만 끝낼래요",
        "네, 좋아요",
        "더 이상 못 하겠어요",
        "더 나아지고 싶어요",
        "I don't want to stay with him",
        "don't you think so?",
        "I want to end it",
    ),
    "wants_more": (
        "여자친구가 조금 더 이야기하자고 그래요",
        "엄마가 얘기를 더 하고 싶다고 하셨어요",
        "일도 하고 싶어요",
        "네 좋아요",
        "다음번에 더 얘기할게요",
        "더는 할 말이 없어요",
        "더 이상 말하고 싶지 않아요",
        "엄마하고 더 얘기해 보려고요",
        "친구들이랑 더 많이 이야기하고 싶어요",
        "더 자고 싶어요",
        "남편이 더 얘기하고 싶어 해요",
        "더 얘기할 사람이 있으면 좋겠어요",
        "동생한테 하고 싶은 말이 있어요",
        "오늘은 더 말 안 할래요",
        "he wants to talk more",
        "I want more sleep",
    ),
    "declines": (
        "안나라고 해요",
        "안 해 봤어요",
        "못 받아 봤어요",
        "말을 잘 못 해요",
        "그냥 참아요",
        "싫은 일이 생기면 자요",
        "넘어가는 편이에요",
        "말하고 싶은 사람이 없어요",
        "대답을 잘 안 해요",
        "엄마한테 말 안 했어요",
        "비밀번호를 잊었어요",
        "이야기하기 싫을 때는 음악을 들어요",
        "숨기고 살아요",
        "싫증을 잘 내요",
        "회사에 가기 싫어요",
        "아무것도 하기 싫어요",
        "공부하기 싫어요",
        "살기 싫어요",
        "학교에서 대답하기 어려워요",
        "발표하기 힘들어요",
        "말하기 대회 때문에요",
        "사람들이 뒤에서 말해요",
        "얘기할 데가 없어요",
        "남편이 대답 안 해요",
        "그냥 혼자 넘겨요",
        "다 넘어가 줘요",
        "제가 늘 양보하고 넘어가 줘요",
        "못 자요",
        "안 먹어요",
        "I keep skipping class",
        "I don't want to live",
        "I don't want to go to work",
        "I can't say no to people",
        "people don't tell me things",
        "I pass the time with games",
        "I'd rather be alone",
        "not good",
    ),
    "wants_none": ("없던 힘이 생기면 좋겠어요", "잠이 없어요", "엄마가 없어요", "I have nobody", "no more panic"),
    "declines_name": (
        "지민이요",
        "저는 없음이라고 해요",
        "하늘이라고 불러 주세요",
        "익명희예요",
        "김비밀입니다",
        "안수진",
        "안 수진이에요",
        "나비",
        "무명씨라고 불러 주세요",
        "보라",
        "Noah",
        "Anon is my cat",
        "Noel",
        "아무개라고 불러요",
        "네",
        "싫다는 말을 못 해요",
        "노아예요",
        "박안나",
        "Pass is what they call me",
        "별이요",
    ),
}
"""Not recognised, and in no list of the file."""


def spread(lists: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, text) for name, texts in lists.items() for text in texts]


def each(field: str) -> list[tuple[str, str]]:
    return [(name, text) for name in RECOGNISED for text in getattr(getattr(FILE, name), field)]


@pytest.mark.parametrize(("name", "text"), each("examples"))
def test_every_example_is_recognised(name: str, text: str) -> None:
    assert RECOGNISED[name](text)


@pytest.mark.parametrize(("name", "text"), each("others"))
def test_nothing_that_looks_alike_is_recognised(name: str, text: str) -> None:
    assert not RECOGNISED[name](text)


@pytest.mark.parametrize(("name", "text"), spread(PARAPHRASES))
def test_what_is_said_in_other_words_is_recognised_too(name: str, text: str) -> None:
    assert text not in getattr(FILE, name).examples
    assert RECOGNISED[name](text)


@pytest.mark.parametrize(("name", "text"), spread(LOOK_ALIKE))
def test_what_only_sounds_like_it_is_not(name: str, text: str) -> None:
    assert not RECOGNISED[name](text)


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("register", Register)
def test_the_rules_own_questions_are_recognised(locale: Locale, register: Register) -> None:
    messages = content().messages(locale, register)
    assert WORDS.asks_to_end(messages.text("confirm_end"))
    assert WORDS.asks_to_wrap_up(messages.text("propose_wrap_up"))
    assert not WORDS.asks_to_end(messages.text("propose_wrap_up")), "a yes to the closing is none to the end"


class TestAReplysQuestion:
    @pytest.mark.parametrize(
        "reply",
        [
            "많은 이야기를 해 주셨네요. 오늘은 여기까지 할까요?",
            "“왜 나만?” 하는 마음이셨군요. 오늘은 여기까지 할까요? 더 하고 싶으시면 이어 가도 좋아요.",
            "오늘은 여기까지 할까요？",
            "괜찮으시면, 오늘은 여기까지 할까요?",
            "오늘은, 여기까지 할까요?",
            "마음이 조금 가벼워지셨다니 다행인데, 오늘은 여기까지 할까요?",
            "You have shared a lot, so shall we stop here for today?",
        ],
    )
    def test_is_whether_to_end_where_it_asks_nothing_else(self, reply: str) -> None:
        assert WORDS.asks_to_end(reply)

    @pytest.mark.parametrize(
        "reply",
        [
            "그 마음이 지금도 남아 있나요? 오늘은 여기까지 할까요?",
            "오늘은 여기까지 할까요? 아니면 더 이야기하고 싶으세요?",
            "“오늘은 여기까지 할까요?” 하고 물으셨군요.",
            "오늘은 여기까지 할게요.",
            "",
        ],
    )
    def test_is_not_where_a_yes_could_be_to_something_else_or_nothing_is_asked(self, reply: str) -> None:
        assert not WORDS.asks_to_end(reply)


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("많이 힘드셨겠어요. 그 마음이 지금도 남아 있나요?", "많이 힘드셨겠어요."),
        ("그 마음이 지금도 남아 있나요?", ""),
        ("네. 언제부터 그러셨어요? 천천히 말해도 돼요.", "네. 천천히 말해도 돼요."),
        ("“왜 나만?” 하는 마음이셨군요. 지금도 그런가요?", "“왜 나만?” 하는 마음이셨군요."),
        ("첫 줄이에요.\n정말 그랬어요?\n끝 줄이에요.", "첫 줄이에요.\n\n끝 줄이에요."),
        ("그러셨군요.", "그러셨군요."),
    ],
)
def test_a_reply_without_its_questions_keeps_what_it_says(reply: str, left: str) -> None:
    assert without_questions(reply) == left


@pytest.mark.parametrize(
    "text", ["오늘 " * 1300, "그럼 이제 " * 600, "네 음 " * 1000, "i " * 2000, "가" * 4000, "더 " * 1300]
)
def test_the_longest_message_is_read_in_no_time(text: str) -> None:
    began = time.process_time()
    for recognise in RECOGNISED.values():
        recognise(text)
        recognise(f"{text}?")
    assert time.process_time() - began < LONGEST_S
