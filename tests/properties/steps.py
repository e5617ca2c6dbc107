"""Steps of a random session, each with what it does to the world; drawn so that the plainest comes first."""

import asyncio
from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st

from tests.builders.service_world import ServiceWorld
from tests.fakes.drawn_model import Mood
from tests.fakes.faulty_database import Fault, FaultKind
from tests.properties.users import COOPERATIVE, CRISIS, ENDING, OTHER, SAFE


@dataclass(frozen=True)
class Weather:
    """How model, store and queue are in one step.

    Attributes:
        seed: Of the model's answers.
        queue_away: The queue takes nothing.
    """

    mood: Mood = Mood.SENSIBLE
    seed: int = 0
    faults: tuple[Fault, ...] = ()
    queue_away: bool = False


@dataclass(frozen=True)
class Step:
    """Something that happens."""

    weather: Weather = field(default=Weather(), kw_only=True)

    async def happen(self, world: ServiceWorld) -> None:
        """Let it happen."""
        raise NotImplementedError


@dataclass(frozen=True)
class Say(Step):
    """The user says something; jobs may be under way meanwhile."""

    text: str
    beside: bool = False

    async def happen(self, world: ServiceWorld) -> None:
        jobs = [world.deliver(each) for each in list(world.on_their_way)] if self.beside else []
        await asyncio.gather(world.say(self.text), *jobs)


@dataclass(frozen=True)
class SayAtOnce(Step):
    """The user says two things before the first is answered."""

    first: str
    second: str

    async def happen(self, world: ServiceWorld) -> None:
        await asyncio.gather(world.say(self.first), world.say(self.second))


@dataclass(frozen=True)
class SayAgain(Step):
    """The client sends a message a second time."""

    which: int

    async def happen(self, world: ServiceWorld) -> None:
        if not world.sent:
            return
        message_id = list(world.sent)[self.which % len(world.sent)]
        again = await world.say_again(message_id)
        assert again.reply == world.replies[message_id].reply


@dataclass(frozen=True)
class Talk(Step):
    """The user cooperates for some turns, and all work is done in between."""

    turns: int

    async def happen(self, world: ServiceWorld) -> None:
        for turn in range(self.turns):
            await world.say(COOPERATIVE[(world.session.seq + turn) % len(COOPERATIVE)])
            await deliver_all(world)


@dataclass(frozen=True)
class Deliver(Step):
    """One of the tasks and events on their way arrives, once or more often; or it is lost."""

    which: int
    times: int = 1

    async def happen(self, world: ServiceWorld) -> None:
        if not world.on_their_way:
            return
        delivery = world.on_their_way[self.which % len(world.on_their_way)]
        if self.times == 0:
            world.on_their_way.remove(delivery)
        for _ in range(self.times):
            await world.deliver(delivery)


@dataclass(frozen=True)
class DeliverAll(Step):
    """Everything arrives, in some order, one by one or at once."""

    order: int = 0
    at_once: bool = False

    async def happen(self, world: ServiceWorld) -> None:
        waiting = list(world.on_their_way)
        if self.order:
            Random(self.order).shuffle(waiting)
        if self.at_once:
            await asyncio.gather(*(world.deliver(each) for each in waiting))
            return
        for each in waiting:
            await world.deliver(each)


@dataclass(frozen=True)
class Wait(Step):
    """Time passes, and the sweep comes by."""

    seconds: int
    sweep: bool = True

    async def happen(self, world: ServiceWorld) -> None:
        world.clock.advance(self.seconds)
        if self.sweep:
            await world.sweep_up()


@dataclass(frozen=True)
class End(Step):
    """The user ends the session by the endpoint, perhaps while a turn runs."""

    beside: str = ""

    async def happen(self, world: ServiceWorld) -> None:
        saying = [world.say(self.beside)] if self.beside else []
        await asyncio.gather(*saying, world.end())


async def happen(world: ServiceWorld, step: Step) -> None:
    """Let a step happen in its weather; a process that died in it is started anew."""
    weather = step.weather
    world.model.put(weather.mood, weather.seed)
    world.database.plan(weather.faults)
    world.queue.away = weather.queue_away
    await step.happen(world)
    world.database.plan(())
    world.queue.away = False
    if world.database.dead:
        world.clock.advance(60)
        world.restart()


