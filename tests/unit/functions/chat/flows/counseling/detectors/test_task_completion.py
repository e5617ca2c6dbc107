"""Reading slots, the gate, how tasks become covered, and messages that change the topic."""

import pytest

from functions.chat.flows.counseling.detectors.slot_reading import ReadValue, open_slots
from functions.chat.flows.counseling.detectors.task_completion import SlotFound, holds
from shared.content.catalogue import content
from shared.domain.counseling.completions import completions_due
from shared.domain.counseling.session import PlanStatus, SessionType
from shared.domain.counseling.task import TaskStatus
from shared.domain.errors import ModelUnavailable
from shared.locale import Locale, Register
from tests.builders.answers import task_completion
from tests.builders.sessions import slot, task
from tests.builders.talk import REPLY, Talk, after

CHECKER = "task_completion_checker"
FIRST = ("task_welcome_1", "task_info_1", "task_rapport_1", "task_process_1")
OPEN, SUFFICIENT = TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT
SLOTS = {
    slot.name: slot
    for session in SessionType
    for task in content().templates(session, Locale.KO, Register.FORMAL)
    for slot in task.slots
}
AT_EASE, TIRED, SLEEPLESS = "말하니까 편해요", "오늘 좀 피곤하네요", "잠을 못 자서 왔어요"


async def read(talk, text, complete=False, evidence="", **slots):
    """Say this; the checker finds these slots in it: each is (value, quote) or a value that is its own quote."""
    pairs = {name: value if isinstance(value, tuple) else (value, value) for name, value in slots.items()}
    found = tuple(
        SlotFound(name=name, value=value, quote=quote, corrects=False) for name, (value, quote) in pairs.items()
    )
    talk.model.scripts[CHECKER] = task_completion(complete=complete, evidence=evidence, slots=found)
    return await talk.say(text)


def status(talk, task_id):
    return talk.state.task(task_id).status


def completed(talk):
    """Return the completions of the newest turn that a background job is to write."""
    return [record for record in completions_due(talk.state) if record.seq == talk.state.seq]


@pytest.fixture
def informing(talk):
    """Part 1 in the task that asks for name and reason."""
    talk.work_on("task_info_1", covered=FIRST[:1])
    return talk


@pytest.fixture
def rapport(talk):
    """Part 1 in a task that is judged."""
    talk.work_on("task_rapport_1", covered=FIRST[:2])
    return talk


@pytest.fixture
def persona(talk):
    """Part 1 in the task that asks for experience, support and coping."""
    talk.work_on("task_persona_1", covered=FIRST)
    return talk


