"""Circular talk found by rule in colloquial Korean."""

import pytest

from functions.chat.legacy.user_message import UserMessage, said_in_circles
from shared.domain.conversation import Message, Role, remember
from tests.builders.talk import REPLY, Talk

BOSS = "팀장님이 저를 무시해서 화가 나요"
NIGHT = "밤에 혼자 있으면 외롭고 눈물이 나서 잠을 못 자요"
MOTHER = "엄마가 자꾸 동생이랑 비교해서 속상하고 답답해요"
SLEEP_ASKED = "요즘 밤에 잠은 몇 시간쯤 주무세요?"


def circles(newest, *before, replies=(), **state):
    """Return whether the newest message is circular after earlier ones; `replies` are their replies, oldest first."""
    talk = Talk()
    answers = [*replies, *[REPLY] * len(before)]
    for seq, (text, reply) in enumerate(zip(before, answers, strict=False), 1):
        spoken = Message(seq=seq, role=Role.USER, text=text, created_at=talk.clock.now())
        answered = Message(seq=seq, role=Role.COUNSELOR, text=reply, created_at=talk.clock.now())
        talk.state = remember(talk.state, spoken, answered)
    talk.set(**state)
    return said_in_circles(UserMessage(talk.turn(newest), talk.content).words, talk.state, talk.content)


def test_a_repeated_complaint_is_circular():
    cases = [
        (BOSS, [BOSS, BOSS]),
        ("화가 나요. 팀장님이 무시해서요", [BOSS, "팀장님이 또 저를 무시했어요. 너무 화가 났어요"]),
        ("팀장님한테 무시당해서 화나요 진짜", [BOSS, "저를 무시하는 팀장님 때문에 화가 나요", BOSS]),
        (BOSS, [BOSS, "어제는 친구를 만나서 영화를 봤어요", BOSS]),
        (BOSS, [BOSS, "네", "ㅎㅎ 네", BOSS]),
        (BOSS, [BOSS, "주말에 바다에 다녀왔어요 좋았어요", BOSS, "글쎄요"]),
        (MOTHER, ["동생이랑 비교하는 엄마가 답답하고 속상해요"]),
        (NIGHT, [NIGHT]),
        ("잠을 못 자요. 밤에 혼자 있으면 눈물이 나고 외로워요", [NIGHT]),
        (NIGHT, [NIGHT, "어제는 바다에 다녀왔는데 좋더라고요", "회사는 괜찮아요"]),
        ("아니 그러니까 엄마가 동생이랑 비교해서 속상하고 답답하다고요", [MOTHER]),
        (BOSS, [BOSS, "돈이 없어서 월세가 걱정이에요", BOSS, "돈이 없어서 월세 때문에 걱정돼요"]),
        (
            "my boss ignores me and I feel so angry",
            ["my boss ignored me, I'm angry", "I'm angry that my boss ignores me"],
        ),
    ]
    assert [(newest, before) for newest, before in cases if not circles(newest, *before)] == []


def test_new_or_too_short_messages_are_not_circular():
    cases = [
        (BOSS, []), (BOSS, [BOSS]), (BOSS, [BOSS, "어제는 바다에 다녀왔는데 좋더라고요"]),
        (BOSS, ["어제는 바다에 다녀왔는데 좋더라고요", BOSS]), ("네 네", ["네 네", "네 네", "네"]),
        ("네, 맞아요", ["네, 맞아요", "네, 맞아요"]),
        ("모르겠어요", ["모르겠어요", "잘 모르겠어요", "모르겠어요"]), ("힘들어요", ["힘들어요", "너무 힘들어요"]),
        ("ㅠㅠㅠ", ["ㅠㅠㅠ", "ㅠㅠ"]),
        ("팀장님이 회의에서 제 발표를 끊어서 화가 났어요", [BOSS, "팀장님이 점심에 저만 빼고 가서 서운했어요"]),
        ("팀장님이 왜 그러는지 이제는 궁금하기도 해요", [BOSS, BOSS]),
        ("그래도 오늘은 팀장님한테 제 생각을 말해 봤어요", [BOSS, BOSS]),
        ("‘팀장님이 무시해서 화가 난다’고 하신 말이 맞는 것 같아요", [BOSS, BOSS]),
        ('제가 아까 "팀장님이 저를 무시해서 화가 나요"라고 했는데 사실 제 잘못도 있어요', [BOSS, BOSS]),
        ("밤에 혼자 있으면 외로운데 오늘은 친구가 와서 푹 잤어요", [NIGHT]),
        ("엄마가 동생 졸업식에 저를 안 불렀어요", [MOTHER]),
        ("저는 엄마한테 인정받고 싶었던 것 같아요", [MOTHER, MOTHER]),
    ]  # fmt: skip
    assert [(newest, before) for newest, before in cases if circles(newest, *before)] == []


def test_a_repeated_answer_to_a_repeated_question_is_not_circular():
    answer = "밤에 두 시간쯤 자고 새벽에 자꾸 깨요"
    assert circles(answer, answer, replies=["그러셨군요."])
    again = "그러셨군요. 요즘 밤에 잠은 몇 시간이나 주무세요?"
    assert not circles(answer, "네", answer, "네", replies=[SLEEP_ASKED, "그렇군요.", again])


@pytest.mark.parametrize(("slot", "times", "circular"), [("reason", 2, False), ("reason", 1, True), ("name", 3, True)])
def test_an_answer_to_a_slot_that_was_asked_for_again_is_not_circular(slot, times, circular):
    assert circles(NIGHT, NIGHT, last_asked=slot, asked={slot: times}) is circular


def test_messages_too_far_back_do_not_count():
    between = [
        f"{number}월에는 {place}에 다녀왔어요" for number, place in enumerate(("산", "바다", "강릉", "속초", "부산"))
    ]
    assert circles(NIGHT, NIGHT, *between[:4])
    assert not circles(NIGHT, NIGHT, *between)


def test_the_counsellors_replies_do_not_count():
    assert not circles(NIGHT, "네", replies=[NIGHT])
