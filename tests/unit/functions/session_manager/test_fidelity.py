"""A closing and a summary keep what rests on the user's words, unless they count otherwise or took it back."""

import pytest

from functions.session_manager.close import close
from functions.session_manager.fidelity import Fidelity
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from tests.builders.answers import resting_on
from tests.builders.closings import WORK, closing_of, ended_room
from tests.builders.job_room import payload


def wrong(said, text):
    return Fidelity(dict(enumerate(said, start=1)), content()).is_wrong(1, said[0], text)


WRONG = (
    (("세 번 혼났어요",), "다섯 번이나 혼난 일을 들려주셨어요."),
    (("딸이 둘이에요", "아, 딸이 아니라 아들이 둘이에요"), "두 딸을 키우시는 이야기를 해 주셨어요."),
    (("팀장님이 저를 미워해요", "아니요, 미워하는 게 아니라 무시해요"), "팀장님이 미워한다고 하셨어요."),
    (("요즘 좀 나아졌어요", "아니 사실 안 나아졌어요"), "요즘 나아지고 계신다고 하셨어요."),
    (("I drink alone", "actually I don't drink"), "You told me that you drink alone."),
)
FAITHFUL = (
    (("엄마가 우울증이 있어요",), "가족의 우울증을 곁에서 지켜보는 마음을 나눠 주셨어요."),
    (("아빠한테 칭찬받은 적이 없어요",), "아버지께 칭찬받고 싶었던 마음을 들려주셨어요."),
    (("자주 울어요", "그래도 어제는 안 울었어요"), "자주 운다고 하셨어요."),
    (("팀장님이 저를 미워해요", "미워하는 게 아니라 무시해요"), "팀장님이 미워하는 게 아니라 무시한다고 하셨어요."),
    (("아이가 둘이에요", "아침에 한 시간은 걸어요"), "두 아이를 키우신다고 하셨어요."),
)


@pytest.mark.parametrize(("said", "text"), WRONG)
def test_a_sentence_with_another_figure_or_one_that_the_user_took_back_is_found(said, text):
    assert wrong(said, text)


@pytest.mark.parametrize(("said", "text"), FAITHFUL)
def test_a_sentence_that_says_it_in_other_words_stays(said, text):
    assert not wrong(said, text)


@pytest.mark.parametrize(
    ("said", "main"),
    [
        ("엄마가 밉지 않은 건 아니에요", "어머니를 미워하는 마음도 있다고 하셨습니다."),
        ("밥을 제대로 못 먹고 있어요", "밥을 먹는 일조차 힘든 나날을 들려주셨어요."),
        ("회사를 관둘까 고민이에요", "회사를 그만둘지를 두고 마음을 정하기 어렵다고 하셨어요."),
        ("회사에 안 가고 싶어요", "직장에 나가는 일이 버겁다고 하셨어요."),
        ("자꾸 가슴이 두근거리고 손에 땀이 나요", "긴장이 몸으로 나타난다고 하셨어요."),
    ],
)
async def test_the_main_sentence_of_a_closing_is_kept_with_its_verbatim_quote(said, main):
    work = WORK.model_copy(update={"sentences": resting_on(said, main), "goals": ()})
    room = await ended_room(work, said=(said, "네", "이제 그만할게요"))
    await close(room.context, payload(JobKind.CLOSE, 3))
    assert (await closing_of(room))["summary"] == main
