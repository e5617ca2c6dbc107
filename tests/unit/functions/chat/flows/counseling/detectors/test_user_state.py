import pytest

from functions.chat.flows.counseling.detectors.user_state import UserStateReading, circular
from shared.domain.conversation import Message, Role
from shared.domain.counseling.user_state import EmotionLabel, Resistance
from shared.domain.errors import ModelUnavailable
from shared.domain.safety.levels import RiskLevel
from tests.fakes.counselling import NOW

DETECTOR = "user_state_detector"


def users(*texts):
    return [Message(seq=n, role=Role.USER, text=text, created_at=NOW) for n, text in enumerate(texts, 1)]


class TestTheReading:
    async def test_joins_the_rules_and_the_model_the_stronger_of_each(self, talk):
        talk.model.scripts[DETECTOR] = UserStateReading(
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
        talk.model.scripts[DETECTOR] = UserStateReading(intensity=5, evidence="화가 나요")
        await talk.say("오늘은 조용히 있었어요")
        assert talk.state.user_state.evidence == ""


class TestDanger:
    async def test_that_the_model_finds_with_the_users_words_is_answered_by_the_protocol(self, talk):
        talk.model.scripts[DETECTOR] = UserStateReading(risk="crisis", evidence="끝내려고요")
        said = await talk.say("이제 다 정리하고 끝내려고요, 어제부터요")
        assert said.outcome.flags == ("crisis",)
        assert talk.state.risk.level is RiskLevel.CRISIS
        assert talk.model.asked("counselor") == []
        assert said.outcome.audit[0].rule == "model"

    async def test_without_a_quote_is_a_reason_to_ask(self, talk):
        talk.model.scripts[DETECTOR] = UserStateReading(risk="imminent", evidence="옥상이에요")
        said = await talk.say("오늘은 그냥 집에 있었어요")
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert said.directive["concern"] is True
        assert '<notice kind="concern">' in talk.model.asked("counselor")[0].system
        assert "crisis" not in said.outcome.flags

    async def test_a_level_that_does_not_exist_is_none(self, talk):
        talk.model.scripts[DETECTOR] = UserStateReading(risk="catastrophic")
        await talk.say("오늘은 그냥 집에 있었어요")
        assert talk.state.risk.level is RiskLevel.NONE

    async def test_a_concern_by_rule_is_not_taken_back_by_the_model(self, talk):
        talk.model.scripts[DETECTOR] = UserStateReading(risk="none")
        said = await talk.say("왜 사는지 모르겠어요")
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert said.directive["concern"] is True


class TestCircularTalk:
    same = "팀장님이 저를 무시해서 화가 나요"

    def test_is_three_messages_that_say_the_same(self):
        assert circular(self.same, users(self.same, self.same + "."))

    @pytest.mark.parametrize(
        "before",
        [
            [],
            [same],
            [same, "어제는 바다에 다녀왔는데 좋더라고요"],
            ["어제는 바다에 다녀왔는데 좋더라고요", same],
        ],
    )
    def test_is_not_fewer_or_something_new_between(self, before):
        assert not circular(self.same, users(*before))

    def test_is_not_short_answers(self):
        assert not circular("네", users("네", "네"))

    def test_looks_at_the_user_only(self):
        echo = [Message(seq=1, role=Role.COUNSELOR, text=self.same, created_at=NOW)] * 3
        assert not circular(self.same, echo)

    async def test_is_found_in_a_conversation_without_a_model(self, talk):
        talk.model.scripts.pop(DETECTOR)
        for _ in range(3):
            await talk.say(self.same)
        assert talk.state.user_state.circular
