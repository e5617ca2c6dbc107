"""A user who has just told of violence is not asked what exactly was done to them."""

import pytest

from tests.builders.talk import after, speaking

TOLD = "어렸을 때 삼촌이 나쁜 짓을 했어요"
PROBES = "말해 주셔서 고마워요. 혼자 오래 안고 계셨군요. 구체적으로 어떤 일이었어요?"


@pytest.mark.parametrize("probe", ["구체적으로 어떤 일이었어요?", "언제부터 그랬어요?", "그때 어떻게 하셨어요?"])
@pytest.mark.parametrize("message", ["남편이 예전에 때렸었어요", "네, 그 얘기예요"])
async def test_details_are_not_asked_for_in_the_turns_of_a_disclosure(message, probe):
    talk = await after(TOLD)
    talk.model.scripts["counselor"] = f"말해 주셔서 고마워요. 혼자 오래 안고 계셨군요. {probe}"
    reply = (await talk.say(message)).reply
    assert probe not in reply
    assert "고마워요" in reply


@pytest.mark.parametrize("question", ["지금은 안전하세요?", "이 이야기를 꺼내신 마음은 어떠세요?"])
async def test_safety_and_how_it_is_to_tell_may_be_asked(question):
    talk = await after(TOLD)
    talk.model.scripts["counselor"] = f"말해 주셔서 고마워요. {question}"
    assert question in (await talk.say("네, 그 얘기예요")).reply


async def test_who_told_of_no_violence_is_asked():
    assert "어떤 일이었어요?" in (await speaking(counselor=PROBES).say("회사에서 속상한 일이 있었어요")).reply
