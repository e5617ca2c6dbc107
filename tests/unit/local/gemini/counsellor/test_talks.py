"""Whole conversations: they move on to their end, ask nothing twice, follow the person, and sound like one person."""

import asyncio
import re

import pytest

from functions.session_manager.review import review
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.conversation import Role
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.session import SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part
from shared.engine.jobs import JobResult
from shared.engine.runner import AgentRunner
from shared.services.counseling.job_context import CounselingJobContext
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import task
from tests.unit.local.gemini.counsellor.conversation import CASUAL, ENGLISH, TALK, BrainModel, Conversation

POLITE = re.compile(r"(?:요|니다|까요|죠)[.?!]")
STOP = "오늘은 여기까지 할게요"


@pytest.mark.parametrize("seed", range(4))
def test_a_korean_session_moves_on_and_asks_nothing_twice(seed):
    conversation = Conversation.of(*TALK, seed=seed)
    state = conversation.state
    assert (state.user_info["name"], state.user_info["prior_counseling"]) == ("지훈", False)
    assert state.user_info.keys() >= {"reason", "support_people", "coping_style"}
    assert state.current_part == 2
    asked = [question.strip() for reply in conversation.replies for question in re.findall(r"[^.!?\n]+\?", reply)]
    assert len(asked) == len(set(asked))
    assert conversation.messages[0].text not in conversation.replies


@pytest.mark.parametrize(("talk", "opening"), [(TALK, {}), (CASUAL, {"register": "반말"}), (ENGLISH, {"locale": "en"})])
def test_each_reply_is_short_with_one_question_at_most(talk, opening):
    for reply in Conversation.of(*talk, seed=1, **opening).replies:
        assert reply.count("?") <= 1, reply
        assert len(re.findall(r"[.?!](?=\s|$)", reply)) <= 5, reply
        assert len(reply) <= (330 if "locale" in opening else 200), reply
        assert not re.search(r"당신|\{|\}|과제|모듈|파트", reply)


def test_the_register_is_kept():
    for reply in Conversation.of(*CASUAL, seed=2, register="반말").replies:
        assert not POLITE.search(reply), reply
    for reply in Conversation.of(*TALK, seed=2).replies:
        for sentence in re.findall(r"[^.?!]+[.?!]", reply):
            assert POLITE.search(sentence), sentence


def test_the_same_seed_gives_the_same_conversation_and_another_seed_another():
    first, again, other = (Conversation.of(*TALK[:6], seed=seed).replies for seed in (1, 1, 2))
    assert first == again != other


def test_a_refusal_is_met_without_a_question():
    assert "?" not in Conversation.of(*TALK[:4]).say("더 이상 말하기 싫어요")


def test_asking_to_end_is_confirmed_and_the_user_decides():
    conversation = Conversation.of(*TALK[:9], STOP, "아니요 조금 더 얘기하고 싶어요")
    assert not conversation.state.ended
    conversation.say(STOP)
    conversation.say("네")
    assert conversation.state.ended


def test_the_background_agents_work_from_the_persons_words():
    conversation = Conversation.of(*TALK)
    assert "회사" in (conversation.state.part2_goal or "")
    closing = asyncio.run(conversation.closing())
    assert closing.suggested_level == 2
    assert "회사 일이 너무 힘들다’는" in closing.summary
    found = asyncio.run(conversation.review())
    shown = [one.evidence for one in found.goals if one.met and one.goal != "trust"]
    assert shown
    assert all(evidence in " ".join(TALK) for evidence in shown)


CORRECTING = (
    *("안녕하세요", "저는 지훈이 아니라 지은이에요", "그냥 요즘 사람들이랑 있는 게 너무 외로워요"),
    *("그냥 친구 한 명만 있었으면 좋겠어요", "네 그래도 이렇게 말하니까 조금 나아요"),
    *("아 이름 잘못 말했어요. 저는 지혜예요", "상담은 처음이에요", "동생한테 가끔 얘기해요"),
)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_put_right_is_remembered_and_a_denied_name_never_said(seed):
    conversation = Conversation.of(*CORRECTING, seed=seed)
    assert not re.search("지훈|받아 보신 적이 있으시군요", " ".join(conversation.replies))
    assert "지은" not in " ".join(conversation.replies[5:])
    info = conversation.state.user_info
    assert (info["name"], info["prior_counseling"]) == ("지혜", False)
    assert info["support_people"] == "동생한테 가끔 얘기해요"


def test_a_name_denied_without_another_is_no_longer_said():
    said = ("저는 지훈이에요", "요즘 너무 외로워요", "제 이름은 지훈이 아닌데요", "친구가 없어요", "밤에 자꾸 울어요")
    replies = Conversation.of(*said).replies[2:]
    assert "지훈" not in " ".join(replies)
    assert "미안해요" in replies[0]