class TestAValue:
    @pytest.mark.parametrize(
        ("kind", "value", "said", "stands"),
        [
            ("text", "회사 스트레스", "회사에서 스트레스를 많이 받아요", True),
            ("text", "work stress", "I get a lot of stress at work", True),
            ("text", "네", "네, 그건 그래요", False),
            ("text", "그게 뭐예요?", "그게 뭐예요?", False),
            ("text", "없어요", "없어요", True),
            ("integer", "3", "세 번쯤 갔어요", True),
            ("integer", "7", "세 번쯤 갔어요", False),
            ("integer", "세 번", "세 번쯤 갔어요", False),
            ("integer", "2", "I went twice", True),
            ("boolean", "true", "받아 본 적 있어요", True),
            ("boolean", "true", "아니요, 처음이에요", False),
            ("boolean", "가끔", "가끔 받아요", False),
            ("choice", "산", "산이 좋아요", True),
            ("choice", "바다", "산이 좋아요", False),
        ],
    )
    def test_that_a_model_read_is_of_the_slots_kind_and_rests_on_the_users_words(self, kind, value, said, stands):
        asked = slot("counseling", kind=kind, choices=("산", "바다"))
        assert holds(asked, ReadValue(value, said), said, content(), asked.questions[0]) is stands

    @pytest.mark.parametrize(
        ("name", "value", "quote", "stands"),
        [
            ("prior_counseling", "true", "대학 때 상담을 몇 번 받았어요", True),
            ("prior_counseling", "false", "아니요", True),
            ("prior_counseling", "true", "작년에 정신과 몇 달 다녔어요", True),
            ("prior_counseling", "false", "이런 데는 난생처음이라 떨려요", True),
            ("process_agreed", "true", "어제는 좀 나았어요", False),
            ("name", "수진", "언니 이름은 수진이에요", False),
            ("name", "수진", "제 이름은 수진이에요", True),
            ("name", "수진", "엄마는 저를 수진이라고 불러요", True),
        ],
    )
    def test_that_was_not_asked_for_is_neither_another_persons_name_nor_a_yes_to_what_was_not_proposed(
        self, talk, name, value, quote, stands
    ):
        asked = next(slot for task in talk.state.tasks for slot in task.slots if slot.name == name)
        assert holds(asked, ReadValue(value, quote), quote, content(), REPLY) is stands

    @pytest.mark.parametrize(
        ("name", "value", "quote"),
        [
            ("reason", "직장 상사와의 갈등으로 잠을 못 잔다", "팀장 때문에 밤마다 잠이 안 와요"),
            ("reason", "배우자와 떨어져 지내게 됨", "아내가 애를 데리고 친정에 갔습니다"),
            ("session_goal", "어머니에게 거절하는 연습", "엄마한테 싫다는 말 한마디라도 해 보고 싶어요"),
            ("support_people", "친언니", "우리 언니한테 전화하죠"),
            ("coping_style", "음악 들으며 산책하기", "이어폰 꽂고 한강 쪽을 걸어요"),
            ("today_focus", "배우자와의 다툼", "남편하고 크게 붙은 거 그거부터요"),
            ("noticed_change", "수면이 나아졌다", "네 시간은 안 깨고 자요. 신기하죠?"),
            ("reason", "이혼할지 고민됨", "이혼을 해야 할까요?"),
            ("agreed_outcome", "약속한 걷기를 일부만 실천함", "두 번밖에 못 나갔어요"),
        ],
    )
    @pytest.mark.parametrize("asked", [True, False])
    def test_that_says_the_users_words_in_other_words_is_kept_asked_or_not(self, name, value, quote, asked):
        wanted = SLOTS[name]
        reply = wanted.questions[0] if asked else REPLY
        for given in (value, quote.replace("?", "")):
            assert holds(wanted, ReadValue(given, quote), f"음, {quote}", content(), reply), given

    @pytest.mark.parametrize("quote", ["네", "네, 그건 그래요", "모르겠어요", "글쎄요", "말하기 싫어요"])
    @pytest.mark.parametrize("name", ["reason", "support_people", "session_goal"])
    def test_that_rests_on_a_bare_yes_or_a_refusal_is_none(self, name, quote):
        wanted = SLOTS[name]
        assert not holds(wanted, ReadValue("가족과 편안해지기", quote), quote, content(), wanted.questions[0])

    async def test_that_is_not_in_the_message_fills_nothing_and_no_error_is_shown(self, persona):
        said = await read(persona, "언니가 있긴 한데 바빠요", support_people=("아버지", "아버지가 있긴"))
        assert persona.state.user_info == {}
        assert "SlotRejected" not in said.events

    async def test_that_is_an_explicit_name_is_read_without_a_model(self):
        for locale, text, name in (("ko", "지민이라고 불러 주세요", "지민"), ("en", "Call me Jimin please", "Jimin")):
            talk = Talk(locale=locale)
            talk.model.scripts = {}
            assert "SlotFilled" in (await talk.say(text)).events
            assert talk.state.user_info == {"name": name}

    async def test_that_is_a_bare_answer_is_read_without_a_model_and_only_after_a_question(self, persona):
        persona.model.scripts = {"counselor": "네."}
        before = persona.state
        for asked, text, filled in (
            ("prior_counseling", "네", {"prior_counseling": True}),
            ("prior_counseling", "네, 있어요", {"prior_counseling": True}),
            ("prior_counseling", "아니요", {"prior_counseling": False}),
            ("prior_counseling", "네, 처음이에요", {"prior_counseling": False}),
            ("prior_counseling", "없어요", {"prior_counseling": False}),
            ("prior_counseling", "아니요, 없어요. 이런 걸로 상담받아도 되나 싶었고요", {"prior_counseling": False}),
            ("prior_counseling", "네. 처음이에요", {"prior_counseling": False}),
            ("prior_counseling", "학교 상담실에 두 번 갔었어요.", {"prior_counseling": True}),
            ("prior_counseling", "학교 상담실에는 안 갔어요.", {}),
            ("support_people", "학교 상담실에 두 번 갔었어요.", {"prior_counseling": True}),
            (None, "예전에 상담 받아 본 적 있어요", {"prior_counseling": True}),
            (None, "예전에도 상담을 좀 받아 봤어요", {"prior_counseling": True}),
            (None, "친구가 예전에 상담 받은 적 있어요", {}),
            ("support_people", "아무도 없어요", {"support_people": "아무도 없어요"}),
            (None, "네, 있어요", {}),
        ):
            persona.state = before
            persona.ask_for(asked)
            await persona.say(text)
            assert persona.state.user_info == filled, text

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("물 한 잔 마시고 올까요?", "네, 그럴게요"),
            ("그 사람이 밉죠?", "네, 많이요"),
            ("조금 쉴까요?", "아니요 괜찮아요"),
        ],
    )
    async def test_that_answers_the_models_own_question_is_none_to_the_slot(self, persona, question, answer):
        persona.model.scripts["counselor"] = f"그러셨군요. {question}"
        assert (await persona.say("퇴근이 늦어요")).ask["slot"] == "prior_counseling"
        await persona.say(answer)
        assert persona.state.user_info == {}

    async def test_of_several_in_one_message_is_read_and_never_asked_for_again(self, talk):
        text = "지민이라고 불러 주세요. 회사 일로 잠을 못 자요. 상담은 처음이고, 언니가 잘 들어줘요."
        prior = ("아니요", "상담은 처음")
        asked = [await read(talk, text, reason="회사 일로 잠을 못 자요", prior_counseling=prior, support_people="언니")]
        assert set(talk.state.user_info) == {"name", "reason", "prior_counseling", "support_people"}
        assert talk.state.user_info["prior_counseling"] is False
        asked += [await read(talk, "오늘은 집에서 쉬었어요, 특별한 일은 없었고요") for _ in range(9)]
        assert {said.ask["slot"] for said in asked if said.ask} == {"process_agreed", "coping_style"}
        assert "지민" in asked[-1].directive["known"].values()

    async def test_is_asked_of_the_model_for_open_slots_only(self, talk):
        talk.set(user_info={"name": "지민", "prior_counseling": False})
        await talk.say("음, 어디서부터 말해야 할지 모르겠어요")
        text = talk.model.asked(CHECKER)[0].messages[0].text
        assert all(f'name="{name}"' in text for name in ("reason", "support_people", "coping_style"))
        assert not any(f'<slot name="{name}"' in text for name in ("name", "prior_counseling"))

    async def test_that_was_not_said_or_has_no_slot_or_contradicts_a_rule_is_dropped(self):
        for text, given, kept in (
            *(
                ("오늘 날씨가 참 좋네요, 산책했어요", {"reason": ("회사 스트레스", one)}, {})
                for one in ("너무 싫어요", "", "...")
            ),
            ("비밀번호는 1234예요", {"password": "1234", "session_goal": "1234"}, {}),
            ("지민이라고 불러 주세요, 민지 아니고요", {"name": "민지"}, {"name": "지민"}),
        ):
            talk = Talk()
            said = await read(talk, text, **given)
            assert talk.state.user_info == kept, text
            assert kept or not {"SlotFilled", "SlotRejected"} & set(said.events)

    @pytest.mark.parametrize(
        ("said", "wished"),
        [("글쎄요", False), ("잘 모르겠어요", False), ("음, 몰라요", False), ("글쎄요, 잠을 좀 자고 싶어요", True)],
    )
    def test_that_is_no_wish_fills_no_goal(self, said, wished):
        goal = slot("session_goal", kind="text", none_is_answer=False)
        assert holds(goal, ReadValue(said, said), said, content()) == wished

    @pytest.mark.parametrize(
        ("said", "value", "stands"),
        [
            ("네, 그렇게 해 볼게요.", "네, 그렇게 해 볼게요.", False),
            ("그게 좋겠어요", "그게 좋겠어요", False),
            ("네, 그렇게 해 볼게요.", "자기 전에 십 분 산책하기", True),
            ("네, 그렇게 해 볼게요.", "매일 일기 쓰기", False),
            ("글쎄요, 저는 그건 싫어요", "자기 전에 십 분 산책하기", False),
            ("자기 전에 산책을 해 볼게요", "자기 전에 산책을 해 볼게요", True),
        ],
    )
    def test_that_is_an_agreement_is_no_goal_but_what_the_reply_proposed_is(self, said, value, stands):
        goal = slot("session_goal", kind="text", none_is_answer=False)
        reply = "많이 애쓰셨네요. 이번 주에는 자기 전에 십 분 산책하기를 해 보면 어떨까요?"
        assert holds(goal, ReadValue(value, said), said, content(), reply) is stands

    async def test_that_corrects_another_replaces_a_name_but_no_free_text(self):
        for known, text, given, kept in (
            ({"name": "지민"}, "민지라고 불러 주세요", {}, {"name": "민지"}),
            ({"name": "지민"}, "아까 잘못 말했는데 사실은 민지 쪽이 편해요", {"name": "민지"}, {"name": "민지"}),
            ({"name": "지민"}, "1234라고 부르든지요, 뭐 어때요", {"name": "1234"}, {"name": "지민"}),
            ({"reason": "잠"}, "오늘 날씨 얘기나 좀 하고 싶네요", {"reason": "날씨"}, {"reason": "잠"}),
        ):
            talk = Talk()
            talk.set(user_info=known)
            await read(talk, text, **given)
            assert talk.state.user_info.items() >= kept.items(), text
            assert talk.state.slot_errors == {}


