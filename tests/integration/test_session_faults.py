"""One session for each fault that was seen in whole sessions: turns, jobs, triggers and store are the real ones.

The model is scripted; what it reads in a message is given, and code decides what follows.
"""

import re
from itertools import count

import pytest

from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.lifecycle import REVIEW_EVERY
from shared.domain.counseling.session import SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, Priority, TaskStatus
from tests.builders.answers import reads, session_review
from tests.builders.plans import proposal
from tests.builders.service_world import ServiceWorld
from tests.builders.sessions import NOW, task
from tests.fakes.scripted_model import ScriptedModel
from tests.properties.steps import deliver_all

FEELING = "그 마음이 지금도 남아 있나요?"
LISTENS = f"많이 힘드셨겠어요. {FEELING}"
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
                "reader": reads(),
                "session_manager": session_review(part2_completed=False, wrap_up_advised=False),
            }
        )
        super().__init__(self.scripted)

    def script(self, **answers):
        self.scripted.scripts.update(answers)

    async def hear(self, text, *signs, **read):
        """Tell a message in which the model reads this, and from then on nothing."""
        self.script(reader=reads(*signs, **read))
        reply = await self.tell(text)
        self.script(reader=reads())
        return reply

    async def tell(self, *texts):
        for text in texts:
            reply = await self.say(text)
            assert reply is not None
            await deliver_all(self)
            await deliver_all(self)
        return reply

    async def tell_until_proposed(self, most):
        """Talk until the reply proposes to wrap up."""
        for _ in range(most):
            await self.tell(STORY)
            assert self.session.current_part is Part.EXPLORATION, "Part 2 is not left without a question"
            if self.stage is PROPOSED:
                break
        assert self.stage is PROPOSED, "the user is asked"

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
    async def test_ends_the_session_by_a_plain_yes(self, world):
        """Seen: asked to end, the model asked about the feeling, and "네" to that ended the session."""
        await world.tell(STORY)
        await world.hear(ENOUGH, "wants_to_stop")
        assert world.stage is PROPOSED
        await world.tell("네")
        assert world.session.ended, "this yes answers code's own question"

    @pytest.mark.parametrize("text", ["네 힘드네요", "괜찮아요", "네ㅠㅠ"])
    async def test_ends_nothing_by_an_answer_that_is_no_plain_yes_and_was_not_heard_as_one(self, world, text):
        """Seen: each of these ended the session."""
        await world.tell(STORY)
        await world.hear(ENOUGH, "wants_to_stop")
        await world.tell(text)
        assert not world.session.ended


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

        await world.hear(MORE, "refuses")
        state = world.session
        assert (state.current_part, state.status) == (Part.EXPLORATION, SessionStatus.ACTIVE)
        assert {one.status for one in state.tasks if one.id in before} == {TaskStatus.SUFFICIENT}, "as they were"
        assert world.current == "task_more_1", "there is a task to go on with"
        await world.tell(*[STORY] * 3)
        assert world.session.current_part is Part.EXPLORATION, "a late event does not begin the closing again"
        await world.reach_the_closing()  # Part 2 can be left again

    async def test_is_reviewed_as_soon_as_all_its_tasks_are_covered(self, world):
        """Seen: two to four turns without a task until the fifth message came."""
        await world.explore(*part2("a"))
        await world.tell(STORY)
        assert not world.session.session_manager_log
        world.script(session_manager=COMPLETE)
        await world.hear("그래서 오늘은 한숨도 못 자고 나왔고 팀장님은 종일 출장이었어요", "complete")
        assert world.session.task("task_a").covered
        assert world.session.session_manager_log[-1].seq == world.session.seq
        await world.tell("그러고 보니 이제 좀 알겠어요")
        assert world.stage is PROPOSED


class TestTheClosing:
    @pytest.mark.parametrize(("signs", "covered"), [((), False), (("said_all",), True)])
    async def test_asks_for_last_words_until_the_user_has_none(self, world, signs, covered):
        """Seen: "아직 남아 있는 말이 있을까요?" - "네" - "오늘은 여기까지 할까요?"."""
        await world.explore()
        await world.reach_the_closing()
        await world.cover(part=Part.CLOSING, but=("task_questions_1",))
        await world.tell(STORY)
        assert world.current == "task_questions_1"
        await world.hear("사실 엄마한테 미안하다는 말을 못 했어요", *signs)
        assert world.session.task("task_questions_1").covered is covered
        assert (world.stage is PROPOSED) is covered


