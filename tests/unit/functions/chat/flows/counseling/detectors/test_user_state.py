import pytest

from shared.domain.counseling.user_state import EmotionChange, EmotionLabel, Resistance
from shared.domain.errors import ModelUnavailable
from shared.safety.levels import RiskLevel
from tests.fakes.answers import user_state_reading
from tests.fakes.counselling import task
from tests.fakes.talk import Talk
from tests.support.tags import element, elements

DETECTOR = "user_state_detector"
PLAIN = "오늘은 그냥 집에 있었어요"


class TestTheReading:
    async def test_joins_the_rules_and_the_model_the_stronger_of_each(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(
            emotion=EmotionLabel.SADNESS, intensity=2, topic_changed=True, resistance=Resistance.NONE
        )
        await talk.say("너무 화가 나요 정말로 말이에요")
        state = talk.state.user_state
        assert (state.emotion, state.topic_changed) == (EmotionLabel.ANGER, True)
        assert state.intensity > 2

    async def test_holds_by_the_rules_when_the_model_fails(self, talk):
        talk.model.scripts[DETECTOR] = ModelUnavailable("503")
        said = await talk.say("너무 화가 나요 정말로 말이에요")
        assert talk.state.user_state.emotion is EmotionLabel.ANGER
        assert said.run(DETECTOR).decided_by.value == "safe_default"

    async def test_of_a_mere_sound_needs_no_model(self, talk):
        said = await talk.say("네 ㅎㅎ")
        assert talk.model.asked(DETECTOR) == []
        assert said.run(DETECTOR).decided_by.value == "rule"

    async def test_keeps_evidence_only_when_it_was_said(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(intensity=5, evidence="화가 나요")
        await talk.say("오늘은 조용히 있었어요")
        assert talk.state.user_state.evidence == ""


class TestDanger:
    async def test_that_the_model_finds_with_the_users_words_is_answered_by_the_protocol(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(risk="crisis", evidence="끝내려고요")
        said = await talk.say("이제 다 정리하고 끝내려고요, 어제부터요")
        assert said.outcome.flags == ("crisis",)
        assert talk.state.risk.level is RiskLevel.CRISIS
        assert talk.model.asked("counselor") == []
        assert said.outcome.audit[0].rule == "model"

    async def test_without_a_quote_is_a_reason_to_ask(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(risk="imminent", evidence="옥상이에요")
        said = await talk.say("오늘은 그냥 집에 있었어요")
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert said.directive["concern"] is True
        assert '<notice kind="concern">' in talk.model.asked("counselor")[0].system
        assert "crisis" not in said.outcome.flags

    async def test_a_level_that_does_not_exist_is_none(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(risk="catastrophic")
        await talk.say("오늘은 그냥 집에 있었어요")
        assert talk.state.risk.level is RiskLevel.NONE

    async def test_a_concern_by_rule_is_not_taken_back_by_the_model(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(risk="none")
        said = await talk.say("왜 사는지 모르겠어요")
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert said.directive["concern"] is True


class TestChange:
    """What shows only against the turns before."""

    async def test_is_seen_against_the_readings_that_the_session_keeps(self, talk):
        for intensity in (2, 2, 8):
            talk.model.scripts[DETECTOR] = user_state_reading(emotion="anger", intensity=intensity)
            await talk.say(PLAIN)
        assert talk.state.user_state.emotion_change is EmotionChange.RISE
        assert [(one.seq, one.intensity) for one in talk.state.readings] == [(1, 2), (2, 2), (3, 8)]

    async def test_of_a_strong_feeling_that_lasts_is_seen_without_the_model_saying_so(self, talk):
        for _ in range(3):
            talk.model.scripts[DETECTOR] = user_state_reading(emotion="anxiety", intensity=8)
            await talk.say(PLAIN)
        assert talk.state.user_state.emotion_change is EmotionChange.SUSTAINED

    async def test_a_mere_sound_is_no_reading(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(emotion="anxiety", intensity=8)
        await talk.say(PLAIN)
        await talk.say("네 ㅎㅎ")
        assert [one.seq for one in talk.state.readings] == [1]
        assert talk.state.user_state.intensity == 0

    async def test_that_the_model_claims_without_an_earlier_reading_is_dropped(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(emotion="anger", intensity=6, emotion_change="rise")
        await talk.say(PLAIN)
        assert talk.state.user_state.emotion_change is EmotionChange.NONE

    @pytest.mark.parametrize("locale", ["ko", "en"])
    async def test_is_judged_by_a_model_that_sees_the_readings_before(self, locale):
        talk = Talk(locale=locale)
        talk.model.scripts[DETECTOR] = user_state_reading(emotion="anger", intensity=8, resistance="mild")
        await talk.say(PLAIN)
        await talk.say(PLAIN)
        first, second = (one.messages[0].text for one in talk.model.asked(DETECTOR))
        assert elements(first, "earlier") == []
        reading = '<reading turn="1" emotion="anger" intensity="8" resistance="mild">strong_emotion</reading>'
        assert element(second, "earlier") == reading

    async def test_no_words_of_the_user_are_kept_with_the_readings(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(intensity=5, evidence="조용히 있었어요")
        await talk.say("오늘은 조용히 있었어요")
        assert talk.state.user_state.evidence == "조용히 있었어요"
        assert [one.evidence for one in talk.state.readings] == [""]


class TestResistance:
    async def test_that_is_mild_and_does_not_pass_asks_to_be_met(self, talk):
        for text in ("글쎄요", "잘 모르겠어요", "말하기 좀 그래요"):
            await talk.say(text)
        assert talk.state.user_state.resistance_persists
        assert talk.state.current_module == "resistance_handling"

    async def test_that_persists_or_is_strong_holds_every_question_back_and_a_mild_one_does_not(self, talk):
        asked = [(await talk.say("글쎄요")).ask for _ in range(4)]
        assert talk.state.user_state.resistance_persists
        assert asked[0] is not None
        assert asked[-1] is None
        assert (await talk.say("상담하기 싫어요")).ask is None

    async def test_that_is_mild_once_does_not(self, talk):
        await talk.say("글쎄요")
        assert not talk.state.user_state.resistance_persists
        assert talk.state.current_module != "resistance_handling"


class TestTopic:
    async def test_is_changed_by_the_users_own_words_without_a_model(self, talk):
        talk.model.scripts.pop(DETECTOR)
        await talk.say("그건 그렇고 어제 엄마가 전화를 하셨어요")
        assert talk.state.user_state.topic_changed


class TestCircularTalk:
    async def test_that_the_model_finds_in_the_first_message_is_none(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(circular=True)
        await talk.say(PLAIN)
        assert not talk.state.user_state.circular
        talk.model.scripts[DETECTOR] = user_state_reading(circular=True)
        await talk.say("어제는 바다에 다녀왔어요")
        assert talk.state.user_state.circular

    async def test_is_found_in_a_conversation_without_a_model(self, talk):
        talk.plan(task("a", 2, completion_rule="judged"))
        talk.work_on("a")
        talk.model.scripts.pop(DETECTOR)
        found = []
        for _ in range(3):
            await talk.say("팀장님이 저를 무시해서 화가 나요")
            found.append(talk.state.user_state.circular)
        assert found == [False, False, True]

    async def test_is_no_message_sent_again_because_no_answer_came(self, talk):
        model = dict(talk.model.scripts)
        talk.model.scripts = {}
        for _ in range(2):
            await talk.say("팀장님이 저를 무시해서 화가 나고 회사에 가기 싫어요")
            assert not talk.state.user_state.circular
        talk.model.scripts = model
        await talk.say("팀장님이 저를 무시해서 화가 나고 회사에 가기 싫어요")
        assert not talk.state.user_state.circular