async def test_the_models_correction_replaces_a_yes_or_no_but_no_free_text(persona):
    persona.set(user_info={"prior_counseling": True, "coping_style": "산책"})
    await read(persona, "아, 사실은 상담은 처음이에요", prior_counseling="처음이에요")
    await read(persona, "음악도 가끔 들어요, 그냥 틀어 놔요", coping_style="음악")
    assert persona.state.user_info["prior_counseling"] is False
    assert persona.state.user_info["coping_style"] == "산책"


async def test_a_correction_of_the_name_is_read_in_every_part_and_while_the_plan_is_made(talk):
    talk.set(user_info={"name": "지훈"}, plan_status="planning")
    await talk.say("제 이름은 지훈이 아니라 지은이에요")
    assert talk.state.user_info["name"] == "지은"
    talk.plan(task("p", 2))
    await talk.say("아니, 지은이 말고 지혜라고 불러 주세요")
    assert talk.state.user_info["name"] == "지혜"


async def test_an_invalid_value_is_asked_for_once_more_with_its_error_in_another_wording(informing):
    one = informing.state.task("task_info_1").required_slots[0]
    first = await read(informing, "1234라고 부르면 돼요", name="1234")
    assert "name" not in informing.state.user_info
    assert first.ask == {"slot": "name", "question": one.questions[1], "error": one.error}
    prompt = informing.model.asked("counselor")[0].system
    assert all(words in prompt for words in (f"<slot_error>{one.error}</slot_error>", one.questions[1]))
    assert (await read(informing, "글쎄, 뭐가 좋을까 싶네요")).ask["slot"] == "reason"


