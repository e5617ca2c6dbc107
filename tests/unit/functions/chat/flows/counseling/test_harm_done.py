"""The reply to a user who has hurt a child of theirs, or a pet."""

import pytest

from tests.builders.talk import after

ASKS_FOR_THE_CHILD = ("안전하게 있나요", "지금 안전한가요", "지금 안전한지")
TO_A_VICTIM = ("잘못하신 것은 없", "그 사람과 떨어져", "말씀을 믿어요")
GUILT = "애한테 소리 지른 적이 있어서 죄책감이 들어요"


@pytest.mark.parametrize(
    "messages",
    [
        ("애를 때렸어요",),
        ("애가 말을 안 들어서 등짝을 때렸어요",),
        ("강아지를 발로 찼어요",),
        (GUILT, "한 번 밀친 적도 있어요"),
    ],
)
async def test_harm_done_to_a_child_is_received_once_and_the_child_is_asked_about(messages):
    talk = await after("안녕하세요", *messages[:-1])
    said = await talk.say(messages[-1])
    assert any(text in said.reply for text in ASKS_FOR_THE_CHILD)
    assert "112" in said.reply
    assert not any(text in said.reply for text in TO_A_VICTIM)
    again = await talk.say("등짝도 때렸어요")
    assert not any(text in again.reply for text in (*TO_A_VICTIM, *ASKS_FOR_THE_CHILD))


async def test_a_parent_who_was_taken_for_a_victim_may_correct_it():
    talk = await after("뺨을 때렸어요")
    assert "다르게 받아들였네요" in (await talk.say("아니 제가 애를 밀쳤다는 거예요")).reply


@pytest.mark.parametrize("text", ["남편이 저를 때려요. 저도 애를 때렸어요", "아빠가 동생이랑 저를 때렸어요"])
async def test_a_victim_stays_a_victim(text):
    talk = await after("안녕하세요")
    said = await talk.say(text)
    assert talk.state.risk.hurt_by
    assert not any(asked in said.reply for asked in ASKS_FOR_THE_CHILD)


@pytest.mark.parametrize(
    "text", ["애를 확 던져버리고 싶다는 생각이 들어서 무서워요", "베개로 누르는 상상이 자꾸 떠올라서 괴로워요"]
)
async def test_who_is_frightened_by_thoughts_of_harm_is_asked_plainly_and_not_accused_of_anger(text):
    talk = await after("안녕하세요")
    said = await talk.say(text)
    assert said.reply.rstrip().endswith("이미 다치게 하신 적이 있나요?")
    assert "침대" in said.reply
    assert said.reply.index("1577-0199") < said.reply.index("경찰 112")
    assert not any(word in said.reply for word in ("화가 나고", "분하고", "위험한 물건"))
