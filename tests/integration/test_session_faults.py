"""One session for each fault that was seen in whole sessions: turns, jobs, triggers and store are the real ones.

The model is scripted to answer honestly, lazily or wrongly; the rules must correct it.
"""

import re
from itertools import count

import pytest

from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.lifecycle import REVIEW_EVERY
from shared.domain.counseling.session import SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, Priority, TaskStatus
from shared.domain.slots import Slot
from tests.builders.answers import session_review, task_choice, task_completion, user_state_reading, wrap_up_answer
from tests.builders.plans import proposal
from tests.builders.service_world import ServiceWorld
from tests.builders.sessions import NOW, task
from tests.fakes.scripted_model import ScriptedModel
from tests.properties.steps import deliver_all

FEELING = "그 마음이 지금도 남아 있나요?"
LISTENS = f"많이 힘드셨겠어요. {FEELING}"
HOPE = "앞으로 어떤 점이 달라지면 좋겠어요?"
ENOUGH = "오늘은 여기까지 할게요"
MORE = "아니요, 더 얘기하고 싶어요"
STORY = "요즘은 밤마다 회사 생각이 나서 뒤척여요"
COMPLETE = session_review(part2_completed=True, wrap_up_advised=False, reason="목표에 닿았다")
COVERED = {"status": TaskStatus.SUFFICIENT, "sufficient_at": NOW}
PROPOSED, SUGGESTED, DECLINED = WrapUpStage.PROPOSED, WrapUpStage.SUGGESTED, WrapUpStage.DECLINED


class Sessions(ServiceWorld):
    """The service under a scripted model; every job and event is delivered after each turn."""

    def __init__(self):
        self.scripted = ScriptedModel(
            {
                "counselor": LISTENS,
                "task_completion_checker": task_completion(complete=False),
                "user_state_detector": user_state_reading(),
                "session_manager": session_review(part2_completed=False, wrap_up_advised=False),
            }
        )
        super().__init__(self.scripted)

    def script(self, **answers):
        self.scripted.scripts.update(answers)

    async def tell(self, *texts):
        for text in texts:
            reply = await self.say(text)
            assert reply is not None
            await deliver_all(self)
            await deliver_all(self)
        return reply

    async def tell_until_proposed(self, most):
        """Talk until the reply proposes to wrap up and asks nothing else."""
        for _ in range(most):
            reply = await self.tell(STORY)
            assert self.session.current_part is Part.EXPLORATION, "Part 2 is not left without a question"
            if self.stage is PROPOSED:
                break
        assert self.stage is PROPOSED, "the user is asked"
        assert FEELING not in reply.reply, "two questions: a yes could be to either"

    async def explore(self, *tasks):
        """Begin Part 2 with these tasks."""
        await self.change(PlanMade(goal="잠을 다시 자기", keywords=(), tasks=tasks or part2("a", "b", "c")))

    async def cover(self, *ids, part=Part.EXPLORATION, but=()):
        """Cover the tasks of a Part: all, or those with these ids."""
        tasks = self.session.tasks
        done = {one.id for one in tasks if (one.id in ids if ids else one.part is part) and one.id not in but}
        await self.change(tasks=tuple(one.model_copy(update=COVERED) if one.id in done else one for one in tasks))

    async def reach_the_closing(self):
        """Bring a session to Part 3: talk until the reply proposes to wrap up, and agree."""
        await self.cover()
        self.script(session_manager=COMPLETE)
        await self.tell_until_proposed(4 * REVIEW_EVERY)
        await self.tell("네, 좋아요")
        assert self.session.current_part is Part.CLOSING

    async def keep_working_on(self, task_id):
        """Make a task the current one, with all its turns left."""
        part = self.session.task(task_id).part
        again = {"status": TaskStatus.IN_PROGRESS, "turns_spent": 0}
        tasks = tuple(
            one.model_copy(update=again if one.id == task_id else COVERED if one.part <= part else {})
            for one in self.session.tasks
        )
        await self.change(tasks=tasks, current_task=task_id, current_part=part)

    @property
    def prompt(self):
        """The Counselor's last prompt."""
        return self.scripted.asked("counselor")[-1].system or ""

    @property
    def stage(self):
        return self.session.wrap_up.stage if self.session.wrap_up else None

    @property
    def current(self):
        return self.session.task_in_progress and self.session.task_in_progress.id