class TestTheGate:
    async def test_covers_the_task_once_every_value_is_given_against_the_models_judgement(self, informing):
        informing.set(user_info={"name": "지민"})
        said = await read(informing, SLEEPLESS, complete=False, reason=SLEEPLESS)
        assert status(informing, "task_info_1") is SUFFICIENT
        (record,) = completed(informing)
        assert (record.record_id, record.task_id, record.reason.value) == ("1-task_info_1", "task_info_1", "gate")
        assert all(words in record.evidence for words in ("지민", SLEEPLESS))
        assert said.outcome.records == (), "the turn's own commit writes no document for it"

    async def test_does_not_cover_a_task_with_a_missing_value_against_the_models_judgement(self, informing):
        await read(informing, SLEEPLESS, complete=True, evidence=SLEEPLESS, reason=SLEEPLESS)
        assert status(informing, "task_info_1") is OPEN

    async def test_accepts_falsy_values_and_covers_a_task_that_is_not_the_current_one(self, talk):
        talk.set(user_info={"prior_counseling": False, "support_people": "언니"})
        await read(talk, "힘들면 산책을 해요", coping_style="산책")
        assert status(talk, "task_persona_1") is SUFFICIENT
        for value in (0, False, ""):
            other = Talk()
            other.plan(task("p", 2, required_slots=(slot("answer"),)))
            other.set(user_info={"answer": value})
            await other.say("그렇게 됐어요, 뭐 그래요")
            assert status(other, "p") is SUFFICIENT, value

    async def test_open_slots_are_those_of_the_uncovered_tasks_of_the_current_part(self, talk):
        talk.work_on("task_persona_1", covered=["task_info_1"])
        talk.set(user_info={"support_people": ""})
        assert [one.name for one in open_slots(talk.state)] == ["prior_counseling", "coping_style"]


