"""The user's state: the readings of rules and model, changes against earlier turns, resistance and circular talk."""

import pytest

from shared.domain.counseling.user_state import EmotionChange, EmotionLabel, Resistance
from shared.domain.errors import ModelUnavailable
from tests.builders.answers import user_state_reading
from tests.builders.sessions import task
from tests.builders.talk import Talk, speaking
from tests.support.tags import element, elements

DETECTOR = "user_state_detector"
PLAIN, ANGRY, QUIET = "오늘은 그냥 집에 있었어요", "너무 화가 나요 정말로 말이에요", "오늘은 조용히 있었어요"
BOSS = "팀장님이 저를 무시해서 화가 나고 회사에 가기 싫어요"


async def read(talk, text=PLAIN, **reading):
    """Say this; the model gives this reading."""
    talk.model.scripts[DETECTOR] = user_state_reading(**reading)
    return await talk.say(text)


class TestTheReading:
    async def test_joins_rules_and_model_and_takes_the_stronger_of_each(self, talk):
        await read(talk, ANGRY, emotion="sadness", intensity=2, topic_changed=True, resistance="none")
        state = talk.state.user_state
        assert (state.emotion, state.topic_changed) == (EmotionLabel.ANGER, True)
        assert state.intensity > 2

    async def test_is_the_feeling_named_anew_beside_one_already_known(self, talk):
        for text, emotion in (("조금 화가 나요", "anger"), ("화가 난다고 하면 나쁜 사람 같아서 미안해져요", "shame")):
            await read(talk, text)
            assert talk.state.user_state.emotion.value == emotion

    async def test_is_that_of_the_rules_when_the_model_fails(self):
        talk = speaking(user_state_detector=ModelUnavailable("503"))
        said = await talk.say(ANGRY)
        assert talk.state.user_state.emotion is EmotionLabel.ANGER
        assert said.run(DETECTOR).decided_by.value == "safe_default"
        await talk.say("그건 그렇고 어제 엄마가 전화를 하셨어요")
        assert talk.state.user_state.topic_changed

    async def test_keeps_evidence_only_if_the_user_said_it_and_none_in_the_history(self, talk):
        await read(talk, QUIET, intensity=5, evidence="화가 나요")
        assert talk.state.user_state.evidence == ""
        await read(talk, QUIET, intensity=5, evidence="조용히 있었어요")
        assert talk.state.user_state.evidence == "조용히 있었어요"
        assert {one.evidence for one in talk.state.readings} == {""}


class TestChange:
    """A change against the readings of earlier turns."""

    @pytest.mark.parametrize(
        ("intensities", "change"), [((2, 2, 8), EmotionChange.RISE), ((8, 8, 8), EmotionChange.SUSTAINED)]
    )
    async def test_is_found_against_the_readings_that_the_session_stores(self, talk, intensities, change):
        for intensity in intensities:
            await read(talk, emotion="anger", intensity=intensity)
        assert talk.state.user_state.emotion_change is change
        assert [(one.seq, one.intensity) for one in talk.state.readings] == [*enumerate(intensities, 1)]

    async def test_is_not_read_from_a_backchannel(self, talk):
        await read(talk, emotion="anxiety", intensity=8)
        said = await talk.say("네 ㅎㅎ")
        assert (len(talk.model.asked(DETECTOR)), said.run(DETECTOR).decided_by.value) == (1, "rule")
        assert [one.seq for one in talk.state.readings] == [1]
        assert talk.state.user_state.intensity == 0

    async def test_claimed_by_the_model_without_an_earlier_reading_is_dropped(self, talk):
        await read(talk, emotion="anger", intensity=6, emotion_change="rise")
        assert talk.state.user_state.emotion_change is EmotionChange.NONE

    @pytest.mark.parametrize("locale", ["ko", "en"])
    async def test_is_judged_by_a_model_whose_prompt_holds_the_earlier_readings(self, locale):
        talk = Talk(locale=locale)
        for _ in range(2):
            await read(talk, emotion="anger", intensity=8, resistance="mild")
        first, second = (one.messages[0].text for one in talk.model.asked(DETECTOR))
        assert elements(first, "earlier") == []
        reading = '<reading turn="1" emotion="anger" intensity="8" resistance="mild">strong_emotion</reading>'
        assert element(second, "earlier") == reading


class TestResistance:
    async def test_that_is_mild_and_persists_changes_the_module(self, talk):
        found = []
        for text in ("꼭 말해야 해요?", "이게 도움이 될까요?", "말하기 좀 그래요"):
            await talk.say(text)
            met = talk.state.current_module == "resistance_handling"
            found.append((talk.state.user_state.resistance_persists, met))
        assert (found[0], found[-1]) == ((False, False), (True, True))

    async def test_holds_questions_back_when_it_persists_or_is_strong(self, talk):
        asked = [(await read(talk, "그냥 그렇게 지냈어요", resistance="mild")).ask for _ in range(4)]
        assert talk.state.user_state.resistance_persists
        assert (asked[0] is None, asked[-1]) == (False, None)
        assert (await talk.say("상담하기 싫어요")).ask is None

    @pytest.mark.parametrize("text", ["몰라요", "글쎄요, 잘 모르겠어요", "I don't know"])
    async def test_is_none_if_the_user_only_has_no_answer_whatever_the_model_says(self, talk, text):
        for _ in range(4):
            await read(talk, text, resistance="mild")
        assert talk.state.user_state.resistance is Resistance.NONE
        assert talk.state.current_module != "resistance_handling"


class TestCircularTalk:
    async def test_is_not_a_repeated_statement_of_safety(self, talk):
        await talk.say("죽고 싶어요")
        circles = [(await read(talk, "지금은 안전해요", circular=True)).state.user_state.circular for _ in range(3)]
        assert circles == [False, False, False]

    async def test_found_by_the_model_in_the_first_message_is_dropped(self, talk):
        await read(talk, circular=True)
        assert not talk.state.user_state.circular
        await read(talk, "어제는 바다에 다녀왔어요", circular=True)
        assert talk.state.user_state.circular

    async def test_is_found_without_a_model(self, talk):
        talk.plan(task("a", 2, completion_rule="judged"))
        talk.work_on("a")
        talk.model.scripts.pop(DETECTOR)
        found = [(await talk.say("팀장님이 저를 무시해서 화가 나요")).state.user_state.circular for _ in range(3)]
        assert found == [False, False, True]

    async def test_is_not_a_message_repeated_after_a_degraded_reply(self, talk):
        model, talk.model.scripts = talk.model.scripts, {}
        found = [(await talk.say(BOSS)).state.user_state.circular for _ in range(2)]
        talk.model.scripts = model
        found.append((await talk.say(BOSS)).state.user_state.circular)
        assert found == [False, False, False]
