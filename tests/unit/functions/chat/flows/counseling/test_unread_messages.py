"""What a message that no model could read does to the turn that answers it, and to those after it."""

import pytest

from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.domain.errors import ModelBlocked, ModelUnavailable
from shared.lexicon.asking import asks_of
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.builders.answers import reads
from tests.builders.talk import REPLY, Talk, after

READER, COUNSELOR = "reader", "counselor"
AWAY = ModelUnavailable("503")
UNSEEN, PLAIN = "아까 그거 다 먹었어요 이제 졸려요", "오늘은 그냥 집에 있었어요"
CONCERNING, DANGER = "더는 못 버티겠어요", "요즘 자꾸 죽고 싶어요"
CARE_STANCE = "<stance>care</stance>"
VOICES = ({"locale": "ko"}, {"locale": "ko", "register": "반말"}, {"locale": "en"})


def names_the_lines(reply):
    return all(reply.count(number) == 1 for number in ("109", "119"))


async def after_an_outage(*texts, **opened):
    """Return a talk in which nobody could read these messages; every model is there again."""
    talk = Talk(**opened)
    scripts, talk.model.scripts = talk.model.scripts, {}
    for text in texts or (UNSEEN,):
        await talk.say(text)
    talk.model.scripts = scripts
    return talk


def unread_from_now(talk, fault=AWAY):
    """Let the reader fail, and the Counselor go on."""
    talk.model.scripts |= {READER: fault}
    return talk


class TestUnderFourteen:
    @pytest.mark.parametrize("said", ["저 13살이에요", UNSEEN, "그냥 집이에요"])
    async def test_every_reply_names_109_and_119(self, said):
        talk = await after("저 13살이에요", *(["저 자꾸 죽고 싶어요"] if said == "그냥 집이에요" else []))
        reply = (await talk.say(said)).reply
        assert names_the_lines(reply)


class TestAYesToWhetherHelpIsNeededNow:
    @pytest.mark.parametrize("model_is_there", [True, False])
    @pytest.mark.parametrize("opened", VOICES, ids=str)
    async def test_is_a_concern_and_names_the_ambulance_first_and_asks_what_happened(self, opened, model_is_there):
        talk = await after_an_outage(
            "i had what was left in the drawer. sleepy now" if opened["locale"] == "en" else UNSEEN, **opened
        )
        if not model_is_there:
            talk.model.scripts = {}
        said = await talk.say("yes" if opened["locale"] == "en" else "네")
        first = "911" if opened["locale"] == "en" else "119"
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert said.run("safety_gate").reason == "needs-help-now"
        assert first in said.reply
        assert said.reply.index(first) < min(
            said.reply.index(one) for one in ("109", "112" if first == "119" else "988")
        )
        assert len(asks_of(said.reply)) == 1
        assert not talk.content.crisis_answers.asks_directly(said.reply)
        assert talk.state.risk.asked_seq is None

    async def test_is_one_under_14(self):
        talk = await after("저 13살이에요")
        talk.commit(turn := talk.turn(UNSEEN), talk.flow.apologize(turn))
        assert "119" in (await talk.say("네")).reply

    @pytest.mark.parametrize("said", ["아니요", "네 회사 일이 너무 많아요"])
    async def test_is_none_with_a_no_or_with_other_words(self, said):
        talk = await after_an_outage()
        assert (await talk.say(said)).state.risk.level is RiskLevel.NONE

    async def test_is_none_behind_another_request_to_repeat(self):
        talk = Talk()
        talk.set(last_asked="name", asked={"name": 1})
        talk.model.scripts[READER] = "네, 알겠습니다."
        await talk.say(PLAIN)
        assert talk.state.repeat_asked_seq == 1
        assert (await talk.say("네")).state.risk.level is RiskLevel.NONE

    async def test_is_none_when_it_was_sent_before_the_question(self):
        talk = await after_an_outage()
        sent = talk.clock.now()
        talk.clock.advance(60)
        talk.set(recent=tuple(one.model_copy(update={"created_at": talk.clock.now()}) for one in talk.state.recent))
        assert (await talk.say("네", received_at=sent)).state.risk.level is RiskLevel.NONE


