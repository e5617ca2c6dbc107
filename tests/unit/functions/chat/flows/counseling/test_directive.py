from functions.chat.flows.counseling.directive import STALE_AFTER
from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.module import AFTER_CRISIS, CRISIS_MODULE
from shared.domain.counseling.task_events import ModuleChanged, SlotFilled
from tests.fakes.counselling import task

PLAIN = "오늘은 그냥 집에 있었어요"


async def test_the_reply_leads_over_to_a_new_part_once_even_when_the_plan_came_during_a_turn(talk):
    turn = talk.turn(PLAIN)
    outcome = await talk.flow.run(turn)
    talk.plan(task("first", 2))  # lands between the turn's snapshot and its commit
    talk.commit(turn, outcome)
    assert (await talk.say(PLAIN)).directive["part_changed"]
    assert not (await talk.say(PLAIN)).directive["part_changed"]


async def test_a_yes_or_no_is_told_to_the_counselor_in_words(talk):
    talk.state = SlotFilled(slot="prior_counseling", value=False).apply(talk.state, talk.clock.now())
    known = (await talk.say(PLAIN)).directive["known"]
    assert "아니요" in known.values()
    assert "False" not in known.values()


async def test_the_crisis_technique_does_not_outlast_the_crisis(talk):
    talk.plan()
    talk.state = ModuleChanged(module_id=CRISIS_MODULE, reason="risk").apply(talk.state, talk.clock.now())
    await talk.say(PLAIN)
    assert talk.state.current_module == AFTER_CRISIS


async def test_what_the_supervisor_wanted_mended_is_told_while_it_is_fresh(talk):
    wanted = Supervised(
        seq=1, upto=1, gist={"total": 4.0, "needs_improvement": True, "improvements": ["되비춰 주세요."]}
    )
    talk.happen(wanted)
    told = [(await talk.say(PLAIN)).directive["supervision"] for _ in range(STALE_AFTER + 3)]
    assert told == [["되비춰 주세요."]] * (STALE_AFTER + 1) + [[]] * 2