class TestStateOfTheUser:
    """The simulated detector and selectors lead the product to another module and another plan."""

    @pytest.fixture
    def conversation(self):
        """A conversation in a planned Part 2 about work."""
        made = Conversation()
        tasks = (task("work", 2, title="회사 일 들여다보기"), task("feeling", 2, title="그때의 마음에 이름 붙이기"))
        plan = PlanMade(goal="회사 일을 중심으로", keywords=(), tasks=tasks)
        made.state = plan.apply(made.state, made.clock.now())
        made.say("요즘 회사에서 팀장님이 자꾸 일을 떠넘기세요")
        return made

    @pytest.mark.parametrize(
        ("said", "module", "reason", "feedback"),
        [
            ("말하기 싫어요. 왜 자꾸 물어보세요?", "resistance_handling", "state:resistance", "resistance"),
            ("그건 그렇고 엄마가 어제 전화로 저를 나무라셨어요.", "topic_redirection", "state:topic_change", None),
            ("절망스러워요. 정말 너무 절망스러워요.", "emotion_regulation", None, "emotion_change"),
        ],
    )
    def test_a_change_is_met_by_a_module_and_the_plan_is_asked_for_anew(
        self, conversation, said, module, reason, feedback
    ):
        conversation.say(said)
        state = conversation.state
        assert state.current_module == module
        assert reason in (None, state.module_change_reason)
        assert feedback is None or feedback in state.state_feedback
        assert state.replans == 1

    def test_who_goes_in_a_circle_is_met_and_the_plan_is_asked_for_anew(self, conversation):
        for _ in range(2):
            conversation.say("팀장님이 맨날 저한테만 야근을 시켜서 억울하고 화가 나요")
        state = conversation.state
        assert state.user_state.circular
        assert "circular" in state.state_feedback
        assert state.replans == 1

    def test_who_goes_in_a_circle_calmly_is_met_by_a_technique_for_it(self, conversation):
        for _ in range(2):
            conversation.say("회의 때마다 팀장님이 제 자료를 처음부터 다시 만들라고 하세요")
        assert conversation.state.current_module in {"pattern_exploration", "reframing"}


def reviewed(conversation):
    """Let the session manager review the conversation; what it finds is in its state afterwards."""
    said = tuple(message.text for message in conversation.messages if message.role is Role.USER)

    async def run():
        room = Room()
        runner = AgentRunner(BrainModel(), agent_settings(), room.clock)
        context = CounselingJobContext(store=room.store, policy=room.policy, runner=runner, content=content())
        await room.open(conversation.state, said)
        assert await review(context, payload(JobKind.REVIEW, len(said))) is JobResult.DONE
        record = await room.record("reviews", str(len(said)))
        return await room.session(), record, await room.records("part_transitions")

    conversation.state, record, transitions = asyncio.run(run())
    assert transitions == set()
    return record


@pytest.fixture(scope="module")
def reached():
    """A client has told all that Part 2 was for."""
    conversation = Conversation.of(*TALK)
    record = reviewed(conversation)
    assert (record["part2_completed"], record["recommendation"]) == (True, "wrap_up")
    assert [task["title"] for task in record["wrap_up_tasks"]]
    assert conversation.state.wrap_up.stage is WrapUpStage.SUGGESTED
    return conversation


class TestTheEnd:
    """A session ends by a goal reached, or by a person who has had enough."""

    @pytest.fixture
    def asked(self, reached):
        """The same client, asked whether to close."""
        conversation = Conversation()
        conversation.state, conversation.messages = reached.state, list(reached.messages)
        question = conversation.say("네, 그러게요")
        wrap_up = conversation.state.wrap_up
        assert (wrap_up.stage, wrap_up.aim) == (WrapUpStage.PROPOSED, WrapUpAim.WRAP_UP)
        assert content().session_words.asks_to_wrap_up(question), "the simulator asks in words that are understood"
        return conversation

    def test_a_yes_leads_to_the_end(self, asked):
        asked.say("네, 좋아요")
        assert (asked.state.current_part, asked.state.status) == (Part.CLOSING, SessionStatus.WRAPPING_UP)
        farewell = content().messages(asked.state.locale).text("session_ended")
        for _ in range(12):
            wrap_up = asked.state.wrap_up
            to_the_end = wrap_up is not None and (wrap_up.stage, wrap_up.aim) == (WrapUpStage.PROPOSED, WrapUpAim.END)
            if asked.say("네" if to_the_end else "네, 그렇게 해 볼게요") == farewell:
                break
        assert asked.state.ended

    def test_who_says_no_goes_on_and_is_not_led_to_the_closing(self, asked):
        asked.say("아니요, 조금 더 얘기하고 싶어요")
        state = asked.state
        assert (state.current_part, state.status) == (Part.EXPLORATION, SessionStatus.ACTIVE)
        assert (state.wrap_up.stage, state.wrap_up.declined) == (WrapUpStage.DECLINED, 1)
        asked.say("사실은 수고했다는 말 한마디 듣고 싶었던 것 같아요")
        assert reviewed(asked)["recommendation"] == "continue"
        assert asked.state.wrap_up == state.wrap_up

    @pytest.mark.parametrize("more", [(), ("얘기하다 보니 이제 좀 지치네요",)])
    def test_a_story_in_the_middle_leads_nowhere_yet_also_for_who_is_tired_who_may_stop_by_saying_so(self, more):
        conversation = Conversation.of(*TALK[:11], *more)
        assert conversation.state.current_part is Part.EXPLORATION
        record = reviewed(conversation)
        assert (record["part2_completed"], record["recommendation"]) == (False, "continue")
        assert conversation.state.status is SessionStatus.ACTIVE
        conversation.say(STOP)
        assert (conversation.state.wrap_up.stage, conversation.state.wrap_up.aim) == (
            WrapUpStage.PROPOSED,
            WrapUpAim.END,
        )
