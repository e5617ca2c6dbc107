"""No prompt grows with its session: everything in it has a bound, at turn 20 as at turn 200."""

from collections.abc import Mapping

import pytest

from functions.planner.proposal import NO_PLAN
from functions.planner.replan import replan
from functions.session_manager.close import close
from functions.session_manager.review import review
from functions.session_manager.summarize import summarize
from functions.supervisor.supervise import supervise
from shared.contracts.chat import MAX_TEXT
from shared.contracts.tasks import JobKind
from shared.domain.conversation import RECENT_MESSAGES, Message, Role
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import LogEntry, PlanStatus, SessionStatus, Watermarks
from shared.domain.counseling.sources import LONGEST_QUOTE, SourcedText
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.slots import MAX_TEXT as LONGEST_VALUE
from shared.engine.memory import LONGEST_SUMMARY, WINDOW_CHARACTERS
from shared.locale import Locale
from shared.ports.language_model import ModelRequest
from tests.builders.answers import persona_guess
from tests.builders.job_room import Room, created, payload
from tests.builders.planning import carried_out, covered_room
from tests.builders.sessions import NOW, session, slot, task
from tests.builders.talk import Talk

WORD = "발표를 앞둔 밤마다 잠이 오지 않아요. "
SLOTS = 60
REPLANS, PLANNED = 5, 6
MOST_CHARACTERS = {
    "counselor": WINDOW_CHARACTERS + MAX_TEXT + 14_000,
    "reader": 16_000,
    "supervisor": 24_000,
    "session_manager": 24_000,
    "planner": 32_000,
    "summarizer": 48_000,
    "closer": 60_000,
}
"""Characters of a request in the worst session there can be. They notice what has no bound."""


def said(length: int) -> str:
    return (WORD * (length // len(WORD) + 1))[:length]


def tasks() -> tuple:
    """Part 1 with far too many slots, and Part 2 planned anew as often as may be, each text as long as it may be."""
    slots = tuple(slot(f"slot_{number}", label=f"무엇 {number}", questions=(said(120),)) for number in range(SLOTS))
    texts = {"title": said(60)} | {name: said(300) for name in ("description", "target", "restrictions")}
    covered = {"status": TaskStatus.SUFFICIENT, "sufficient_at": NOW}
    first = task("first", Part.OPENING, required_slots=slots, **covered | {"status": TaskStatus.COMPLETED})
    planned = [
        task(f"plan_{plan}_{number}", Part.EXPLORATION, **texts, **covered if plan < REPLANS else {})
        for plan in range(REPLANS + 1)
        for number in range(PLANNED)
    ]
    planned[-PLANNED] = planned[-PLANNED].model_copy(update={"status": TaskStatus.IN_PROGRESS})
    return (first, *planned)


def all_of_it(turns: int) -> Mapping[str, object]:
    """A session's fields, each as full as it gets."""
    gist = {"total": 3, "improvements": [said(200)] * 3, "strengths": [said(200)] * 3}
    talk = (
        Message(seq=turn, role=role, text=said(MAX_TEXT if role is Role.USER else 1200), created_at=NOW)
        for turn in range(turns - RECENT_MESSAGES // 2 + 1, turns + 1)
        for role in (Role.USER, Role.COUNSELOR)
    )
    return {
        "tasks": tasks(),
        "current_task": f"plan_{REPLANS}_0",
        "current_part": Part.EXPLORATION,
        "plan_status": PlanStatus.READY,
        "part2_goal": said(300),
        "execution_guide": said(300),
        "user_info": {f"slot_{number}": said(LONGEST_VALUE) for number in range(SLOTS)},
        "summary_text": said(LONGEST_SUMMARY * 3),
        "summary_sources": tuple(
            SourcedText(seq=number, quote=said(LONGEST_QUOTE), text=said(LONGEST_SUMMARY // 60)) for number in range(60)
        ),
        "supervision_log": (LogEntry(seq=turns - 1, at=NOW, data=gist),),
        "recent": tuple(talk),
        "seq": turns,
        "message_count": turns,
    }


def characters(request: ModelRequest) -> int:
    return len(request.system) + sum(len(message.text) for message in request.messages)


@pytest.mark.parametrize("locale", Locale)
async def test_a_turn_asks_no_more_at_turn_200_than_at_turn_20(locale: Locale) -> None:
    found = {}
    for turns in (20, 200):
        talk = Talk(locale=locale.value, persona="Type_A")
        talk.set(**all_of_it(turns))
        await talk.say(said(MAX_TEXT))
        found[turns] = {request.agent: characters(request) for request in talk.model.requests}
    assert "counselor" in found[200]
    assert found[200] == found[20]
    assert {agent: size for agent, size in found[200].items() if size > MOST_CHARACTERS[agent]} == {}


async def background(turns: int) -> dict[str, int]:
    """Return how much each background agent is asked in a session of so many turns."""
    room = Room()
    told = tuple(said(MAX_TEXT) for _ in range(turns))
    full = session(**all_of_it(turns), watermarks=Watermarks(summarized=turns - 6), replans=1)
    asked = feedback(full, FeedbackSource.PART_MANAGER, kind="x", reason=said(900), seq=turns, at=NOW)
    await room.open(full, told, (asked,))
    await supervise(room.context, payload(JobKind.SUPERVISE, turns))
    await review(room.context, payload(JobKind.REVIEW, turns))
    await summarize(room.context, payload(JobKind.SUMMARIZE, turns))
    await replan(room.context, created("planner_feedback", asked.record_id))
    await room.change(status=SessionStatus.COMPLETED)
    await close(room.context, payload(JobKind.CLOSE, 0))
    return {request.agent: characters(request) for request in room.model.requests}


@pytest.mark.parametrize("locale", Locale)
async def test_the_first_plan_is_asked_for_within_the_planners_bound_with_its_starting_point(locale: Locale) -> None:
    talk = (f"{WORD} I can't sleep. " + said(MAX_TEXT - 60),) * 20
    fields = all_of_it(20) | {"current_part": Part.OPENING, "plan_status": PlanStatus.PLANNING, "tasks": tasks()[:1]}
    room = await covered_room(NO_PLAN, talk, **fields, locale=locale, user_persona=UserPersona())
    room.model.scripts["persona_inferrer"] = persona_guess(reason="sleep", reason_quote="I can't sleep")
    await carried_out(room)
    request, *_ = room.model.asked("planner")
    assert "<starting_point>" in request.messages[0].text
    assert characters(request) <= MOST_CHARACTERS["planner"]


async def test_the_background_asks_no_more_at_turn_200_than_at_turn_40() -> None:
    early, late = await background(40), await background(200)
    assert {"supervisor", "session_manager", "summarizer", "planner", "closer"} <= set(late)
    growth = {agent: late[agent] / early[agent] for agent in late}
    assert {agent: ratio for agent, ratio in growth.items() if ratio > 1.01} == {}
    assert {agent: size for agent, size in late.items() if size > MOST_CHARACTERS[agent]} == {}