def part2(*ids, **more):
    return tuple(task(f"task_{each}", Part.EXPLORATION, **more) for each in ids)


def newest(request):
    """Return the user's newest message from an agent's prompt."""
    text = request.messages[-1].text
    return text.partition("<newest_message>")[2].partition("</newest_message>")[0].strip() or text


def finds_all_covered(request):
    """Find every task covered by the newest message."""
    return task_completion(complete=True, evidence=newest(request))


def agrees_to_everything(request):
    """Read every message as agreement, with the user's own words as the quote."""
    return wrap_up_answer(agreed=True, quote=newest(request))


@pytest.fixture
async def world():
    world = Sessions()
    await world.open()
    try:
        yield world
    finally:
        assert not world.broke
        world.close()


class TestAProposalToEnd:
    async def test_is_the_only_question_of_its_reply(self, world):
        """Seen: asked to end, the model asked about the feeling, and "네" to that ended the session."""
        asked = await world.tell(STORY, ENOUGH)
        assert FEELING not in asked.reply, "two questions: a yes could be to either"
        assert asked.reply.count("?") == 1
        assert asked.reply.startswith("많이 힘드셨겠어요."), "the reflection stays"
        await world.tell("네")
        assert world.session.ended, "this yes answers the rule's own question"

    @pytest.mark.parametrize("text", ["네 힘드네요", "괜찮아요", "네ㅠㅠ"])
    async def test_is_asked_again_after_an_answer_that_is_no_plain_yes(self, world, text):
        """Seen: each of these ended the session: the model read agreement, or the tears were stripped."""
        world.script(wrap_up_answer=agrees_to_everything)
        await world.tell(STORY, ENOUGH)
        assert world.stage is PROPOSED
        await world.tell(text)
        assert not world.session.ended
        assert world.stage is not PROPOSED, "a turn in which the user tells something asks nothing"
        await world.tell("네")
        assert not world.session.ended, "this yes answers another question"
        assert world.stage is PROPOSED
        await world.tell("네")
        assert world.session.ended


class TestPart2:
    async def test_is_not_left_while_tasks_wait_although_a_review_says_that_it_is_complete(self, world):
        """Seen: one of three tasks covered, score 0, recommendation continue, no question, and the closing began."""
        await world.explore()
        await world.cover("task_a")
        world.script(session_manager=COMPLETE)
        await world.tell(*[STORY] * (REVIEW_EVERY + 1))
        assert world.session.session_manager_log[-1].data["part2_completed"] is True
        assert world.session.current_part is Part.EXPLORATION
        assert world.stage is None, "tasks wait: nothing is proposed"
        await world.cover()
        await world.tell_until_proposed(REVIEW_EVERY + 2)

    async def test_is_resumed_from_the_closing_when_the_user_wants_to_go_on(self, world):
        """Seen: no way back when they said "더 얘기하고 싶은데"."""
        await world.explore()
        await world.reach_the_closing()
        before = {one.id: one.status for one in world.session.tasks if one.part is Part.EXPLORATION}
        assert set(before.values()) == {TaskStatus.COMPLETED}

        await world.tell("저 아직 더 얘기하고 싶은데요")
        state = world.session
        assert (state.current_part, state.status) == (Part.EXPLORATION, SessionStatus.ACTIVE)
        assert {one.status for one in state.tasks if one.id in before} == {TaskStatus.SUFFICIENT}, "as they were"
        assert state.task_in_progress.part is Part.EXPLORATION, "there is a task to go on with"
        await world.tell(*[STORY] * 3)
        assert world.session.current_part is Part.EXPLORATION, "a late event does not begin the closing again"
        await world.reach_the_closing()  # Part 2 can be left again

    async def test_is_reviewed_as_soon_as_all_its_tasks_are_covered(self, world):
        """Seen: two to four turns without a task until the fifth message came."""
        await world.explore(*part2("a"))
        await world.tell(STORY)
        assert not world.session.session_manager_log
        world.script(session_manager=COMPLETE, task_completion_checker=finds_all_covered)
        await world.tell("그래서 오늘은 한숨도 못 자고 나왔고 팀장님은 종일 출장이었어요")
        assert world.session.task("task_a").covered
        assert world.session.session_manager_log[-1].seq == world.session.seq
        await world.tell("네, 그런 것 같아요. 이제 좀 알겠어요")
        assert world.stage is PROPOSED

    async def test_has_no_task_covered_by_one_sentence_that_the_user_repeats(self, world):
        circle = "결국은 다 제 탓이에요. 제가 먼저 연락을 했어야 했어요."
        await world.explore(*part2("a", "b", "c", "d"))
        await world.tell(circle)
        world.script(task_completion_checker=finds_all_covered)
        await world.tell(*[circle] * 4)
        assert not [one.id for one in world.session.tasks if one.part is Part.EXPLORATION and one.covered]