class TestWithTheCounselorAlone:
    @pytest.mark.parametrize("fault", [AWAY, ModelBlocked("SAFETY"), ""], ids=repr)
    async def test_the_lines_stand_behind_its_words(self, fault):
        said = await unread_from_now(Talk(), fault).say(UNSEEN)
        assert said.reply.startswith(REPLY)
        assert names_the_lines(said.reply)

    async def test_a_plain_answer_to_what_code_asked_has_none(self):
        talk = unread_from_now(await after(PLAIN))
        talk.happen(WrapUpProposed(aim=WrapUpAim.WRAP_UP, seq=1))
        assert "109" not in (await talk.say("네")).reply

    async def test_a_message_that_was_read_has_none(self):
        assert "109" not in (await Talk().say(PLAIN)).reply

    @pytest.mark.parametrize("said", ["모르겠어요", "글쎄요"])
    async def test_a_vague_answer_to_whether_help_is_needed_is_cared_for_and_has_them(self, said):
        talk = unread_from_now(await after_an_outage())
        assert names_the_lines((await talk.say(said)).reply)
        assert CARE_STANCE in talk.model.asked(COUNSELOR)[-1].system


class TestAnOpenConcern:
    async def concerned(self):
        return await after_an_outage(CONCERNING)

    @pytest.mark.parametrize("said", [PLAIN, "모르겠어요"])
    async def test_is_cared_for_when_the_next_message_was_not_read(self, said):
        talk = await self.concerned()
        await talk.say("아니요, 죽고 싶은 건 아니에요")
        assert talk.state.risk.level is RiskLevel.CONCERN
        reply = (await unread_from_now(talk).say(said)).reply
        assert CARE_STANCE in talk.model.asked(COUNSELOR)[-1].system
        assert names_the_lines(reply)

    async def test_is_talked_about_as_usual_when_the_next_message_was_read(self):
        talk = await self.concerned()
        await talk.say("아니요, 죽고 싶은 건 아니에요")
        await talk.say(PLAIN)
        assert CARE_STANCE not in talk.model.asked(COUNSELOR)[-1].system

    async def test_after_a_yes_to_the_emergency_question_is_not_lost_by_a_vague_answer(self):
        talk = await after_an_outage()
        await talk.say("네")
        reply = (await unread_from_now(talk).say("모르겠어요")).reply
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert CARE_STANCE in talk.model.asked(COUNSELOR)[-1].system
        assert names_the_lines(reply)


class TestADangerInWordsThatNobodyRead:
    async def test_of_an_outage_counts_in_full_when_a_model_quotes_them_later(self):
        talk = await after_an_outage()
        talk.model.scripts[READER] = reads(danger="own_imminent", quote="그거 다 먹었어요")
        await talk.say("아직도 졸려요")
        assert talk.state.risk.level is RiskLevel.IMMINENT

    async def test_of_a_message_that_the_protocol_answered_counts_in_full(self):
        talk = await after("요즘 자꾸 죽고 싶어요. 서랍에 그거 모아 뒀어요")
        assert CrisisOutcome.IMMINENT not in talk.state.risk.found
        talk.model.scripts[READER] = reads(danger="own_imminent", quote="서랍에 그거 모아 뒀어요")
        await talk.say("그냥 그래요 오늘도")
        assert talk.state.risk.level is RiskLevel.IMMINENT

    async def test_is_a_concern_where_a_model_had_read_the_words_before(self):
        talk = await after("그거 다 먹었어요")
        talk.model.scripts[READER] = reads(danger="own_imminent", quote="그거 다 먹었어요")
        await talk.say("아직도 졸려요")
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert not (await talk.say("아니요, 그런 뜻은 아니에요")).directive["concern"], "they are asked about once"

    async def test_counts_where_the_answer_broke_behind_the_quote(self):
        talk = await after_an_outage()
        broken = '{"danger": [{"kind": "own_imminent", "quote": "그거 다 먹었어요"}], "signs": [{"id": "lo'
        talk.model.scripts[READER] = [broken, AWAY]
        await talk.say("아직도 졸려요")
        assert talk.state.risk.level is RiskLevel.IMMINENT
