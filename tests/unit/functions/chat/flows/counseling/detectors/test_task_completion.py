"""Slots, the gate, and how tasks become covered."""

import pytest

from functions.chat.flows.counseling.detectors.slot_reading import open_slots
from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from shared.domain.counseling.completions import completions_due
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import TaskStatus
from shared.domain.errors import ModelUnavailable
from tests.fakes.answers import task_completion
from tests.fakes.counselling import slot, task
from tests.fakes.talk import Talk

CHECKER = "task_completion_checker"
FIRST = ("task_welcome_1", "task_info_1", "task_rapport_1")


def found(complete=False, evidence="", **slots):
    """The checker's answer: each slot is (value, quote) or a value that is its own quote."""
    pairs = {name: value if isinstance(value, tuple) else (value, value) for name, value in slots.items()}
    return task_completion(
        complete=complete,
        evidence=evidence,
        slots=tuple(SlotFound(name=name, value=value, quote=quote) for name, (value, quote) in pairs.items()),
    )


def status(talk, task_id):
    return talk.state.task(task_id).status


def completed(talk):
    """What the newest turn left for a background job to write down."""
    return [record for record in completions_due(talk.state) if record.seq == talk.state.seq]


class TestValuesByRule:
    async def test_a_name_said_as_such_is_taken_though_no_model_answers(self, talk):
        talk.model.scripts = {}
        said = await talk.say("지민이라고 불러 주세요")
        assert talk.state.user_info == {"name": "지민"}
        assert "SlotFilled" in said.events

    async def test_in_english_too(self):
        talk = Talk(locale="en")
        talk.model.scripts = {"counselor": "Nice to meet you."}
        await talk.say("Call me Jimin please")
        assert talk.state.user_info == {"name": "Jimin"}

    async def test_a_bare_answer_to_a_yes_or_no_question_needs_no_model(self, subtests):
        cases = [("네", True), ("네, 있어요", True), ("아니요", False), ("네, 처음이에요", False), ("없어요", False)]
        for text, value in cases:
            with subtests.test(text=text):
                talk = Talk()
                talk.work_on("task_persona_1", covered=FIRST)
                talk.set(last_asked="prior_counseling")
                talk.model.scripts = {"counselor": "네."}
                await talk.say(text)
                assert talk.state.user_info["prior_counseling"] is value

    async def test_none_is_an_answer_to_what_was_just_asked(self, talk):
        talk.work_on("task_persona_1", covered=FIRST)
        talk.set(last_asked="support_people")
        await talk.say("아무도 없어요")
        assert talk.state.user_info["support_people"] == "아무도 없어요"
        assert "prior_counseling" not in talk.state.user_info

    async def test_a_yes_to_nothing_fills_nothing(self, talk):
        talk.work_on("task_persona_1", covered=FIRST)
        talk.set(last_asked=None)
        await talk.say("네, 있어요")
        assert talk.state.user_info == {}


