"""When the user wants to go on: back to the Part before the closing, with a task for what they want to talk about."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted, WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED, leaving_for_closing
from shared.domain.counseling.review import REST_AFTER_DECLINE, may_suggest_wrap_up
from shared.domain.counseling.session import SessionStatus, WrapUpStage
from shared.domain.counseling.session_events import ClosingAsked
from shared.domain.counseling.task import MAX_RETURNS, Part, TaskStatus
from shared.locale import Locale, Register
from tests.builders.answers import task_completion
from tests.builders.sessions import NOW, task

PLAIN = "오늘은 그냥 집에 있었어요"
NO, WISH = "아니요, 더 얘기하고 싶어요", "저 아직 더 얘기하고 싶은데요"
STOP = "오늘은 여기까지 할게요"
STORY = "사실은 동생이랑도 요즘 사이가 좋지 않아요"
MORE = "task_more_1"
LAST = task("last", 3, completion_rule="reply", max_turns=2)


def explored(talk):
    """Bring the talk to a Part 2 whose task is covered."""
    talk.plan(task("a", 2, status="sufficient", sufficient_at=NOW))
    return talk


def closing(talk, *tasks):
    """Bring the talk to Part 3."""
    talk.happen(ClosingAsked(), ClosingStarted(tasks=tasks or (LAST,)))
    return talk


async def asked(talk):
    """Bring the talk to the question whether to end, after Part 3 is covered."""
    closing(explored(talk))
    await talk.say(PLAIN)
    assert (await talk.say(PLAIN)).directive["stance"] == "confirm_end"
    return talk


async def proposed(talk):
    """Bring the talk to the proposal to wrap up."""
    talk.happen(WrapUpSuggested(reason=BOUNDED))
    await talk.say(PLAIN)
    return talk


def work(said):
    return said.directive["stance"], said.directive["task_id"]


async def test_one_who_has_nothing_to_tell_after_a_no_is_asked_again_whether_to_close(talk):
    await proposed(explored(talk))
    await talk.say("그냥 좀 더요")
    said = [await talk.say(text) for text in ("없어요", "네 알겠어요", "고맙습니다")]
    proposes = [one.directive["stance"] == "propose_wrap_up" for one in said]
    assert (proposes, talk.state.task(MORE).covered) == ([False, False, True], True)


async def test_nothing_to_tell_is_no_wish_to_go_on(talk):
    await proposed(explored(talk))
    assert "WrapUpUnclear" in (await talk.say("없어요")).events


class TestANoToTheEnd:
    @pytest.fixture
    async def talk(self, talk):
        return await asked(talk)

    @pytest.mark.parametrize("text", [NO, "아니요", "네 근데 하나만 더요", "글쎄요, 아직 잘 모르겠어요"])
    async def test_leads_back_to_part_2_with_a_task_for_the_users_topic(self, talk, text):
        talk.model.scripts["task_completion_checker"] = task_completion(complete=True, evidence=text)
        said = await talk.say(text)
        assert work(said) == ("work", MORE)
        assert (talk.state.status, talk.state.current_part) == (SessionStatus.ACTIVE, Part.EXPLORATION)
        assert talk.state.task("a").status is TaskStatus.SUFFICIENT, "the covered task is unchanged"
        assert talk.state.task(MORE).status is TaskStatus.IN_PROGRESS, "the no is no evidence for the new task"
        assert "하고 싶은 이야기를 꺼내고" in talk.model.asked("counselor")[-1].system
        assert not said.directive["part_changed"], "Part 2 is not new to the user"
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part) == ("3-2", Part.CLOSING, Part.EXPLORATION)

    async def test_leads_to_work_without_another_proposal_until_the_user_asks_for_the_end(self, talk):
        await talk.say(NO)
        allowed, told = [], []
        for n in range(max(REST_AFTER_DECLINE + 1, 4)):
            allowed.append(may_suggest_wrap_up(talk.state))
            told.append(await talk.say(f"{STORY}, {n}번째 이야기예요"))
        assert {(*work(said), said.directive["proposes"]) for said in told[:4]} == {("work", MORE, None)}
        assert allowed.index(True) == REST_AFTER_DECLINE
        assert (await talk.say("오늘은 이만 여기까지 할게요")).directive["stance"] == "confirm_end"
        await talk.say("네")
        assert talk.state.ended

    async def test_may_be_repeated_without_limit(self, talk):
        for turn in range(MAX_RETURNS + 2):
            assert (await talk.say(NO)).directive["stance"] in ("work", "accompany")
            assert talk.state.current_part is Part.EXPLORATION
            said = await closing(talk).say(STOP)
            assert said.directive["proposes"] == "end", turn
        assert not talk.state.ended
        assert len([one for one in talk.state.tasks if one.id == MORE]) == 1
        assert talk.state.went_back == MAX_RETURNS + 2
        await talk.say("네")
        assert talk.state.ended


class TestAWishToGoOn:
    async def test_in_the_closing_leads_back_to_part_2(self, talk):
        said = await closing(explored(talk)).say(WISH)
        assert (work(said), talk.state.current_part) == (("work", MORE), Part.EXPLORATION)
        assert talk.state.task("last").status is TaskStatus.PENDING

    async def test_cancels_a_closing_that_was_agreed_to_and_has_not_started(self, talk):
        await (await proposed(explored(talk))).say("네, 좋아요")
        assert leaving_for_closing(talk.state)
        said = await talk.say("아, 잠깐만요. 하고 싶은 말이 아직 있어요")
        assert not leaving_for_closing(talk.state)
        assert (talk.state.status, work(said)) == (SessionStatus.ACTIVE, ("work", MORE))
        assert said.records("part_transitions") == [], "no Part was left"

    @pytest.mark.parametrize(
        ("before", "wish"), [((PLAIN,), NO), ((), "저 더 얘기하고 싶은 게 있어요. 이야기 더 해도 돼요?")]
    )
    async def test_declines_an_open_or_a_suggested_proposal_and_starts_the_task(self, talk, before, wish):
        explored(talk).happen(WrapUpSuggested(reason=BOUNDED))
        for text in before:
            await talk.say(text)
        said = await talk.say(wish)
        assert (work(said), talk.state.wrap_up.stage) == (("work", MORE), WrapUpStage.DECLINED)

    async def test_leads_to_a_waiting_task_if_there_is_one(self, talk):
        talk.plan(task("a", 2), task("b", 2))
        said = await (await proposed(talk)).say(NO)
        assert said.directive["task_id"] in ("a", "b")
        assert talk.state.task(MORE) is None

    async def test_leads_back_to_part_1_if_the_closing_came_from_there(self, talk):
        (record,) = (await closing(talk).say(WISH)).records("part_transitions")
        assert (record.record_id, talk.state.current_part, talk.state.task(MORE)) == ("3-1", Part.OPENING, None)

    @pytest.mark.parametrize(
        ("tasks", "before", "wish"),
        [((task("next", 3, kind="next_session"),), PLAIN, "엄마 얘기를 더 하고 싶어요"), ((), "죽고 싶어요", WISH)],
        ids=["for the next session", "in danger"],
    )
    async def test_does_not_leave_the_closing_in_danger_or_if_it_is_for_the_next_session(
        self, talk, tasks, before, wish
    ):
        closing(explored(talk), *tasks)
        for text in (before, wish):
            await talk.say(text)
        assert talk.state.current_part is Part.CLOSING


async def test_a_no_to_the_end_in_an_open_closing_goes_on_with_its_tasks(talk):
    talk.plan(task("a", 2))
    talk.happen(ClosingStarted(tasks=(task("one", 3), task("two", 3))))
    await talk.say(PLAIN)
    assert (await talk.say(STOP)).directive["proposes"] == "end"
    assert (await talk.say("아니요, 계속할래요")).directive["stance"] == "work"
    assert (talk.state.task(MORE), talk.state.wrap_up.stage) == (None, WrapUpStage.DECLINED)


def test_the_task_for_more_talk_exists_in_every_language_and_register():
    tasks = [content().more_talk(locale, register) for locale in Locale for register in Register]
    assert {(one.part, one.status, one.id) for one in tasks} == {(Part.EXPLORATION, TaskStatus.PENDING, MORE)}