async def deliver_all(world: ServiceWorld) -> None:
    """Deliver what is on its way, each once."""
    for delivery in list(world.on_their_way):
        await world.deliver(delivery)


async def come_to_rest(world: ServiceWorld) -> None:
    """Let everything on its way arrive, and the sweep find what was lost, with a model that answers."""
    world.model.put(Mood.SENSIBLE, 0)
    for _ in range(12):
        for _ in range(len(world.on_their_way) * 2):
            if not world.on_their_way:
                break
            await world.deliver(world.on_their_way[0])
        world.clock.advance(3600)
        await world.sweep_up()
        if not world.on_their_way and world.session.due_since is None:
            return


def _messages() -> st.SearchStrategy[str]:
    pools = (COOPERATIVE, COOPERATIVE, OTHER, ENDING, OTHER, SAFE, CRISIS)
    return st.sampled_from(range(len(pools))).flatmap(lambda n: st.sampled_from(pools[n]))


def _faults() -> st.SearchStrategy[tuple[Fault, ...]]:
    one = st.builds(Fault, st.sampled_from(FaultKind), st.integers(0, 4))
    return st.sampled_from([0, 0, 0, 1, 2]).flatmap(lambda n: st.tuples(*[one] * n))


def _weathers() -> st.SearchStrategy[Weather]:
    calm = st.builds(Weather, st.just(Mood.SENSIBLE), st.integers(0, 99))
    rough = st.builds(Weather, st.sampled_from(Mood), st.integers(0, 9999), _faults(), st.booleans())
    return st.one_of(calm, rough, rough)


def steps() -> st.SearchStrategy[Step]:
    """Draw one step."""
    weather, message = _weathers(), _messages()
    return st.one_of(
        st.builds(Say, message, weather=weather),
        st.builds(Say, message, st.booleans(), weather=weather),
        st.builds(Talk, st.integers(1, 6), weather=weather),
        st.builds(DeliverAll, st.integers(0, 20), st.booleans(), weather=weather),
        st.builds(Deliver, st.integers(0, 9), st.integers(0, 3), weather=weather),
        st.builds(Say, message, weather=weather),
        st.builds(Wait, st.sampled_from([1, 30, 200, 1000]), weather=weather),
        st.builds(SayAtOnce, message, message, weather=weather),
        st.builds(SayAgain, st.integers(0, 50), weather=weather),
    )


def walks(longest: int) -> st.SearchStrategy[list[Step]]:
    """Draw a session's steps, from somewhere in it: the later Parts are as likely as the first."""
    begins = st.sampled_from([0, 6, 10, 14, 20, 28]).map(Talk)
    lengths = st.sampled_from([0, longest // 3, longest * 2 // 3])
    middle = lengths.flatmap(lambda least: st.lists(steps(), min_size=least, max_size=least + longest // 3))
    ending = st.one_of(
        st.just(()),
        st.tuples(st.builds(Say, st.sampled_from(ENDING)), st.builds(Say, st.sampled_from(ENDING)), steps()),
        st.tuples(st.builds(End, weather=_weathers()), steps()),
        st.tuples(st.builds(End, st.sampled_from((*COOPERATIVE, *CRISIS)), weather=_weathers()), steps()),
    )
    return st.tuples(begins, middle, ending).map(lambda drawn: [drawn[0], *drawn[1], *drawn[2]])


def openings() -> st.SearchStrategy[dict[str, str]]:
    """Draw how a conversation is opened."""
    return st.fixed_dictionaries(
        {
            "session_type": st.sampled_from(["first_session", "follow_up", "closing"]),
            "locale": st.sampled_from(["ko", "en"]),
            "register": st.sampled_from(["존댓말", "반말"]),
            "age_band": st.sampled_from(["adult", "14_18"]),
        },
        optional={"persona": st.sampled_from(["Type_A", "Type_H", "Type_P"])},
    )
