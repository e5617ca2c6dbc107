"""A slot that the user declines to answer counts as given and is not asked for again."""

import pytest

from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from shared.content.catalogue import content
from shared.locale import Locale
from tests.builders.answers import task_completion
from tests.builders.talk import Talk

CHECKER = "task_completion_checker"
STORY = "요즘 회사 일로 잠을 못 자요"
NOT_SAID = content().messages(Locale.KO).text("slot_declined")
NO = "안 알려 드릴래요"
REFUSALS = (
    "이름 밝히고 싶지 않아요", "이름은 패스", "이름은 됐고 그냥 얘기나 들어줘", "이름은 공개하고 싶지 않아요",
    "이름은 알려주고 싶지 않은데요", "이름은 글쎄요", "이름은 굳이요", "이름은 부담스러워요", "이름은 안돼요",
    "이름은 노코멘트", "이름은 생략", "이름은 좀 그래요", "이름은 드러내고 싶지가 않네요", "이름은 곤란해요",
    "이름은 넘어가고 다른 얘기 해요", "이름은 어려워요",
)  # fmt: skip


async def read(talk, text, name, value=None, quote=None):
    """Say this; the checker reads it, or a part of it, as the value of a slot."""
    value = text if value is None else value
    slots = (SlotFound(name=name, value=value, quote=quote or value, corrects=False),)
    talk.model.scripts[CHECKER] = task_completion(complete=False, slots=slots)
    return await talk.say(text)


def declined(talk):
    return talk.state.declined_slots


def asked_for(slot):
    """Return a talk in which the name is known and this slot was asked for."""
    talk, first = Talk(), ("task_welcome_1", "task_info_1", "task_rapport_1")
    talk.work_on("task_info_1" if slot == "reason" else "task_persona_1", covered=first[: 1 if slot == "reason" else 3])
    talk.set(user_info={"name": "하늘"})
    talk.ask_for(slot)
    return talk