class TestHowATaskIsCovered:
    async def test_the_welcome_task_by_the_first_reply(self, talk):
        await talk.say("안녕하세요")
        assert status(talk, "task_welcome_1") is SUFFICIENT
        assert [record.reason.value for record in completed(talk)] == ["reply"]

    async def test_a_judged_task_needs_a_new_word_in_its_second_sign(self):
        talk = Talk()
        talk.plan(task("judged", 2, min_turns=2), task("second", 2))
        talk.work_on("judged")
        said = (
            ("결국 다 제 탓이에요. 제가 못나서 그래요", [1]),
            ("제가 못나서 그런 거예요, 다 제 탓이에요", [1]),
            ("아버지도 저한테 못났다고 하셨어요", [1, 3]),
        )
        for text, signs in said:
            await read(talk, text, complete=True, evidence=text)
            assert list(talk.state.task("judged").signs) == signs, text

    async def test_not_by_the_words_of_a_jump_in_a_later_turn_nor_while_it_is_parked(self):
        talk = Talk()
        told = task("told", 2, parked=True, required_slots=(slot("told"),))
        talk.plan(task("judged", 2), task("second", 2), told)
        talk.work_on("judged")
        talk.set(user_info={"told": "예"})
        await read(talk, "근데 다른 얘긴데 언니가 결혼해요")
        await read(talk, "축하해 주고 싶은데요", complete=True, evidence="언니가 결혼해요")
        assert [talk.state.task(one).covered for one in ("judged", "told")] == [False, False]

    async def test_a_judged_task_by_the_model_with_the_users_words_as_evidence(self):
        for before, text, evidence, covered in (
            (None, f"{AT_EASE}, 정말로요", AT_EASE, True),
            (AT_EASE, "그러게요, 이상하죠", AT_EASE, True),
            (None, TIRED, "", False),
            (None, TIRED, "아주 편안합니다", False),
            ("안녕하세요 반갑습니다 선생님", TIRED, "조금 더 들려주시겠어요", False),
        ):
            talk = Talk() if before is None else await after(before)
            talk.plan(task("judged", 2), task("next", 2))
            talk.work_on("judged")
            await read(talk, text, complete=True, evidence=evidence)
            assert status(talk, "judged") is (SUFFICIENT if covered else OPEN), evidence
            written = [(record.reason.value, record.evidence) for record in completed(talk)]
            assert written == ([("judged", evidence)] if covered else [])

    async def test_a_task_at_its_bound_is_covered_as_bounded_and_not_before(self, rapport):
        seen = []
        for _ in range(3):
            await rapport.say("음, 오늘은 좀 피곤하네요")
            seen.append([record.reason.value for record in completed(rapport)])
        assert seen == [[], [], ["bounded"]]
        assert status(rapport, "task_rapport_1") is SUFFICIENT

    async def test_a_task_that_the_user_declares_done_without_a_model(self, rapport):
        rapport.set(user_info={"prior_counseling": True, "support_people": "x", "coping_style": "y"})
        rapport.model.scripts.pop(CHECKER)
        await rapport.say("이 얘기는 다 했어요")
        assert status(rapport, "task_rapport_1") is SUFFICIENT
        reasons = {record.task_id: record.reason.value for record in completed(rapport)}
        assert reasons == {"task_rapport_1": "explicit", "task_persona_1": "gate"}
        assert rapport.model.asked(CHECKER) == []

    async def test_a_model_that_fails_covers_nothing(self, rapport):
        rapport.model.scripts[CHECKER] = ModelUnavailable("503")
        said = await rapport.say(TIRED)
        assert (status(rapport, "task_rapport_1"), said.run(CHECKER).decided_by.value) == (OPEN, "safe_default")


