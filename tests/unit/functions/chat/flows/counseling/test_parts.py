"""Part check, bridging, and the ways a session comes to its end."""

import pytest

from functions.chat.flows.counseling.detectors.task_completion import TaskCompletion
from functions.chat.flows.counseling.part_check import PROPOSE_AGAIN_AFTER
from functions.chat.flows.counseling.wrap_up import WrapUpAnswer
from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted, WrapUpSuggested
from shared.domain.counseling.lifecycle import PART2_MAX_TURNS
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.locale import Locale
from tests.fakes.counselling import task

READER = "wrap_up_answer"
PLAIN = "오늘은 그냥 집에 있었어요"
FAREWELL = content().messages(Locale.KO).text("session_ended")


def cover_everything(talk):
    talk.set(
        tasks=tuple(one.model_copy(update={"status": TaskStatus.SUFFICIENT}) for one in talk.state.tasks),
        current_task=None,
    )


class TestPart1:
    async def test_covered_leaves_one_transition_and_the_reply_bridges(self, talk):
        cover_everything(talk)
        said = await talk.say(PLAIN)
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part, record.seq) == ("1-2", 1, 2, 1)
        assert talk.state.plan_status is PlanStatus.PLANNING
        assert (said.directive["stance"], said.directive["task_id"], said.ask) == ("bridge", None, None)
        assert said.run("part_check").reason == "1-2 due"

    async def test_the_transition_is_written_once_and_the_reply_goes_on_bridging(self, talk):
        cover_everything(talk)
        await talk.say(PLAIN)
        for _ in range(3):
            said = await talk.say(PLAIN)
            assert said.records("part_transitions") == []
            assert said.directive["stance"] == "bridge"
            assert said.run("part_check").reason == "transition under way"

    async def test_not_covered_stays(self, talk):
        said = await talk.say(PLAIN)
        assert (said.records("part_transitions"), said.run("part_check").reason) == ([], "no transition due")

    async def test_can_always_be_covered_though_no_model_answers(self, talk):
        talk.model.scripts = {}
        transitions = []
        for _ in range(40):
            transitions += (await talk.say("글쎄요, 별로 말하고 싶지 않은데")).records("part_transitions")
        assert [record.record_id for record in transitions] == ["1-2"]


class TestPart2:
    @pytest.fixture
    def talk(self, talk):
        talk.plan(task("a", 2), task("b", 2))
        return talk

    async def test_begins_with_a_notice_its_goal_and_no_notice_later(self, talk):
        first, second = await talk.say(PLAIN), await talk.say(PLAIN)
        assert (first.directive["part"], first.directive["part_changed"]) == (2, True)
        assert first.directive["part2_goal"] == "잠을 다시 자기"
        assert second.directive["part_changed"] is False
        assert '<notice kind="part_changed">' in talk.model.asked("counselor")[0].system
        assert '<notice kind="part_changed">' not in talk.model.asked("counselor")[1].system

    async def test_at_its_bound_the_wrap_up_is_proposed(self, talk):
        talk.set(seq=talk.state.part2_started_seq + PART2_MAX_TURNS)
        said = await talk.say(PLAIN)
        assert (said.directive["stance"], said.directive["proposes"]) == ("propose_wrap_up", "wrap_up")
        assert talk.state.wrap_up.stage is WrapUpStage.PROPOSED

    async def test_a_no_is_not_answered_with_the_same_proposal(self, talk):
        talk.set(seq=talk.state.part2_started_seq + PART2_MAX_TURNS)
        await talk.say(PLAIN)
        stances = [(await talk.say("아니요, 더 얘기할래요")).directive["stance"]]
        for _ in range(PROPOSE_AGAIN_AFTER):
            stances.append((await talk.say(PLAIN)).directive["stance"])
        assert "propose_wrap_up" not in stances[:PROPOSE_AGAIN_AFTER]
        assert stances[PROPOSE_AGAIN_AFTER] == "propose_wrap_up"


