"""When a Part ends and how the next one starts."""

from shared.domain.counseling.lifecycle import PART2_MAX_TURNS
from shared.domain.counseling.review import REST_AFTER_DECLINE
from shared.domain.counseling.session import PlanStatus, WrapUpStage
from shared.domain.counseling.task import TaskStatus
from tests.builders.sessions import task

PLAIN = "오늘은 그냥 집에 있었어요"


class TestPart1:
    async def test_goes_on_until_it_is_covered_then_records_one_transition_and_bridges(self, talk):
        said = await talk.say(PLAIN)
        assert (said.records("part_transitions"), said.run("part_check").reason) == ([], "no transition due")
        covered = (one.model_copy(update={"status": TaskStatus.SUFFICIENT}) for one in talk.state.tasks)
        talk.set(tasks=tuple(covered), current_task=None)
        said = await talk.say(PLAIN)
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part, record.seq) == ("1-2", 1, 2, 2)
        assert talk.state.plan_status is PlanStatus.PLANNING
        assert (said.directive["stance"], said.directive["task_id"], said.ask) == ("bridge", None, None)
        assert said.run("part_check").reason == "1-2 due"
        for _ in range(3):
            said = await talk.say(PLAIN)
            assert (said.records("part_transitions"), said.directive["stance"]) == ([], "bridge")
            assert said.run("part_check").reason == "transition under way"

    async def test_is_covered_after_a_bound_of_turns_without_a_model(self, talk):
        talk.model.scripts = {}
        transitions = []
        for _ in range(40):
            transitions += (await talk.say("글쎄요, 별로 말하고 싶지 않은데")).records("part_transitions")
        assert [record.record_id for record in transitions] == ["1-2"]


async def test_the_wrap_up_is_proposed_at_the_bound_of_part_2_and_again_some_turns_after_a_no(talk):
    talk.plan(task("a", 2), task("b", 2))
    first = (await talk.say(PLAIN)).directive
    assert (first["part"], first["part2_goal"]) == (2, "잠을 다시 자기")
    talk.set(seq=talk.state.part2_started_seq + PART2_MAX_TURNS)
    said = await talk.say(PLAIN)
    assert (said.directive["stance"], said.directive["proposes"]) == ("propose_wrap_up", "wrap_up")
    assert talk.state.wrap_up.stage is WrapUpStage.PROPOSED
    texts = ["아니요, 더 얘기할래요", *[PLAIN] * REST_AFTER_DECLINE]
    stances = [(await talk.say(text)).directive["stance"] for text in texts]
    assert "propose_wrap_up" not in stances[:REST_AFTER_DECLINE]
    assert stances[REST_AFTER_DECLINE] == "propose_wrap_up"
