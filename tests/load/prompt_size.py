"""Whether a turn grows with its session: the tokens of turns and of background work, and the own overhead."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.gemini.tokens import count_tokens
from shared.domain.counseling.lifecycle import due_work
from shared.domain.turn import TurnRecord
from tests.builders.first_session import PART_1, await_the_plan
from tests.load.detector import WORDS
from tests.load.figures import Figure, median, progress
from tests.support.chat_client import signed_in
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import stored

GOAL, GOAL_OVERHEAD = 1.1, 1.5
AROUND = 5  # turns averaged on either side of a point: turns differ in the agents that they need
BACKGROUND = {"Judgement": "supervisor", "SessionReview": "session_manager", "Summary": "summarizer"}
"""The background agents by what they answer, as the simulator knows them."""
SEED = 7


@dataclass(frozen=True)
class Points:
    """Turns at which prompts are measured; `span` turns of background work around each, a multiple of all periods."""

    early: int = 20
    late: int = 200
    span: int = 30
    begun: int = 10
    """The turn whose own overhead is compared with that at turn `late`."""

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """The first and the last turn around each point."""
        half = self.span // 2
        return self.early - half, self.early + half, self.late - half, self.late + half


def talk(turns: int) -> Iterator[str]:
    """Yield different messages, from a few words to a long text; the same in each run."""
    draw = random.Random(SEED)

    def number(text: str) -> str:
        return text.format(n=draw.randint(2, 12), m=draw.randint(2, 28))

    def sentence() -> str:
        when, who, what, felt = (draw.choice(WORDS[name]) for name in ("when", "who", "what", "felt"))
        return number(f"{when} {who}이랑 있었던 일인데, {what} {felt}.")

    for line in PART_1[:turns]:
        yield line.text
    for _ in range(turns - len(PART_1)):
        sentences = [sentence() for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 6, 14)))]
        yield " ".join([*sentences, *(number(draw.choice(WORDS["more"])) for _ in range(draw.randint(0, 2)))])


async def prompt_size(home: Path, simulator: Simulator, points: Points) -> list[Figure]:
    simulator.reset()
    spent: dict[int, int] = {}
    calls: dict[int, Mapping[str, float]] = {}
    with LocalServer(home, simulator) as server:
        async with signed_in(server.address) as person:
            conversation = (await person.open()).id
            for turn, text in enumerate(talk(points.edges[-1]), start=1):
                await await_the_plan(person, conversation, await person.say(conversation, text))
                if turn in points.edges:
                    spent[turn] = await _all_spent(server, conversation)
                    calls[turn] = _calls(simulator)
                    progress(f"prompts: {turn} of {points.edges[-1]} turns")
        async with stored(server.database) as store:
            records = await store.turns(conversation)
    _, early, _, late = (calls[turn] for turn in points.edges)
    how = "its newest calls, by the simulator"
    agents = [agent for agent in BACKGROUND.values() if agent in early and agent in late]
    return [
        *_turns(records, points),
        _background(records, spent, points),
        *(_ratio(f"the {agent}", late[agent], early[agent], points, how) for agent in agents),
        _overhead(records, points),
    ]


async def _all_spent(server: LocalServer, conversation: str) -> int:
    """Return the session's tokens when no background work is due."""

    async def rested() -> int | None:
        async with stored(server.database) as store:
            session = await store.session(conversation)
        return None if due_work(session) else session.budget.prompt_tokens

    return await eventually(rested, within_s=60, what="the background work")


def _turns(records: Sequence[TurnRecord], points: Points) -> Iterator[Figure]:
    around = min(AROUND, points.span // 2)

    def mean(turn: int, agent: str | None) -> float:
        near = [record for record in records if abs(record.seq - turn) <= around]
        runs = [run for record in near for run in record.agents if agent in (None, run.agent)]
        return sum(run.prompt_tokens for run in runs) / len(near)

    for what, agent in (("a turn", None), ("the Counselor", "counselor")):
        yield _ratio(what, mean(points.late, agent), mean(points.early, agent), points, f"±{around} turns")


def _background(records: Sequence[TurnRecord], spent: Mapping[int, int], points: Points) -> Figure:
    def between(first: int, last: int) -> float:
        in_turns = sum(record.spent.prompt_tokens for record in records if first < record.seq <= last)
        return (spent[last] - spent[first] - in_turns) / (last - first)

    early, late = between(*points.edges[:2]), between(*points.edges[2:])
    return _ratio("the background", late, early, points, f"{points.span} turns around each, a turn")


def _overhead(records: Sequence[TurnRecord], points: Points) -> Figure:
    """Compare the ledger's own overhead; medians, since single turns are disturbed by other processes."""
    around = min(AROUND, points.begun // 2)

    def middle(turn: int) -> float:
        return median([record.overhead_ms for record in records if abs(record.seq - turn) <= around])

    late, begun = middle(points.late), middle(points.begun)
    name = f"own overhead at turn {points.late} ÷ at turn {points.begun}"
    how = f"ledger's `overhead_ms`, median over ±{around} turns: {late:.1f} ms and {begun:.1f} ms; instant simulator"
    return Figure(name, late / begun if begun else None, "", GOAL_OVERHEAD, how)


def _calls(simulator: Simulator) -> Mapping[str, float]:
    """Return the mean tokens of a call by background agent: the ledger of a session adds them up."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for call in simulator.recent_calls():
        if agent := BACKGROUND.get(call["agent"]):
            found[agent].append(count_tokens(" ".join(_texts(call["request"]))))
    return {agent: sum(tokens) / len(tokens) for agent, tokens in found.items()}


def _texts(part: object) -> Iterator[str]:
    """Return the texts of a request, its schema aside."""
    if isinstance(part, list):
        for each in part:
            yield from _texts(each)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name == "text" and isinstance(value, str):
                yield value
            elif name not in ("generationConfig", "generation_config"):
                yield from _texts(value)


def _ratio(of: str, late: float, early: float, points: Points, how: str) -> Figure:
    where = f"mean over {how}: {late:,.0f} around turn {points.late}, {early:,.0f} around turn {points.early}"
    name = f"prompt tokens of {of} at turn {points.late} ÷ at turn {points.early}"
    return Figure(name, late / early, "", GOAL, where)
