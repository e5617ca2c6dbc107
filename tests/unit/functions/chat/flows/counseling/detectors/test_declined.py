"""What the user does not want to tell: it counts as given, and is left alone."""

import pytest

from functions.chat.flows.counseling.detectors.task_completion import SlotFound, TaskCompletion
from local.gemini.counsellor.brief import Brief
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.voice import Voice
from shared.content.catalogue import content
from shared.locale import Locale
from tests.fakes.answers import task_completion
from tests.fakes.talk import Talk

CHECKER = "task_completion_checker"
STORY = "요즘 회사 일로 잠을 못 자요"
NOT_SAID = content().messages(Locale.KO).text("slot_declined")


REFUSALS = (
    "이름 밝히고 싶지 않아요", "이름은 패스", "이름은 됐고 그냥 얘기나 들어줘", "이름은 공개하고 싶지 않아요",
    "이름은 알려주고 싶지 않은데요", "이름은 글쎄요", "이름은 굳이요", "이름은 부담스러워요", "이름은 안돼요",
    "이름은 노코멘트", "이름은 생략", "이름은 좀 그래요", "이름은 드러내고 싶지가 않네요", "이름은 곤란해요",
    "이름은 넘어가고 다른 얘기 해요", "이름은 어려워요",
)  # fmt: skip


def found(name: str, value: str, quote: str | None = None) -> TaskCompletion:
    return task_completion(complete=False, slots=(SlotFound(name=name, value=value, quote=quote or value),))


