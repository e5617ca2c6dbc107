"""The schedule of a run of `make chaos`: drawn from a seed alone, so that a run can be repeated."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from tests.builders.first_session import PART_1, PART_2

CHATS = ("chat", "chat_b")
"""The instances that clients talk to: one of the emulators' runner, one staged as for deployment."""
WORKERS = ("supervisor", "planner", "session_manager")
QUEUE = "deliveries"
DATABASE = "firestore"
"""It is only stopped and continued, never killed: its data is in memory."""
MODEL_FAULTS = (
    "unavailable", "rate_limit", "server_error", "hang", "empty", "blocked_answer", "cut_stream", "drip_stream",
    "not_json", "max_tokens",
)  # fmt: skip
AGENTS = ("*", "*", "Counselor", "Reading", "Reading", "Judgement", "SessionReview", "PlanProposal")
FROZEN_S = (1.0, 3.0, 6.0, 17.0)
"""The longest is longer than a lease lives."""
GAP_S = 3.5
"""Between two disturbances, on average."""
USERS = 5
ERASING_S = (0.005, 0.2)
"""When an instance is killed that was asked to delete: from its first read of the request to after its last commit."""
OUTAGE_FROM_S, OUTAGE_S = 300.0, 180.0
"""A longer run has an outage of the background's model, long enough for a task's last try to fail."""
OUTAGE_AGENTS = ("Summary", "ClosingWork")
VISIT_S = 4.0
"""No visit takes less: so many are drawn that no user runs out of them."""
CRISES = ("이제 다 끝내고 죽고 싶어요.", "어젯밤에 유서를 써 뒀어요. 죽고 싶어요.")
TEXTS = tuple(line.client for line in (*PART_1, *PART_2))


class Kind(StrEnum):
    KILL = "kill"  # SIGKILL; it is started again
    TERMINATE = "terminate"  # SIGTERM; it is started again
    FREEZE = "freeze"  # SIGSTOP, and SIGCONT later
    HOLD = "hold"  # no delivery is begun for a while; what piled up comes at once
    MODEL = "model"  # some calls of the model fail
    OUTAGE = "outage"  # all calls of an agent fail for minutes


DRAWN = (Kind.KILL, Kind.TERMINATE, Kind.FREEZE, Kind.HOLD, Kind.MODEL)


@dataclass(frozen=True)
class Disturbance:
    at_s: float  # since the start
    kind: Kind
    target: str  # a part, or the agent whose calls fail
    for_s: float = 0.0  # 0 where it is over at once
    fault: str = ""  # the model's
    times: int = 0  # how many calls fail


class How(StrEnum):
    JSON = "json"
    SSE = "sse"
    LOST = "lost"  # the stream is left early and taken up again
    COPIES = "copies"  # three times at once, to both instances
    PAIR = "pair"  # together with the next message


class Leave(StrEnum):
    """How a client leaves a conversation after its last message."""

    OPEN = "open"
    END = "end"
    EXPORT = "export"  # exported, then ended
    ERASE = "erase"  # deleted, again until it is confirmed
    ERASE_KILLED = "erase, killed"  # deleted by one request, and the instance that was asked is killed meanwhile


@dataclass(frozen=True)
class Line:
    text: str
    how: How
    crisis: bool = False


@dataclass(frozen=True)
class Visit:
    lines: tuple[Line, ...]
    leave: Leave
    kill_after_s: float  # for `Leave.ERASE_KILLED`, from the request on


@dataclass(frozen=True)
class Schedule:
    seed: int
    seconds: float  # how long things go wrong and new visits begin
    copies: int  # deliveries of each task and event, at once
    newest_first: bool  # deliveries that wait for one another come in reverse order
    disturbances: tuple[Disturbance, ...]
    visits: tuple[tuple[Visit, ...], ...]  # of each user, one after the other


def schedule(seed: int, seconds: float) -> Schedule:
    """Draw a run: the same seed and length give the same run."""
    random = Random(seed)
    copies, newest_first = random.choice((1, 2, 3)), random.random() < 0.5
    disturbances = _disturbances(random, seconds)
    visits = tuple(tuple(_visit(random) for _ in range(int(seconds / VISIT_S) + 1)) for _ in range(USERS))
    return Schedule(seed, seconds, copies, newest_first, disturbances, visits)


def _disturbances(random: Random, seconds: float) -> tuple[Disturbance, ...]:
    found: list[Disturbance] = []
    at = random.uniform(0.5, 1.5)
    while at < seconds:
        found.append(_disturbance(random, round(at, 2), seconds))
        at += random.uniform(0.4, 1.6) * GAP_S
    if seconds >= OUTAGE_FROM_S:
        begins = round(random.uniform(10.0, seconds - OUTAGE_S - 10.0), 2)
        found += [Disturbance(begins, Kind.OUTAGE, agent, OUTAGE_S, "unavailable") for agent in OUTAGE_AGENTS]
    return tuple(sorted(found, key=lambda disturbance: disturbance.at_s))


def _disturbance(random: Random, at: float, seconds: float) -> Disturbance:
    kind = random.choices(DRAWN, weights=(4, 3, 3, 1, 5))[0]
    match kind:
        case Kind.KILL | Kind.TERMINATE:  # what can be started again; clients meet those that they talk to
            target = random.choice(CHATS) if random.random() < 0.5 else random.choice((*WORKERS, QUEUE))
            return Disturbance(at, kind, target)
        case Kind.FREEZE:
            target = random.choice((*CHATS, *WORKERS, QUEUE, DATABASE))
            return Disturbance(at, kind, target, min(random.choice(FROZEN_S), seconds / 3))
        case Kind.HOLD:
            return Disturbance(at, kind, QUEUE, min(random.choice(FROZEN_S[:3]), seconds / 3))
        case _:
            fault, agent = random.choice(MODEL_FAULTS), random.choice(AGENTS)
            return Disturbance(at, kind, agent, fault=fault, times=random.randint(1, 12))


def _visit(random: Random) -> Visit:
    count = random.randint(2, 8)
    lines = [Line(text, random.choice(list(How))) for text in TEXTS[:count]]
    if random.random() < 0.35:
        lines.insert(random.randint(0, count), Line(random.choice(CRISES), random.choice(list(How)), crisis=True))
    return Visit(tuple(lines), random.choice(list(Leave)), round(random.uniform(*ERASING_S), 3))