class TestValuesByTheModel:
    async def test_several_in_one_message_are_all_taken_and_never_asked_again(self, talk):
        text = "지민이라고 불러 주세요. 회사 일로 잠을 못 자요. 상담은 처음이고, 언니가 잘 들어줘요."
        talk.model.scripts[CHECKER] = [
            found(reason="회사 일로 잠을 못 자요", prior_counseling=("아니요", "상담은 처음"), support_people="언니")
        ]
        asked = [await talk.say(text)]
        assert set(talk.state.user_info) == {"name", "reason", "prior_counseling", "support_people"}
        assert talk.state.user_info["prior_counseling"] is False
        for _ in range(8):
            talk.model.scripts[CHECKER] = found()
            asked.append(await talk.say("오늘은 집에서 쉬었어요, 특별한 일은 없었고요"))
        questions = {said.ask["slot"] for said in asked if said.ask}
        assert questions == {"coping_style"}
        assert "지민" in asked[-1].directive["known"].values()

    async def test_the_model_is_asked_for_open_slots_only(self, talk):
        talk.set(user_info={"name": "지민", "prior_counseling": False})
        await talk.say("음, 어디서부터 말해야 할지 모르겠어요")
        (request,) = talk.model.asked(CHECKER)
        for name in ("reason", "support_people", "coping_style"):
            assert f'name="{name}"' in request.messages[0].text
        for name in ("name", "prior_counseling"):
            assert f'<slot name="{name}"' not in request.messages[0].text

    @pytest.mark.parametrize("quote", ["회사가 너무 싫어요", "", "..."])
    async def test_a_value_whose_quote_the_user_did_not_say_is_dropped(self, talk, quote):
        talk.model.scripts[CHECKER] = found(reason=("회사 스트레스", quote))
        said = await talk.say("오늘 날씨가 참 좋네요, 산책했어요")
        assert talk.state.user_info == {}
        assert not {"SlotFilled", "SlotRejected"} & set(said.events)

    async def test_a_slot_that_nobody_asked_about_is_dropped(self, talk):
        talk.model.scripts[CHECKER] = found(password="1234", session_goal="1234")
        await talk.say("비밀번호는 1234예요")
        assert talk.state.user_info == {}

    async def test_the_users_own_words_by_rule_go_before_the_models(self, talk):
        talk.model.scripts[CHECKER] = found(name="민지")
        await talk.say("지민이라고 불러 주세요, 민지 아니고요")
        assert talk.state.user_info["name"] == "지민"


class TestACorrection:
    async def test_of_a_name_replaces_it_by_rule(self, talk):
        talk.set(user_info={"name": "지민"})
        await talk.say("민지라고 불러 주세요")
        assert talk.state.user_info["name"] == "민지"

    async def test_of_a_name_replaces_it_by_the_model(self, talk):
        talk.set(user_info={"name": "지민"})
        talk.model.scripts[CHECKER] = found(name="민지")
        await talk.say("아까 잘못 말했는데 사실은 민지 쪽이 편해요")
        assert talk.state.user_info["name"] == "민지"

    async def test_that_does_not_hold_leaves_what_was_given(self, talk):
        talk.set(user_info={"name": "지민"})
        talk.model.scripts[CHECKER] = found(name="1234")
        await talk.say("1234라고 부르든지요, 뭐 어때요")
        assert (talk.state.user_info["name"], talk.state.slot_errors) == ("지민", {})

    async def test_is_not_made_of_free_words(self, talk):
        talk.set(user_info={"reason": "잠을 못 자요"})
        talk.model.scripts[CHECKER] = found(reason="날씨")
        await talk.say("오늘 날씨 얘기나 좀 하고 싶네요")
        assert talk.state.user_info["reason"] == "잠을 못 자요"


class TestAnInvalidValue:
    async def test_is_told_with_its_error_in_other_words_and_is_then_left_alone(self, talk):
        one = talk.state.task("task_info_1").required_slots[0]
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.model.scripts[CHECKER] = [found(name="1234"), found()]
        first = await talk.say("1234라고 부르면 돼요")
        assert "name" not in talk.state.user_info
        assert first.ask == {"slot": "name", "question": one.questions[1], "error": one.error}
        prompt = talk.model.asked("counselor")[0].system
        assert f"<slot_error>{one.error}</slot_error>" in prompt
        assert one.questions[1] in prompt
        second = await talk.say("글쎄, 뭐가 좋을까 싶네요")
        assert second.ask["slot"] == "reason"