class TestAProposalToWrapUp:
    @pytest.fixture
    async def talk(self, talk):
        talk.plan(task("a", 2))
        talk.happen(WrapUpSuggested(reason="goals met"))
        said = await talk.say(PLAIN)
        assert (said.directive["stance"], said.directive["proposes"]) == ("propose_wrap_up", "wrap_up")
        assert "<proposal>wrap_up</proposal>" in talk.model.asked("counselor")[0].system
        talk.model.scripts.pop("task_completion_checker")
        return talk

    @pytest.mark.parametrize("text", ["네", "네, 좋아요", "네, 그만할게요"])
    async def test_is_agreed_to_by_pattern_without_a_model(self, talk, text):
        said = await talk.say(text)
        assert talk.model.asked(READER) == []
        assert (said.run(READER).decided_by.value, said.run(READER).output) == ("rule", "confirm")
        assert (talk.state.status, talk.state.wrap_up.stage) == (SessionStatus.WRAPPING_UP, WrapUpStage.AGREED)
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part) == ("2-3", Part.EXPLORATION, Part.CLOSING)

    @pytest.mark.parametrize("text", ["아니요, 더 얘기할래요", "네, 근데 더 얘기하고 싶어요"])
    async def test_is_declined_by_pattern_without_a_model(self, talk, text):
        said = await talk.say(text)
        assert talk.model.asked(READER) == []
        assert said.run(READER).output == "cancel"
        assert (talk.state.status, talk.state.wrap_up.stage, talk.state.wrap_up.declined) == (
            SessionStatus.ACTIVE,
            WrapUpStage.DECLINED,
            1,
        )
        assert said.records("part_transitions") == []
        assert said.directive["stance"] == "work"

    @pytest.mark.parametrize(("agreed", "stage"), [(True, WrapUpStage.AGREED), (False, WrapUpStage.DECLINED)])
    async def test_is_read_by_the_model_only_when_unclear(self, talk, agreed, stage):
        talk.model.scripts[READER] = WrapUpAnswer(agreed=agreed)
        said = await talk.say("음 글쎄요, 어떻게 하죠")
        assert len(talk.model.asked(READER)) == 1
        assert said.run(READER).decided_by.value == "model"
        assert talk.state.wrap_up.stage is stage

    async def test_counts_as_not_agreed_when_the_model_fails(self, talk):
        said = await talk.say("음 글쎄요, 어떻게 하죠")
        assert said.run(READER).decided_by.value == "safe_default"
        assert talk.state.wrap_up.stage is WrapUpStage.DECLINED
        assert talk.state.status is SessionStatus.ACTIVE

    async def test_is_answered_by_the_next_message_only(self, talk):
        await talk.say("아니요, 더 얘기할래요")
        said = await talk.say("네")
        assert [run for run in said.runs if run.agent == READER] == []
        assert talk.state.status is SessionStatus.ACTIVE

    async def test_agreed_to_bridges_until_the_closing_is_there(self, talk):
        first = await talk.say("네, 좋아요")
        second = await talk.say(PLAIN)
        assert (first.directive["stance"], second.directive["stance"]) == ("bridge", "bridge")
        assert second.records("part_transitions") == []

    async def test_that_the_counselor_could_not_speak_is_no_proposal(self, talk):
        await talk.say("아니요, 더 얘기할래요")
        talk.happen(WrapUpSuggested(reason="again"))
        talk.model.scripts.pop("counselor")
        await talk.say(PLAIN)
        assert talk.state.wrap_up.stage is WrapUpStage.SUGGESTED


class TestTheUsersWishToEnd:
    async def test_is_confirmed_before_anything_ends(self, talk):
        said = await talk.say("오늘은 그만하고 싶어요")
        assert (said.directive["stance"], said.directive["proposes"]) == ("confirm_end", "end")
        assert "<proposal>end</proposal>" in talk.model.asked("counselor")[0].system
        assert not talk.state.ended

    @pytest.mark.parametrize("yes", ["네", "네, 그만할게요", "오늘은 그만하고 싶어요"])
    async def test_confirmed_the_session_is_over_with_a_farewell_and_no_model(self, talk, yes):
        await talk.say("오늘은 그만하고 싶어요")
        asked = len(talk.model.requests)
        said = await talk.say(yes)
        assert len(talk.model.requests) == asked
        assert said.reply == FAREWELL
        assert talk.state.ended
        assert talk.state.ended_at == talk.clock.now()
        assert {one.status for one in talk.state.tasks} == {TaskStatus.COMPLETED}
        assert [hook.type for hook in said.outcome.hooks] == ["session_completed"]

    async def test_taken_back_the_talk_goes_on(self, talk):
        await talk.say("오늘은 그만하고 싶어요")
        said = await talk.say("아니요, 더 얘기할래요")
        assert not talk.state.ended
        assert said.directive["stance"] == "work"

    async def test_in_part_1_needs_no_plan(self, talk):
        await talk.say("오늘은 그만하고 싶어요")
        await talk.say("네")
        assert (talk.state.current_part, talk.state.plan_status) == (Part.OPENING, PlanStatus.NONE)


class TestPart3:
    @pytest.fixture
    async def talk(self, talk):
        talk.plan(task("a", 2))
        talk.happen(ClosingStarted(tasks=(task("last", 3, completion_rule="reply", max_turns=2),)))
        return talk

    async def test_works_on_its_tasks_and_leaves_the_goal_of_part_2_behind(self, talk):
        said = await talk.say(PLAIN)
        assert (said.directive["part"], said.directive["task_id"], said.directive["part2_goal"]) == (3, "last", None)

    async def test_covered_the_user_is_asked_whether_to_end_and_a_yes_ends(self, talk):
        await talk.say(PLAIN)
        said = await talk.say(PLAIN)
        assert said.directive["stance"] == "confirm_end"
        assert (await talk.say("네, 좋아요")).reply == FAREWELL
        assert talk.state.ended

    async def test_after_a_no_the_user_is_not_asked_again_and_may_still_end(self, talk):
        await talk.say(PLAIN)
        await talk.say(PLAIN)
        declined = await talk.say("아니요, 더 얘기할래요")
        later = await talk.say(PLAIN)
        assert {declined.directive["stance"], later.directive["stance"]} == {"accompany"}
        assert (await talk.say("오늘은 그만하고 싶어요")).directive["stance"] == "confirm_end"
        await talk.say("네")
        assert talk.state.ended


class TestAWholeSession:
    async def test_comes_to_its_end_with_a_model_that_never_finds_anything(self, talk):
        """Bounds alone carry it through; workers do what their triggers would."""
        for _ in range(200):
            state = talk.state
            if state.ended:
                break
            if state.plan_status is PlanStatus.PLANNING and state.current_part is Part.OPENING:
                talk.plan(task("p1", 2), task("p2", 2))
            elif state.status is SessionStatus.WRAPPING_UP and state.current_part is not Part.CLOSING:
                talk.happen(ClosingStarted(tasks=(task("c1", 3), task("c2", 3, completion_rule="reply"))))
            proposed = talk.state.wrap_up is not None and talk.state.wrap_up.stage is WrapUpStage.PROPOSED
            talk.model.scripts["task_completion_checker"] = TaskCompletion(complete=False)
            await talk.say("네, 좋아요" if proposed else PLAIN)
        assert talk.state.ended
        assert talk.state.current_part is Part.CLOSING