class TestAName:
    @pytest.mark.parametrize("no", [NO, "없어요", "익명이요", "그냥 넘어가 주세요", "꼭 말해야 하나요?", "패스할게요"])
    async def test_that_is_refused_is_declined_even_if_the_model_reads_one(self, talk, no):
        await read(talk, no, "name")
        assert declined(talk) == ("name",)
        assert "name" not in talk.state.user_info

    async def test_that_is_declined_counts_as_given_for_the_tasks_gate(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.set(last_asked="name")
        await talk.say("익명이요")
        await read(talk, STORY, "reason")
        assert talk.state.task("task_info_1").covered
        (entry,) = [log for log in talk.state.completion_log if log.data["task"] == "task_info_1"]
        assert entry.data["evidence"] == f"찾아온 이유: {STORY}"

    async def test_that_is_declined_is_listed_apart_from_known_slots(self, talk):
        said = await talk.say(NO)
        assert (said.directive["known"], said.directive["declined"]) == ({}, ["이름"])
        system = talk.model.asked("counselor")[0].system
        assert "<declined>\n- 이름\n</declined>" in system
        assert NOT_SAID not in system

    @pytest.mark.parametrize("text", REFUSALS)
    async def test_is_never_read_in_a_refusal_even_if_the_model_reads_one(self, talk, text):
        for value in (text, *text.rstrip("?").split(), *(word[:2] for word in text.split())):
            await read(talk, text, "name", value, quote=text)
            assert "name" not in talk.state.user_info, value
            talk.set(last_asked="name", declined_slots=())

    async def test_that_is_given_with_a_refusal_or_sounds_like_one_is_kept(self):
        for text, name in (
            ("싫어요, 그냥 하늘로 해 주세요", "하늘"),
            ("실명은 싫고 별이라고 불러줘", "별"),
            ("본명은 말하고 싶지 않아요. 하늘이요", "하늘"),
            ("하늘이라고 불러 주실래요?", "하늘"),
            ("나 현우", "현우"),
            ("박나중입니다", "박나중"),
            ("I'd rather not say my real name, but Pat is fine", "Pat"),
            ("Could you call me Pat?", "Pat"),
            ("안미정이요", "안미정"),
        ):
            talk = Talk()
            await read(talk, text, "name", name, quote=text)
            assert (talk.state.user_info.get("name"), declined(talk)) == (name, ()), text

    async def test_that_is_declined_may_be_given_later(self, talk):
        await talk.say(NO)
        for words, name in (("그냥 하늘이라고 불러 주세요", "하늘"), ("패스라고 불러 주세요", "패스")):
            await talk.say(words)
            assert (talk.state.user_info["name"], declined(talk)) == (name, ())


class TestAnswersThatLookAlike:
    async def test_none_is_a_value_where_the_slot_takes_it_and_a_statement_is_no_refusal(self):
        for slot, answer, value in (
            ("prior_counseling", "없어요", False),
            ("support_people", "없어요", "없어요"),
            ("coping_style", "없습니다", "없습니다"),
        ):
            talk = asked_for(slot)
            await talk.say(answer)
            assert (talk.state.user_info[slot], declined(talk)) == (value, ())
        for answer in ("그냥 넘어가요", "아무한테도 말 안 해요", "말할 사람이 없어요"):
            talk = asked_for("coping_style")
            await talk.say(answer)
            assert declined(talk) == (), answer

    @pytest.mark.parametrize(
        ("answer", "value"),
        [
            ("예 안전합니다", None),
            ("응 집에 엄마 있어", None),
            ("네 병원에서요", True),
            ("네 있어요", True),
            ("아니 없어요", False),
        ],
    )
    async def test_a_yes_with_words_of_safety_or_company_tells_of_no_earlier_counselling(self, answer, value):
        talk = asked_for("prior_counseling")
        await talk.say(answer)
        assert talk.state.user_info.get("prior_counseling") is value

    async def test_a_hesitant_disclosure_is_a_value_and_no_refusal(self):
        for told in (
            "말하기 힘들어요, 아빠가 술 마시면 저한테 소리를 질러요",
            "비밀이에요, 사실 동성을 좋아해서 힘들어요",
            "it's private, but my husband left",
            "싫어요. 그 사람 얘기만 나오면 숨이 막혀요",
            "말하고 싶지 않았는데, 어제 회사에서 쫓겨났어요",
        ):
            talk = asked_for("reason")
            await read(talk, told, "reason")
            assert (declined(talk), talk.state.user_info["reason"]) == ((), told)

    async def test_a_refusal_in_several_clauses_declines(self):
        ko = ("음, 말하고 싶지 않아요. 죄송해요", "그건 비밀이에요, 말하기 싫어요")
        for no in (*ko, "sorry, I'd rather not say. thanks", "idk, skip"):
            talk = asked_for("reason")
            await read(talk, no, "reason")
            assert (declined(talk), "reason" in talk.state.user_info) == (("reason",), False), no

    async def test_a_refusal_counts_only_after_a_question(self, talk):
        talk.model.scripts["counselor"] = "그러셨군요."
        talk.work_on("task_rapport_1", covered=["task_welcome_1", "task_info_1"])
        for text in (STORY, "싫어요"):
            await talk.say(text)
        assert declined(talk) == ()

    async def test_a_refusal_that_was_sent_before_the_question_does_not_count(self, talk):
        sent = talk.clock.now()
        talk.clock.advance(2)
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.set(user_info={"name": "하늘"})
        await talk.say("음 그러니까요")
        assert talk.state.last_asked == "reason"
        await talk.say("말하고 싶지 않아요", received_at=sent)
        assert declined(talk) == ()

    async def test_another_slot_in_a_refusing_message_is_read(self, talk):
        reason = "회사 일로 잠을 못 자서 왔어요"
        await read(talk, f"이름은 말하고 싶지 않아요. {reason}.", "reason", reason)
        assert (declined(talk), talk.state.user_info["reason"]) == (("name",), reason)


class TestTheSlotThatIsDeclined:
    @pytest.mark.parametrize("no", ["이름은 말하기 싫어요", "이름은 안 알려 드릴래요", "말하기 싫어요"])
    async def test_is_the_one_that_the_model_asked_for_and_not_the_planned_one(self, talk, no):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.model.scripts["counselor"] = "그러셨군요. 성함을 여쭤봐도 될까요?"
        talk.ask_for("reason")
        await talk.say("음, 그러니까요")
        talk.set(last_asked="reason")
        await talk.say(no)
        assert declined(talk) == ("name",)

    async def test_is_the_one_that_the_user_names_before_it_was_asked_for(self):
        talk = asked_for("coping_style")
        await talk.say("상담 경험은 말 안 할래요")
        assert declined(talk) == ("prior_counseling",)


class TestTheDeclineButton:
    @pytest.mark.parametrize(("text", "flags"), [("네, 그럴게요", ()), ("죽고 싶어요", ("crisis",))])
    async def test_declines_its_slot_with_any_text_and_does_not_hide_danger_in_the_text(self, talk, text, flags):
        said = await talk.say(text, declines="name")
        assert (declined(talk), said.outcome.flags) == (("name",), flags)

    @pytest.mark.parametrize("slot", ["support_people", "no_such_slot", "name"])
    async def test_declines_no_slot_that_was_not_asked_for_or_has_a_value(self, talk, slot):
        talk.set(user_info={"name": "하늘"})
        await talk.say("음", declines=slot)
        assert (talk.state.user_info["name"], declined(talk)) == ("하늘", ())

    async def test_counts_in_a_failed_turn(self, talk):
        turn = talk.turn("음 그게요", declines="name")
        talk.commit(turn, talk.flow.apologize(turn))
        assert declined(talk) == ("name",)
