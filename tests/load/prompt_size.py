"""Whether prompts grow with a session: the tokens of its turns and of its background work, early and late."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.gemini.tokens import count_tokens
from shared.domain.counseling.lifecycle import due_work
from shared.domain.turn import TurnRecord
from tests.load.figures import Figure, progress
from tests.support.chat_client import Person, signed_in
from tests.support.first_session import PART_1
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import stored

GOAL = 1.1
AROUND = 5
"""Turns on either side of the one that is looked at: one turn's plan may need more agents than another's."""
BACKGROUND = {"Judgement": "supervisor", "SessionReview": "session_manager", "Summary": "summarizer"}
"""The background agents by what they answer, as the simulator knows them."""
SEED = 7

WHO = (
    "팀장님",
    "동생",
    "엄마",
    "옆자리 동료",
    "대학 때 친구",
    "집주인",
    "아버지",
    "새로 온 후배",
    "사촌 언니",
    "거래처 직원",
)
WHEN = (
    "어제 저녁에",
    "지난 화요일에",
    "아침 7시쯤",
    "{n}월 {m}일에",
    "주말마다",
    "일주일에 {n}번은",
    "퇴근하고 나서",
    "{n}년 전에",
)
WHAT = (
    "제 말을 끝까지 듣지 않아서",
    "약속을 또 미뤄서",
    "제가 쓴 보고서를 {n}번이나 다시 쓰라고 해서",
    "연락을 한 통도 받지 않아서",
    "다른 사람과 저를 비교해서",
    "{n}만 원을 빌려 달라고 해서",
    "저한테만 일을 맡겨서",
    "웃으면서 넘기려고 해서",
)
FELT = (
    "속이 답답했어요",
    "괜히 제 탓 같았어요",
    "아무 말도 못 했어요",
    "밤에 자꾸 생각났어요",
    "화가 났는데 참았어요",
    "조금 서운했어요",
    "집에 와서 한참 멍하니 있었어요",
    "그래도 이번에는 말해 봤어요",
)
MORE = (
    "그런데 이상하게 {n}분쯤 지나니까 조금 나아졌어요.",
    "예전 같으면 그냥 넘겼을 텐데 이번에는 오래 남더라고요.",
    "비슷한 일이 {n}번쯤 있었던 것 같아요.",
    "앞으로는 그 자리에서 한마디라도 하고 싶어요.",
    "누구한테 말하기도 애매해서 혼자 걸었어요.",
)


@dataclass(frozen=True)
class Points:
    """Where it is looked.

    Attributes:
        span: Turns of background work around each: a multiple of what makes it due comes out even.
    """

    early: int = 20
    late: int = 200
    span: int = 30

    @property
    def last(self) -> int:
        """The last turn that is needed."""
        return self.late + self.span // 2


def talk(turns: int) -> Iterator[str]:
    """Say something else each time, from a few words to a long message; the same in each run."""
    draw = random.Random(SEED)

    def number(text: str) -> str:
        return text.format(n=draw.randint(2, 12), m=draw.randint(2, 28))

    for line in PART_1[:turns]:
        yield line.text
    for _ in range(turns - len(PART_1)):
        sentences = [
            number(
                f"{draw.choice(WHEN)} {draw.choice(WHO)}이랑 있었던 일인데, {draw.choice(WHAT)} {draw.choice(FELT)}."
            )
            for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 6, 14)))
        ]
        yield " ".join([*sentences, *(number(draw.choice(MORE)) for _ in range(draw.randint(0, 2)))])


async def prompt_size(home: Path, simulator: Simulator, points: Points) -> list[Figure]:
    """Talk a long session through on a fresh server."""
    simulator.reset()
    edges = _edges(points)
    spent: dict[int, int] = {}
    calls: dict[int, dict[str, float]] = {}
    with LocalServer(home, simulator) as server:
        async with signed_in(server.address) as person:
            conversation = (await person.open()).id
            for turn, text in enumerate(talk(points.last), start=1):
                await _say(person, conversation, text)
                if turn in edges:
                    spent[turn] = await _all_spent(server, conversation)
                    calls[turn] = _calls(simulator)
                    progress(f"prompts: {turn} of {points.last} turns")
        async with stored(server.database) as store:
            records = await store.turns(conversation)
    return [
        *_turns(records, points),
        _background(records, spent, points),
        *_agents(calls[edges[1]], calls[edges[3]], points),
    ]


async def _say(person: Person, conversation: str, text: str) -> None:
    async def planned() -> bool:
        return bool((await person.snapshot(conversation))["plan_status"] != "planning")

    reply = await person.say(conversation, text)
    if reply["state_snapshot"]["plan_status"] == "planning":
        await eventually(planned, what="the plan")


async def _all_spent(server: LocalServer, conversation: str) -> int:
    """Return the session's tokens when its background work has come to rest."""

    async def rested() -> int | None:
        async with stored(server.database) as store:
            session = await store.session(conversation)
        return None if due_work(session) else session.budget.prompt_tokens

    return await eventually(rested, within_s=60, what="the background work")


def _edges(points: Points) -> tuple[int, int, int, int]:
    half = points.span // 2
    return points.early - half, points.early + half, points.late - half, points.late + half


def _turns(records: Sequence[TurnRecord], points: Points) -> list[Figure]:
    around = min(AROUND, points.span // 2)

    def mean(turn: int, agent: str | None) -> float:
        near = [record for record in records if abs(record.seq - turn) <= around]
        runs = [run for record in near for run in record.agents if agent in (None, run.agent)]
        return sum(run.prompt_tokens for run in runs) / len(near)

    return [
        _ratio(
            f"prompt tokens of {what}", mean(points.late, agent), mean(points.early, agent), points, f"±{around} turns"
        )
        for what, agent in (("a turn", None), ("the Counselor", "counselor"))
    ]


def _background(records: Sequence[TurnRecord], spent: Mapping[int, int], points: Points) -> Figure:
    def between(first: int, last: int) -> float:
        in_turns = sum(record.spent.prompt_tokens for record in records if first < record.seq <= last)
        return (spent[last] - spent[first] - in_turns) / (last - first)

    first, second, third, fourth = _edges(points)
    how = f"{points.span} turns around each, a turn"
    return _ratio("prompt tokens of the background", between(third, fourth), between(first, second), points, how)


def _agents(early: Mapping[str, float], late: Mapping[str, float], points: Points) -> list[Figure]:
    return [
        _ratio(f"prompt tokens of the {agent}", late[agent], early[agent], points, "its newest calls, by the simulator")
        for agent in BACKGROUND.values()
        if agent in early and agent in late
    ]


def _calls(simulator: Simulator) -> dict[str, float]:
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


def _ratio(name: str, late: float, early: float, points: Points, how: str) -> Figure:
    """Return a figure beside its goal."""
    where = f"mean over {how}: {late:,.0f} around turn {points.late}, {early:,.0f} around turn {points.early}"
    return Figure(f"{name} at turn {points.late} ÷ at turn {points.early}", late / early, "", GOAL, where)