class TestAName:
    async def test_that_is_refused_is_declined_whatever_a_model_makes_of_it(self, subtests):
        for no in ("안 알려 드릴래요", "없어요", "익명이요", "그냥 넘어가 주세요", "꼭 말해야 하나요?", "패스할게요"):
            with subtests.test(no=no):
                talk = Talk()
                talk.model.scripts[CHECKER] = found("name", no)
                await talk.say(no)
                assert talk.state.declined_slots == ("name",)
                assert "name" not in talk.state.user_info

    async def test_that_is_declined_opens_the_gate_as_one_that_is_given(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.set(last_asked="name")
        await talk.say("익명이요")
        talk.model.scripts[CHECKER] = found("reason", STORY)
        await talk.say(STORY)
        assert talk.state.task("task_info_1").covered
        (entry,) = [log for log in talk.state.completion_log if log.data["task"] == "task_info_1"]
        assert entry.data["evidence"] == f"찾아온 이유: {STORY}"

    async def test_that_is_declined_stands_apart_from_what_is_known(self, talk):
        said = await talk.say("안 알려 드릴래요")
        assert (said.directive["known"], said.directive["declined"]) == ({}, ["이름"])
        system = talk.model.asked("counselor")[0].system
        assert "<declined>\n- 이름\n</declined>" in system
        assert NOT_SAID not in system

    async def test_that_is_declined_is_no_form_of_address_for_the_simulator(self, talk):
        await talk.say("안 알려 드릴래요")
        (asked,) = talk.model.asked("counselor")
        brief = Brief(Prompt(asked.system), Voice.FORMAL, "회사 일로 잠을 못 자요", (), ())
        assert brief.name == ""

    async def test_is_never_read_in_a_refusal_whatever_a_model_makes_of_it(self, subtests):
        for text in REFUSALS:
            with subtests.test(text=text):
                talk = Talk()
                for value in (text, *text.rstrip("?").split(), *(word[:2] for word in text.split())):
                    talk.model.scripts[CHECKER] = found("name", value, quote=text)
                    await talk.say(text)
                    assert "name" not in talk.state.user_info, value
                    talk.set(last_asked="name", declined_slots=())

    async def test_is_no_adverb_that_a_model_takes_for_one(self, subtests):
        for text in ("굳이요?", "별로요?", "아직요", "글쎄요", "굳이요", "너라고 불러요"):
            with subtests.test(text=text):
                talk = Talk()
                talk.model.scripts[CHECKER] = found("name", text[:1], quote=text)
                await talk.say(text)
                assert "name" not in talk.state.user_info

    async def test_that_is_given_beside_a_refusal_or_like_one_is_kept(self, subtests):
        cases = [
            ("싫어요, 그냥 하늘로 해 주세요", "하늘"), ("실명은 싫고 별이라고 불러줘", "별"),
            ("본명은 말하고 싶지 않아요. 하늘이요", "하늘"), ("하늘이라고 불러 주실래요?", "하늘"),
            ("나 현우", "현우"), ("박나중입니다", "박나중"),
            ("I'd rather not say my real name, but Pat is fine", "Pat"), ("Could you call me Pat?", "Pat"),
            ("안미정이요", "안미정"),
        ]  # fmt: skip
        for text, name in cases:
            with subtests.test(text=text):
                talk = Talk()
                talk.model.scripts[CHECKER] = found("name", name, quote=text)
                await talk.say(text)
                assert talk.state.user_info.get("name") == name
                assert talk.state.declined_slots == ()

    async def test_that_is_declined_may_be_given_later_all_the_same(self, talk):
        await talk.say("안 알려 드릴래요")
        await talk.say("그냥 하늘이라고 불러 주세요")
        assert (talk.state.user_info["name"], talk.state.declined_slots) == ("하늘", ())

    async def test_that_sounds_like_a_refusal_is_one_when_it_is_said_to_be_a_name(self, talk):
        await talk.say("패스라고 불러 주세요")
        assert talk.state.user_info["name"] == "패스"

    async def test_is_never_what_refuses_one(self, subtests):
        """Not asked for, and yet offered by the model as a name."""
        for words in ("없어요", "비밀이에요", "안 알려 드릴래요", "없음"):
            with subtests.test(words=words):
                talk = Talk()
                talk.set(last_asked=None)
                talk.model.scripts[CHECKER] = found("name", words)
                await talk.say(words)
                assert "name" not in talk.state.user_info


class TestAnswersThatLookAlike:
    async def test_none_is_an_answer_where_the_slot_takes_it(self, subtests):
        cases = [
            ("prior_counseling", "없어요", False),
            ("support_people", "없어요", "없어요"),
            ("coping_style", "없습니다", "없습니다"),
        ]
        for slot, answer, value in cases:
            with subtests.test(value=value):
                talk = Talk()
                talk.work_on("task_persona_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
                talk.set(last_asked=slot, asked={slot: 1})
                await talk.say(answer)
                assert (talk.state.user_info[slot], talk.state.declined_slots) == (value, ())

    @pytest.mark.parametrize("answer", ["그냥 넘어가요", "아무한테도 말 안 해요", "말할 사람이 없어요"])
    async def test_what_is_told_is_no_refusal(self, talk, answer):
        talk.work_on("task_persona_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
        talk.set(last_asked="coping_style", asked={"coping_style": 1})
        await talk.say(answer)
        assert talk.state.declined_slots == ()

    async def test_a_hesitant_disclosure_is_the_answer_and_no_refusal(self, subtests):
        cases = [
            "말하기 힘들어요, 아빠가 술 마시면 저한테 소리를 질러요",
            "비밀이에요, 사실 동성을 좋아해서 힘들어요",
            "it's private, but my husband left",
            "싫어요. 그 사람 얘기만 나오면 숨이 막혀요",
            "말하고 싶지 않았는데, 어제 회사에서 쫓겨났어요",
        ]
        for told in cases:
            with subtests.test(told=told):
                talk = Talk()
                talk.work_on("task_info_1", covered=["task_welcome_1"])
                talk.set(user_info={"name": "하늘"}, last_asked="reason", asked={"reason": 1})
                talk.model.scripts[CHECKER] = found("reason", told)
                await talk.say(told)
                assert (talk.state.declined_slots, talk.state.user_info["reason"]) == ((), told)

    async def test_a_refusal_in_several_clauses_is_one(self, subtests):
        cases = [
            "음, 말하고 싶지 않아요. 죄송해요",
            "그건 비밀이에요, 말하기 싫어요",
            "sorry, I'd rather not say. thanks",
            "idk, skip",
        ]
        for no in cases:
            with subtests.test(no=no):
                talk = Talk()
                talk.work_on("task_info_1", covered=["task_welcome_1"])
                talk.set(user_info={"name": "하늘"}, last_asked="reason", asked={"reason": 1})
                talk.model.scripts[CHECKER] = found("reason", no)
                await talk.say(no)
                assert talk.state.declined_slots == ("reason",)
                assert "reason" not in talk.state.user_info

    async def test_a_refusal_counts_only_where_something_was_asked(self, talk):
        talk.set(last_asked=None)
        await talk.say("싫어요")
        assert talk.state.declined_slots == ()

    async def test_a_refusal_that_came_before_the_question_is_no_answer_to_it(self, talk):
        sent = talk.clock.now()
        talk.clock.advance(2)
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.set(user_info={"name": "하늘"})
        await talk.say("음 그러니까요")
        assert talk.state.last_asked == "reason"
        await talk.say("말하고 싶지 않아요", received_at=sent)
        assert talk.state.declined_slots == ()


class TestTheButton:
    async def test_declines_what_it_names_whatever_the_words_beside_it(self, talk):
        await talk.say("네, 그럴게요", declines="name")
        assert talk.state.declined_slots == ("name",)

    @pytest.mark.parametrize("slot", ["support_people", "no_such_slot"])
    async def test_declines_nothing_that_was_not_asked_for(self, talk, slot):
        await talk.say("건너뛸게요 그건", declines=slot)
        assert slot not in talk.state.declined_slots

    async def test_takes_nothing_back_that_was_given(self, talk):
        talk.set(user_info={"name": "하늘"})
        await talk.say("음", declines="name")
        assert (talk.state.user_info["name"], talk.state.declined_slots) == ("하늘", ())

    async def test_hides_no_danger_in_the_words(self, talk):
        said = await talk.say("죽고 싶어요", declines="name")
        assert "crisis" in said.outcome.flags
        assert talk.state.declined_slots == ("name",), "and is not lost in the protocol's turn"

    async def test_is_heard_in_a_turn_that_broke(self, talk):
        turn = talk.turn("음 그게요", declines="name")
        talk.commit(turn, talk.flow.apologize(turn))
        assert talk.state.declined_slots == ("name",)


async def test_another_slot_in_the_same_message_is_heard() -> None:
    talk = Talk()
    text = "이름은 말하고 싶지 않아요. 회사 일로 잠을 못 자서 왔어요."
    talk.model.scripts[CHECKER] = found("reason", "회사 일로 잠을 못 자서 왔어요")
    await talk.say(text)
    assert talk.state.declined_slots == ("name",)
    assert talk.state.user_info["reason"] == "회사 일로 잠을 못 자서 왔어요"
