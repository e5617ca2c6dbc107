"""Random sessions over the whole service: what must hold after every write, and that every session can end.

User, model, store, queue, triggers and time are drawn; the flow, the background jobs and the engine are the real ones.
In a normal run there are few sessions, the same each time. A long one draws others, as many as it is told:

    CBOT_PROPERTY_EXAMPLES=500 .venv/bin/python -m pytest tests/properties -q

One session of each test takes about four seconds together. A session that fails is shown with its steps, as drawn. With
CBOT_PROPERTY_SHRINK=1 a shorter one that fails is looked for, which takes up to five minutes a test.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shared.domain.counseling.session import WrapUpStage
from shared.domain.counseling.task import Part
from tests.builders.service_world import ServiceWorld
from tests.fakes.drawn_model import Mood
from tests.properties.invariants import hold_for_each_write
from tests.properties.steps import Step, come_to_rest, deliver_all, happen, openings, walks
from tests.properties.users import farewell, let_it_come
from tests.properties.whole_session import hold_for_the_whole

ASKED_FOR = int(os.environ.get("CBOT_PROPERTY_EXAMPLES", "0"))
SHRINKING = {Phase.shrink, Phase.explain}
PHASES = tuple(phase for phase in Phase if phase not in SHRINKING or os.environ.get("CBOT_PROPERTY_SHRINK"))
LONGEST = 60 if ASKED_FOR else 24
ANY_BUT_MAD = (Mood.SENSIBLE, Mood.GRUDGING, Mood.BROKEN, Mood.SILENT)
"""A model that sees a crisis in every message keeps the user in its care; the endpoint ends a session even then."""
TURNS_TO_THE_END = 30 + 5 + 2 + 40 + 10 + 4 + 24 + 7 + 4
"""Part 1's five tasks and Part 3's four have six turns each, the explanation waits for five more, Part 2 has 40; a plan
is waited for, a no rests for ten turns, strong feeling holds the proposals back for four and seven, and each takes a
turn to make and one to answer."""
PART_TWO_UNTIL_A_PROPOSAL = 40 + 10 + 4


def sessions(few: int) -> settings:
    """Return how many sessions are drawn: a few fixed ones, or as many others as were asked for."""
    return settings(
        max_examples=ASKED_FOR or few,
        derandomize=not ASKED_FOR,
        database=None,
        deadline=None,
        print_blob=False,
        phases=PHASES,
        suppress_health_check=list(HealthCheck),
    )


@asynccontextmanager
async def walked(opening: dict[str, str], steps: list[Step]) -> AsyncIterator[ServiceWorld]:
    """Open a session and let the steps happen, checking every write."""
    world = ServiceWorld()
    try:
        await world.open(**opening)
        for step in steps:
            since = len(world.history)
            await happen(world, step)
            hold_for_each_write(world, since)
        yield world
    except AssertionError as error:
        error.add_note("\n".join((f"opening: {opening}", *(f"step: {step}" for step in steps))))
        raise
    finally:
        world.close()


async def at_rest(world: ServiceWorld) -> None:
    """Let all work be done, and look at what is left."""
    since = len(world.history)
    await come_to_rest(world)
    hold_for_each_write(world, since)
    await hold_for_the_whole(world)
    assert not world.context.policy.overdue(world.session), "work is left undone"
    assert world.session.closing_made == (world.session.ended and world.session.message_count > 0)


@sessions(few=4)
@given(openings(), walks(LONGEST))
async def test_whatever_happens_every_rule_holds_after_every_write_and_no_word_is_lost(opening, steps):
    async with walked(opening, steps) as world:
        await at_rest(world)


@sessions(few=2)
@given(openings(), walks(LONGEST), st.sampled_from(ANY_BUT_MAD), st.integers(0, 9999))
async def test_a_user_who_asks_to_end_and_agrees_comes_to_the_end_from_anywhere(opening, steps, mood, seed):
    async with walked(opening, steps) as world:
        world.model.put(mood, seed)
        since = len(world.history)
        for text in farewell(world):
            if world.session.ended:
                break
            await world.say(text)
            await deliver_all(world)
        hold_for_each_write(world, since)
        assert world.session.ended
        await at_rest(world)


@sessions(few=1)
@given(openings(), walks(LONGEST // 4), st.sampled_from([Mood.GRUDGING, Mood.SENSIBLE]), st.integers(0, 9999))
async def test_a_user_who_asks_for_nothing_is_brought_to_a_proposal_and_to_the_end(opening, steps, mood, seed):
    async with walked(opening, steps) as world:
        world.model.put(mood, seed)
        since, began = len(world.history), world.session.seq
        while not world.session.ended and world.session.seq - began < TURNS_TO_THE_END:
            await world.say(let_it_come(world))
            await deliver_all(world)
        hold_for_each_write(world, since)
        assert world.session.ended
        assert turns_of_part_two(world, since, began) <= PART_TWO_UNTIL_A_PROPOSAL
        await at_rest(world)


def turns_of_part_two(world: ServiceWorld, since: int, began: int) -> int:
    """Return how many turns of Part 2 went by, from a turn on, without a proposal to wrap up."""
    unasked = (
        state.seq - max(began, state.part2_started_seq or 0)
        for state in world.history[since:]
        if state.current_part is Part.EXPLORATION
        if state.wrap_up is None or state.wrap_up.stage is not WrapUpStage.PROPOSED
    )
    return max(unasked, default=0)