async def test_the_checker_is_not_asked_when_no_model_is_needed():
    given = dict.fromkeys(("name", "reason", "prior_counseling", "support_people", "coping_style"), "")
    for fields, text, reason in (
        ({}, "네", "backchannel"),
        ({"user_info": given}, "오늘은 그런대로 괜찮았어요", "gate"),
        ({"plan_status": PlanStatus.PLANNING}, "그렇군요, 기다릴게요", "the plan is being made"),
    ):
        talk = Talk()
        talk.set(**fields)
        said = await talk.say(text)
        assert talk.model.asked(CHECKER) == []
        assert (said.run(CHECKER).decided_by.value, said.run(CHECKER).reason) == ("rule", reason)


class TestAChangeOfTopic:
    async def test_covers_no_judged_task(self, talk):
        talk.plan(task("p1", 2))
        await talk.say("발표가 걱정돼요")
        assert talk.state.current_task == "p1"
        await read(talk, "그건 그렇고 엄마랑 싸웠어요", complete=True, evidence="엄마랑 싸웠어요")
        assert not talk.state.task("p1").covered
        await read(talk, "그날 많이 떨렸어요", complete=True, evidence="그날 많이 떨렸어요")
        assert talk.state.task("p1").covered

    async def test_has_its_lead_in_left_out_of_a_text_value(self):
        for said, value in (
            ("그건 그렇고, 요즘 잠을 못 자요", "요즘 잠을 못 자요"),
            ("갑자기 생각난 건데 다른 얘기지만 엄마랑 싸웠어요", "엄마랑 싸웠어요"),
            ("다른 얘기를 못 해요", "다른 얘기를 못 해요"),
        ):
            talk = Talk()
            (text_slot, *_) = (one for one in open_slots(talk.state) if one.kind == "text")
            await read(talk, f"{said}.", **{text_slot.name: said})
            assert talk.state.user_info[text_slot.name] == value
