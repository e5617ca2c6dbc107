"""Whole conversations reach their end, repeat no question, follow the user and keep one register."""

import re

import pytest

from tests.unit.local.gemini.counsellor.conversation import CASUAL, ENGLISH, TALK, Conversation

POLITE = re.compile(r"(?:요|니다|까요|죠)[.?!]")
STOP = "오늘은 여기까지 할게요"


@pytest.mark.parametrize("seed", range(2))
async def test_a_korean_session_reaches_part_2_and_repeats_no_question(seed):
    conversation = await Conversation.of(*TALK, seed=seed)
    state = conversation.state
    assert (state.user_info["name"], state.user_info["prior_counseling"]) == ("지훈", False)
    assert state.user_info.keys() >= {"reason", "support_people", "coping_style"}
    assert state.current_part == 2
    asked = [question.strip() for reply in conversation.replies for question in re.findall(r"[^.!?\n]+\?", reply)]
    assert len(asked) == len(set(asked))
    assert conversation.greeting.text not in conversation.replies


@pytest.mark.parametrize(("talk", "opening"), [(TALK, {}), (CASUAL, {"register": "반말"}), (ENGLISH, {"locale": "en"})])
async def test_each_reply_is_short_with_one_question_at_most(talk, opening):
    for reply in (await Conversation.of(*talk, seed=1, **opening)).replies:
        assert reply.count("?") <= 1, reply
        assert len(re.findall(r"[.?!](?=\s|$)", reply)) <= 5, reply
        assert len(reply) <= (380 if "locale" in opening else 230), reply
        assert not re.search(r"당신|\{|\}|과제|모듈|파트", reply)


async def test_the_register_is_kept():
    for reply in (await Conversation.of(*CASUAL, seed=2, register="반말")).replies:
        assert not POLITE.search(reply), reply
    for reply in (await Conversation.of(*TALK, seed=2)).replies:
        for sentence in re.findall(r"[^.?!]+[.?!]", reply):
            assert POLITE.search(sentence), sentence


async def test_a_session_ends_only_after_the_user_confirms():
    conversation = await Conversation.of(*TALK[:9], STOP, "아니요 조금 더 얘기하고 싶어요")
    assert not conversation.state.ended
    await conversation.say(STOP)
    await conversation.say("네")
    assert conversation.state.ended


CORRECTING = (
    *("안녕하세요", "저는 지훈이 아니라 지은이에요", "그냥 요즘 사람들이랑 있는 게 너무 외로워요"),
    *("그냥 친구 한 명만 있었으면 좋겠어요", "네 그래도 이렇게 말하니까 조금 나아요"),
    *("아 이름 잘못 말했어요. 저는 지혜예요", "상담은 처음이에요", "동생한테 가끔 얘기해요"),
)


@pytest.mark.parametrize("seed", range(2))
async def test_corrected_values_are_remembered_and_a_denied_name_is_never_used(seed):
    conversation = await Conversation.of(*CORRECTING, seed=seed)
    assert not re.search("지훈|받아 보신 적이 있으시군요", " ".join(conversation.replies))
    assert "지은" not in " ".join(conversation.replies[5:])
    info = conversation.state.user_info
    assert (info["name"], info["prior_counseling"]) == ("지혜", False)
    assert info["support_people"] == "동생한테 가끔 얘기해요"