class TestTheClosing:
    @pytest.fixture
    async def world(self, world):
        await world.explore()
        await world.reach_the_closing()
        return world

    @pytest.mark.parametrize("text", ["저 더 있고 싶어요", "끝내지 마세요"])
    async def test_returns_to_part_2_when_the_user_wants_to_stay(self, world, text):
        """Seen: "저 더 있고 싶어요" led to next-session talk, and "조금만 더요" to the question whether to end."""
        await world.tell(*["네, 그런 것 같아요"] * 3)
        assert world.session.current_part is Part.CLOSING
        await world.tell(text)
        assert (world.session.current_part, world.current) == (Part.EXPLORATION, "task_more_1")

    @pytest.mark.parametrize(
        ("text", "covered"),
        [("네", False), ("사실 엄마한테 미안하다는 말을 못 했어요", False), ("아니요", True), ("딱히 없어요", True)],
    )
    async def test_asks_for_last_words_until_the_user_has_none(self, world, text, covered):
        """Seen: "아직 남아 있는 말이 있을까요?" - "네" - "오늘은 여기까지 할까요?"."""
        await world.cover(part=Part.CLOSING, but=("task_questions_1",))
        await world.tell("네, 그런 것 같아요")
        assert world.current == "task_questions_1"
        await world.tell(text)
        assert world.session.task("task_questions_1").covered is covered
        assert (world.stage is PROPOSED) is covered


class TestADeclinedWrapUp:
    @pytest.fixture
    async def world(self, world):
        """Part 2 with a waiting task of low priority that was not chosen, and a declined proposal."""
        await world.explore(*part2("a"), *part2("low", priority=Priority.LOW))
        await world.cover("task_a")
        await world.change(wrap_up=WrapUp(stage=PROPOSED, seq=world.session.seq, reason="goal_reached"))
        world.script(task_selector=task_choice(task_id="none"))
        await world.tell(MORE)
        assert world.stage is DECLINED
        assert world.current == "task_more_1", "seen: no current task, though one of low priority waits"
        return world

    async def test_reopens_the_task_for_more_when_the_user_goes_on_talking(self, world):
        await world.cover("task_more_1", "task_low")
        await world.tell("사실 어제 아빠가 또 술을 드시고 오셨어요")
        assert world.current == "task_more_1"

    async def test_is_proposed_again_when_the_user_has_said_everything(self, world):
        """Seen: after the way back "오늘 할 말은 다 했어요" led nowhere for ten turns."""
        await world.tell("오늘 할 말은 다 했어요")
        assert world.stage is PROPOSED
        await world.tell("네")
        assert world.session.current_part is Part.CLOSING

    async def test_is_not_proposed_again_while_a_required_task_waits(self, world):
        await world.change(tasks=(*world.session.tasks, *part2("b")))
        await world.tell("오늘 할 말은 다 했어요")
        assert world.stage is DECLINED


def asks_what_is_wanted(request):
    """Return a reply that asks exactly what its prompt wants."""
    wanted = re.search(r"<ask[^>]*>(.*?)</ask>", "\n".join(one.text for one in request.messages), re.DOTALL)
    return f"그러셨군요. {wanted[1]}" if wanted else "그러셨군요."