class TestTheGate:
    async def test_with_every_value_given_the_task_is_sufficient_whatever_the_model_thinks(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.set(user_info={"name": "지민"})
        talk.model.scripts[CHECKER] = found(complete=False, reason="잠을 못 자서 왔어요")
        said = await talk.say("잠을 못 자서 왔어요")
        assert status(talk, "task_info_1") is TaskStatus.SUFFICIENT
        (record,) = completed(talk)
        assert (record.task_id, record.reason.value) == ("task_info_1", "gate")
        assert "지민" in record.evidence
        assert "잠을 못 자서 왔어요" in record.evidence
        assert record.record_id == "1-task_info_1"
        assert said.outcome.records == (), "the turn's own commit writes no document for it"

    async def test_with_one_missing_it_is_not_whatever_the_model_thinks(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.model.scripts[CHECKER] = found(complete=True, evidence="잠을 못 자서 왔어요", reason="잠을 못 자서 왔어요")
        await talk.say("잠을 못 자서 왔어요")
        assert status(talk, "task_info_1") is TaskStatus.IN_PROGRESS

    @pytest.mark.parametrize("value", [0, False, ""])
    async def test_falsy_values_open_it(self, talk, value):
        talk.plan(task("p", 2, required_slots=(slot("answer"),)))
        talk.set(user_info={"answer": value})
        await talk.say("그렇게 됐어요, 뭐 그래요")
        assert status(talk, "p") is TaskStatus.SUFFICIENT

    async def test_a_task_that_is_not_the_current_one_is_covered_by_its_values_too(self, talk):
        talk.set(user_info={"prior_counseling": False, "support_people": "언니"})
        talk.model.scripts[CHECKER] = found(coping_style="산책")
        await talk.say("힘들면 산책을 해요")
        assert status(talk, "task_persona_1") is TaskStatus.SUFFICIENT

    async def test_open_slots_are_this_parts_uncovered_tasks_ones(self, talk):
        talk.work_on("task_persona_1", covered=["task_info_1"])
        talk.set(user_info={"support_people": ""})
        assert [one.name for one in open_slots(talk.state)] == ["prior_counseling", "coping_style"]


class TestHowATaskIsCovered:
    async def test_the_welcome_by_the_first_reply(self, talk):
        await talk.say("안녕하세요")
        assert status(talk, "task_welcome_1") is TaskStatus.SUFFICIENT
        assert [record.reason.value for record in completed(talk)] == ["reply"]

    async def test_a_judged_one_by_the_model_with_the_users_words_as_evidence(self, talk):
        talk.work_on("task_rapport_1", covered=FIRST[:2])
        talk.model.scripts[CHECKER] = found(complete=True, evidence="말하니까 편해요")
        await talk.say("말하니까 편해요, 정말로요")
        assert status(talk, "task_rapport_1") is TaskStatus.SUFFICIENT
        (record,) = completed(talk)
        assert (record.reason.value, record.evidence) == ("judged", "말하니까 편해요")

    async def test_evidence_may_come_from_earlier_words_of_the_user(self, talk):
        await talk.say("말하니까 편해요")
        talk.work_on("task_rapport_1", covered=FIRST[:2])
        talk.model.scripts[CHECKER] = found(complete=True, evidence="말하니까 편해요")
        await talk.say("그러게요, 이상하죠")
        assert status(talk, "task_rapport_1") is TaskStatus.SUFFICIENT

    @pytest.mark.parametrize("evidence", ["", "아주 편안합니다", "조금 더 들려주시겠어요"])
    async def test_a_judged_one_without_the_users_words_is_not(self, talk, evidence):
        await talk.say("안녕하세요 반갑습니다 선생님")
        talk.work_on("task_rapport_1", covered=FIRST[:2])
        talk.model.scripts[CHECKER] = found(complete=True, evidence=evidence)
        await talk.say("오늘 좀 피곤하네요")
        assert status(talk, "task_rapport_1") is TaskStatus.IN_PROGRESS

    async def test_a_task_at_its_bound_is_covered_as_bounded_and_not_before(self, talk):
        talk.work_on("task_rapport_1", covered=FIRST[:2])
        seen = []
        for _ in range(3):
            await talk.say("음, 오늘은 좀 피곤하네요")
            seen.append([record.reason.value for record in completed(talk)])
        assert seen == [[], [], ["bounded"]]
        assert status(talk, "task_rapport_1") is TaskStatus.SUFFICIENT

    async def test_a_task_is_bounded_though_no_model_answers(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.model.scripts = {}
        for _ in range(6):
            await talk.say("글쎄요, 별로 말하고 싶지 않은데")
        assert status(talk, "task_info_1") is TaskStatus.SUFFICIENT

    async def test_the_user_may_say_that_it_is_done(self, talk):
        talk.work_on("task_rapport_1", covered=FIRST[:2])
        talk.set(user_info={"prior_counseling": True, "support_people": "x", "coping_style": "y"})
        talk.model.scripts.pop(CHECKER)
        await talk.say("이 얘기는 다 했어요")
        assert status(talk, "task_rapport_1") is TaskStatus.SUFFICIENT
        reasons = {record.task_id: record.reason.value for record in completed(talk)}
        assert reasons == {"task_rapport_1": "explicit", "task_persona_1": "gate"}
        assert talk.model.asked(CHECKER) == []

    async def test_a_model_that_fails_covers_nothing(self, talk):
        talk.work_on("task_rapport_1", covered=FIRST[:2])
        talk.model.scripts[CHECKER] = ModelUnavailable("503")
        said = await talk.say("오늘 좀 피곤하네요")
        assert status(talk, "task_rapport_1") is TaskStatus.IN_PROGRESS
        assert said.run(CHECKER).decided_by.value == "safe_default"


class TestWhereNoModelIsNeeded:
    async def test_a_mere_sound_is_not_sent_to_it(self, talk):
        said = await talk.say("네")
        assert talk.model.asked(CHECKER) == []
        assert (said.run(CHECKER).decided_by.value, said.run(CHECKER).reason) == ("rule", "backchannel")

    async def test_with_all_values_given_and_nothing_to_judge_it_is_not_asked(self, talk):
        talk.set(
            user_info={"name": "지민", "reason": "잠", "prior_counseling": 0, "support_people": "", "coping_style": "x"}
        )
        said = await talk.say("오늘은 그런대로 괜찮았어요")
        assert talk.model.asked(CHECKER) == []
        assert said.run(CHECKER).reason == "gate"

    async def test_while_the_plan_is_made_it_rests(self, talk):
        talk.set(plan_status=PlanStatus.PLANNING)
        said = await talk.say("그렇군요, 기다릴게요")
        assert talk.model.asked(CHECKER) == []
        assert said.run(CHECKER).reason == "the plan is being made"


class TestACorrectionInPassing:
    async def test_of_the_name_is_heard_in_every_part_and_while_the_plan_is_made(self, talk):
        talk.set(user_info={"name": "지훈"}, plan_status="planning")
        await talk.say("제 이름은 지훈이 아니라 지은이에요")
        assert talk.state.user_info["name"] == "지은"
        talk.plan(task("p", 2))
        await talk.say("아니, 지은이 말고 지혜라고 불러 주세요")
        assert talk.state.user_info["name"] == "지혜"

    async def test_of_a_yes_or_no_is_taken_from_the_model_with_the_users_words(self, talk):
        talk.work_on("task_persona_1", covered=FIRST[:3])
        talk.set(user_info={"prior_counseling": True})
        talk.model.scripts[CHECKER] = found(prior_counseling="처음이에요")
        await talk.say("아, 상담은 처음이에요")
        assert talk.state.user_info["prior_counseling"] is False

    async def test_of_free_text_is_left_alone(self, talk):
        talk.work_on("task_persona_1", covered=FIRST[:3])
        talk.set(user_info={"coping_style": "산책"})
        talk.model.scripts[CHECKER] = found(coping_style="음악")
        await talk.say("음악도 가끔 들어요, 그냥 틀어 놔요")
        assert talk.state.user_info["coping_style"] == "산책"
