"""The fields of a turn's directive other than the task."""

from functions.chat.flows.counseling.directive import STALE_AFTER
from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.module import CRISIS_MODULE, LISTENING
from shared.domain.counseling.task_events import ModuleChanged
from tests.builders.sessions import task

PLAIN = "오늘은 그냥 집에 있었어요"


async def test_a_new_part_is_announced_once_even_if_its_plan_was_made_during_a_turn(talk):
    turn = talk.turn(PLAIN)
    outcome = await talk.flow.run(turn)
    talk.plan(task("first", 2))  # lands between the turn's snapshot and its commit
    talk.commit(turn, outcome)
    assert [(await talk.say(PLAIN)).directive["part_changed"] for _ in range(2)] == [True, False]


async def test_the_crisis_module_is_replaced_after_the_crisis(talk):
    talk.plan()
    talk.happen(ModuleChanged(module_id=CRISIS_MODULE, reason="위험 신호 감지", code="risk:crisis"))
    await talk.say(PLAIN)
    assert talk.state.current_module == LISTENING


async def test_the_supervisors_improvements_are_in_the_directive_until_they_are_stale(talk):
    gist = {"total": 4.0, "needs_improvement": True, "improvements": ["되비춰 주세요."]}
    talk.happen(Supervised(seq=1, upto=1, gist=gist))
    told = [(await talk.say(PLAIN)).directive["supervision"] for _ in range(STALE_AFTER + 3)]
    assert told == [["되비춰 주세요."]] * (STALE_AFTER + 1) + [[]] * 2
