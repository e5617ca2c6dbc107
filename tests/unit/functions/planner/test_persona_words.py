"""The sixteen types as the model reads them: in the session's language."""

import pytest

from functions.planner.proposal import NO_PLAN
from functions.planner.transitions import carry_out
from shared.content.catalogue import content
from shared.domain.counseling.session import PlanStatus
from shared.locale import Locale
from tests.builders.answers import persona_guess
from tests.builders.job_room import Room, created, transition
from tests.builders.sessions import session, task
from tests.support.tags import element


@pytest.mark.parametrize("locale", Locale)
async def test_the_persona_prompt_lists_every_type_in_the_sessions_language(locale):
    room = Room({"planner": NO_PLAN, "persona_inferrer": persona_guess()})
    state = session(task(status="sufficient"), plan_status=PlanStatus.PLANNING, planning_seq=1, locale=locale)
    await room.open(state, ("hello", "I worry"), (transition("1-2"),))
    await carry_out(room.context, created("part_transitions", "1-2"))
    shown = element(room.model.asked("persona_inferrer")[0].messages[0].text, "types").splitlines()
    assert shown == [f"{one.type}: {one.name(locale)} — {one.description(locale)}" for one in content().personas.types]
