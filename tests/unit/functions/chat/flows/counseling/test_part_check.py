import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.lifecycle import PART2_MAX_TURNS
from shared.domain.counseling.review import REST_AFTER_DECLINE
from shared.domain.counseling.session import PlanStatus, WrapUpStage
from shared.domain.counseling.task import TaskStatus
from shared.locale import Locale
from tests.fakes.counselling import task

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
        for _ in range(REST_AFTER_DECLINE):
            stances += [(await talk.say(PLAIN)).directive["stance"]]
        assert "propose_wrap_up" not in stances[:REST_AFTER_DECLINE]
        assert stances[REST_AFTER_DECLINE] == "propose_wrap_up"


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