class TestASlot:
    @pytest.mark.parametrize("no", ["안 알려 드릴래요", "없어요"])
    async def test_is_never_asked_for_again_after_a_refusal(self, world, no):
        """Seen: a refused name asked for five times, four in the same words, and "없어요" stored as the name."""
        assert world.session.last_asked == "name", "the greeting asks for it"
        name = (SlotFound(name="name", value=no, quote=no, corrects=False),)
        refusal = task_completion(complete=False, slots=name)
        honest = task_completion(complete=False)
        world.script(task_completion_checker=lambda request: refusal if newest(request) == no else honest)
        for text in (no, STORY, "회의 전날이면 더 그래요", "모르겠어요", "그냥 좀 지쳐요", "쉬고 싶어요"):
            await world.tell(text)
            assert 'slot="name"' not in world.prompt
        assert "name" not in world.session.user_info
        assert world.session.asked.get("name", 0) == 1, "asked once, declined, and never again"

    @pytest.mark.parametrize("no", ["그냥 부르지 마세요", "그건 왜 물어보세요?", STORY])
    async def test_that_was_not_given_is_asked_for_at_most_once_more_after_a_rest(self, world, no):
        """Seen: the same slot asked for in three turns in a row in new words, after fresh facts."""
        asked = []
        world.script(counselor=asks_what_is_wanted)
        for n, text in enumerate((no, *(f"{STORY} {n}번째" for n in range(9))), start=1):
            await world.tell(text)
            asked += [n] if 'slot="name"' in world.prompt else []
            await world.keep_working_on("task_info_1")
        assert "name" not in world.session.user_info
        assert len(asked) <= 1, "once in the greeting, and once more"
        assert not asked or asked[0] >= 4, asked
        assert asked or no != STORY, "an ignored question is asked again after its rest"

    async def test_is_not_asked_for_right_after_a_refusal_to_talk(self, world):
        """Seen: "말하기 싫어요", "네", and "전에 상담을 받아 보신 적이 있으세요?"."""
        await world.tell("안녕하세요")
        for text in ("말하기 싫어요", "네", "네", "네"):
            await world.tell(text)
            await world.keep_working_on("task_persona_1")
            assert "<ask" not in world.prompt, "who only says yes is not pressed either"

    async def test_is_asked_for_again_as_soon_as_the_user_tells_something(self, world):
        await world.tell("안녕하세요", "말하기 싫어요")
        await world.keep_working_on("task_persona_1")
        await world.tell("어제 팀장님이 회의에서 제 보고서를 찢었어요")
        assert "<ask" in world.prompt

    @pytest.mark.parametrize(("text", "declined"), [("네 그렇게 할게요", False), ("딱히 없어요", True)])
    async def test_for_the_goal_is_not_filled_by_a_yes_or_a_none(self, world, text, declined):
        """Seen: "없어요" and "네 그렇게 할게요" kept as what the user hopes for."""
        goal = SlotFound(name="session_goal", value=text, quote=text, corrects=False)
        completion = task_completion(complete=False, slots=(goal,))
        world.script(task_completion_checker=completion, counselor=f"그러셨군요. {HOPE}")
        wish = Slot(name="session_goal", label="상담 목표", questions=(HOPE,), error="!", none_is_answer=False)
        await world.tell(STORY)
        await world.explore(task("task_goal", Part.EXPLORATION, required_slots=(wish,)))
        await world.change(last_asked="session_goal", asked={"session_goal": 1})
        await world.tell(text)
        assert "session_goal" not in world.session.user_info
        assert ("session_goal" in world.session.declined_slots) is declined

    async def test_is_not_declined_by_a_no_to_the_models_own_question(self, world):
        """Seen: "싫어요" to the model's own question counted as a refusal of the slot that the directive asked for."""
        world.script(counselor="그랬군요. 산책을 나가면 조금 나아질까요?")
        await world.tell(STORY)
        assert world.session.last_asked is not None
        await world.tell("싫어요")
        assert world.session.declined_slots == ()


class TestReplanning:
    async def test_rests_for_three_turns_and_keeps_the_tasks_of_the_topic_before(self, world):
        """Seen: five re-plans in five turns, and then "bounded" out of Part 2."""
        titles = (f"{n}번째 이야기의 마음" for n in count(1))
        world.script(
            task_selector=task_choice(task_id="none", feedback_to_task_planner="다른 이야기로 넘어갔다"),
            planner=lambda _: proposal(next(titles), next(titles)),
            user_state_detector=user_state_reading(topic_changed=True),
        )
        await world.explore()
        replanned = []
        for n in range(5):
            await world.tell(f"그건 그렇고 {n}번째 다른 이야기예요")
            replanned.append(world.session.part2_task_update_count)
        assert replanned == [1, 1, 1, 2, 2], "three turns of rest between two re-plans"
        assert world.stage is None, "and the bound of replans is not reached"
        first = [one for one in world.session.tasks if one.id in ("task_a", "task_b", "task_c")]
        assert all(one.status is not TaskStatus.COMPLETED for one in first), "parked, not dropped"