class TestADeclinedWrapUp:
    @pytest.fixture
    async def world(self, world):
        """Part 2 with a waiting task of low priority that was not chosen, and a declined proposal."""
        await world.explore(*part2("a"), *part2("low", priority=Priority.LOW))
        await world.cover("task_a")
        await world.change(wrap_up=WrapUp(stage=PROPOSED, seq=world.session.seq, reason="goal_reached"))
        await world.hear(MORE, "refuses", next_task="none")
        assert world.stage is DECLINED
        assert world.current == "task_more_1", "seen: no current task, though one of low priority waits"
        return world

    async def test_reopens_the_task_for_more_when_the_user_goes_on_talking(self, world):
        await world.cover("task_more_1", "task_low")
        await world.tell("사실 어제 아빠가 또 술을 드시고 오셨어요")
        assert world.current == "task_more_1"

    async def test_is_proposed_again_when_the_user_has_said_everything(self, world):
        """Seen: after the way back "오늘 할 말은 다 했어요" led nowhere for ten turns."""
        await world.hear("오늘 할 말은 다 했어요", "said_all")
        assert world.stage is PROPOSED
        await world.tell("네")
        assert world.session.current_part is Part.CLOSING

    async def test_is_not_proposed_again_while_a_required_task_waits(self, world):
        await world.change(tasks=(*world.session.tasks, *part2("b")))
        await world.hear("오늘 할 말은 다 했어요", "said_all")
        assert world.stage is DECLINED


class TestASlot:
    async def test_is_never_asked_for_again_after_a_refusal(self, world):
        """Seen: a refused name asked for five times, four in the same words, and "없어요" stored as the name."""
        assert world.session.last_asked == "name", "the greeting asks for it"
        await world.hear("안 알려 드릴래요", "declines", asked="name")
        for text in (STORY, "회의 전날이면 더 그래요", "모르겠어요", "그냥 좀 지쳐요", "쉬고 싶어요"):
            await world.tell(text)
            assert 'slot="name"' not in world.prompt
        assert "name" not in world.session.user_info
        assert world.session.asked.get("name", 0) == 1, "asked once, declined, and never again"

    async def test_that_was_not_given_is_asked_for_once_more_after_a_rest(self, world):
        """Seen: the same slot asked for in three turns in a row in new words, after fresh facts."""
        asked = []
        world.script(counselor=asks_what_is_wanted)
        for n in range(1, 11):
            await world.tell(f"{STORY} {n}번째")
            asked += [n] if 'slot="name"' in world.prompt else []
            await world.keep_working_on("task_info_1")
        assert "name" not in world.session.user_info
        assert len(asked) == 1, "once in the greeting, and once more"
        assert asked[0] >= 4, asked

    async def test_is_not_asked_for_right_after_a_refusal_to_talk_until_the_user_tells_something(self, world):
        """Seen: "말하기 싫어요", "네", and "전에 상담을 받아 보신 적이 있으세요?"."""
        await world.tell("안녕하세요")
        await world.hear("말하기 싫어요", "strong_resistance")
        assert "<ask" not in world.prompt
        for _ in range(2):
            await world.keep_working_on("task_persona_1")
            await world.tell("네")
            assert "<ask" not in world.prompt, "who only says yes is not pressed either"
        await world.keep_working_on("task_persona_1")
        await world.hear(
            "전에 상담을 한 번 받아 봤어요", told={"prior_counseling": "true"}, module="questioning_technique"
        )
        assert "<ask" in world.prompt


def asks_what_is_wanted(request):
    """Return a reply that asks exactly what its prompt wants."""
    wanted = re.search(r"<ask[^>]*>(.*?)</ask>", request.system, re.DOTALL)
    return f"그러셨군요. {wanted[1]}" if wanted else "그러셨군요."


class TestReplanning:
    async def test_rests_for_three_turns_and_keeps_the_tasks_of_the_topic_before(self, world):
        """Seen: five re-plans in five turns, and then "bounded" out of Part 2."""
        titles = (f"{n}번째 이야기의 마음" for n in count(1))
        world.script(planner=lambda _: proposal(next(titles), next(titles)))
        await world.explore()
        replanned = []
        for n in range(5):
            await world.hear(
                f"그건 그렇고 {n}번째 다른 이야기예요", "new_topic", next_task="none", task_reason="다른 이야기"
            )
            replanned.append(world.session.part2_task_update_count)
        assert replanned == [1, 1, 1, 2, 2], "three turns of rest between two re-plans"
        assert world.stage is None, "and the bound of replans is not reached"
        first = [one for one in world.session.tasks if one.id in ("task_a", "task_b", "task_c")]
        assert all(one.status is not TaskStatus.COMPLETED for one in first), "parked, not dropped"
