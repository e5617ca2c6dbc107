"""A closing and a summary say what the user said, and not the opposite of it."""

import pytest

from functions.session_manager.fidelity import Fidelity
from shared.content.catalogue import content


def turned(said, text, quote=None):
    return Fidelity(dict(enumerate(said, start=1)), content()).turns_round(1, quote or said[0], text)


TURNED = (
    (("남편이 때린 적은 없어요",), "남편이 때린 일을 들려주셨어요."),
    (("세 번 혼났어요",), "다섯 번이나 혼난 일을 들려주셨어요."),
    (("회사를 관둘까 고민이에요",), "회사를 그만두기로 결심하셨어요."),
    (("엄마가 우울증이 있어요",), "우울증으로 힘든 마음을 나눠 주셨어요."),
    (("딸이 둘이에요", "아, 딸이 아니라 아들이 둘이에요"), "두 딸을 키우시는 이야기를 해 주셨어요."),
    (("팀장님이 저를 미워해요", "아니요, 미워하는 게 아니라 무시해요"), "팀장님이 미워한다고 하셨어요."),
    (("요즘 좀 나아졌어요", "아니 사실 안 나아졌어요"), "요즘 나아지고 계신다고 하셨어요."),
    (("약은 안 먹어요",), "약을 먹고 있다고 하셨어요."),
    (("I never drink alone",), "You told me that you drink alone."),
)
FAITHFUL = (
    (("남편이 때린 적은 없어요",), "남편이 때린 적은 없다고 하셨어요."),
    (("세 번 혼났어요",), "세 번이나 혼난 일을 들려주셨어요."),
    (("회사를 관둘까 고민이에요",), "회사를 그만둘지 고민하신다고 하셨어요."),
    (("엄마가 우울증이 있어요",), "엄마의 우울증 때문에 걱정이 크다고 하셨어요."),
    (("밤에 잠을 못 자요",), "잠을 이루지 못하는 밤을 이야기해 주셨어요."),
    (("친구가 없어서 외로워요",), "친구 이야기와 외로운 마음을 나눠 주셨어요."),
    (("사람들 앞에서 말하는 게 무서워요", "그래도 어제는 안 떨었어요"), "사람들 앞에서 말하는 게 무섭다고 하셨어요."),
    (("이직하기로 했어요",), "이직을 결심한 이야기를 들려주셨어요."),
    (("아이가 둘이에요", "아침에 한 시간은 걸어요"), "두 아이를 키우신다고 하셨어요."),
    (("I can't sleep",), "You told me that you cannot sleep."),
)


@pytest.mark.parametrize(("said", "text"), TURNED)
def test_a_sentence_that_turns_the_users_words_round_is_found(said, text):
    assert turned(said, text)


@pytest.mark.parametrize(("said", "text"), FAITHFUL)
def test_a_faithful_sentence_stays(said, text):
    assert not turned(said, text)


def test_a_quote_counts_as_the_whole_sentence_that_it_is_cut_from():
    assert turned(("남편이 때린 적은 없어요",), "때린 일을 들려주셨어요.", quote="남편이 때린")


@pytest.mark.parametrize(
    ("said", "quote", "own"),
    [
        ("언니는 유학을 가고 싶어 해요", "유학을 가고 싶어 해요", False),
        ("회사를 관둘까 고민이에요", "회사를 관둘까 고민이에요", False),
        ("저는 언니처럼 유학을 가고 싶어요", "유학을 가고 싶어요", True),
        ("아침에 일찍 일어나고 싶어요", "일찍 일어나고 싶어요", True),
    ],
)
def test_a_goal_is_a_wish_of_the_users_own(said, quote, own):
    assert Fidelity({1: said}, content()).is_own_wish(quote) is own
