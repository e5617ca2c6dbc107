"""A counselling conversation without a store: real content, a scripted model, one turn at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from functions.chat.flows.counseling.opening import open_session
from functions.chat.flows.counseling.turn import CounselingFlow
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.contracts.chat import CreateConversation
from shared.contracts.events import Replace, StreamEvent, Token
from shared.domain.conversation import Message, Role, remember
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Task, TaskStatus
from shared.domain.event import Event, apply_all
from shared.domain.turn import AgentRun
from shared.engine.commit import kept_text
from shared.engine.flow import Outcome, Turn
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from tests.fakes.answers import task_completion, user_state_reading
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import CONSENTS
from tests.support.overheard import SAID

REPLY = "그러셨군요. 조금 더 들려주시겠어요?"
CASUAL_REPLY = "그랬구나. 조금 더 들려줄래?"


@dataclass(frozen=True)
class Said:
    """One turn: what came of it."""

    outcome: Outcome[Session]
    state: Session
    runs: tuple[AgentRun, ...]
    stream: tuple[StreamEvent, ...]

    @property
    def reply(self) -> str:
        return self.outcome.reply

    @property
    def directive(self) -> dict:
        assert self.outcome.directive is not None
        return self.outcome.directive

    @property
    def ask(self) -> dict | None:
        return self.directive["ask"]

    @property
    def events(self) -> list[str]:
        return [event.name for event in self.outcome.events]

    def records(self, collection: str) -> list:
        return [record for record in self.outcome.records if record.collection == collection]

    def run(self, agent: str) -> AgentRun:
        """Return an agent's one entry."""
        (found,) = [run for run in self.runs if run.agent == agent]
        return found

    @property
    def shown(self) -> str:
        """What stands on the user's screen."""
        text = ""
        for event in self.stream:
            if isinstance(event, Token):
                text += event.text
            elif isinstance(event, Replace):
                text = event.text
        return text


class Talk:
    """The conversation.

    Attributes:
        model: Says a plain reply and finds nothing, until a test scripts it otherwise.
    """

    def __init__(self, *, fallback_model: str | None = None, profile: Profile | None = None, **request: object) -> None:
        self.content = content()
        self.clock = SettableClock()
        self.model = ScriptedModel(
            {
                "counselor": CASUAL_REPLY if request.get("register") == "반말" else REPLY,
                "task_completion_checker": task_completion(complete=False),
                "user_state_detector": user_state_reading(),
            }
        )
        self.runner = AgentRunner(self.model, agent_settings(fallback_model=fallback_model), self.clock)
        self.flow = CounselingFlow(self.content)
        wanted = CreateConversation.model_validate({"age_band": "adult", "consents": CONSENTS, **request})
        self.state, self.greeting = open_session(self.content, "c1", "u1", wanted, self.clock.now(), profile)

    def turn(
        self,
        text: str,
        emit: list[StreamEvent] | None = None,
        received_at: datetime | None = None,
        declines: str | None = None,
    ) -> Turn[Session]:
        """Return the next turn, not run yet."""
        scope = Scope(
            locale=self.state.locale,
            deadline=self.clock.monotonic() + 45,
            emit=(emit if emit is not None else []).append,
        )
        SAID.add(text)
        seq = self.state.seq + 1
        now = self.clock.now()
        return Turn(
            self.state,
            seq,
            f"m{seq}",
            text,
            now,
            self.runner,
            scope,
            received_at=received_at or now,
            declines=declines,
        )

    async def say(self, text: str, received_at: datetime | None = None, declines: str | None = None) -> Said:
        """Run a turn and commit it.

        Args:
            text: The message.
            received_at: When it came, if that was before the turn began.
            declines: The slot that the client says is declined.
        """
        stream: list[StreamEvent] = []
        turn = self.turn(text, stream, received_at, declines)
        outcome = await self.flow.run(turn)
        self.commit(turn, outcome)
        said = Said(outcome, self.state, tuple(turn.scope.ledger.runs), tuple(stream))
        assert said.reply.strip(), "a reply is never empty"
        assert said.shown.rstrip() == said.reply.rstrip(), "what is shown is what is stored"
        return said

    def commit(self, turn: Turn[Session], outcome: Outcome[Session]) -> None:
        """Apply a turn as the engine's commit does."""
        text = kept_text(turn, outcome, self.state)
        asked = Message(seq=turn.seq, role=Role.USER, text=text, created_at=turn.now)
        replied = Message(seq=turn.seq, role=Role.COUNSELOR, text=outcome.reply, created_at=turn.now)
        self.state = apply_all(remember(self.state, asked, replied), outcome.events, turn.now)

    def happen(self, *events: Event[Session]) -> None:
        """Let a worker write between two turns."""
        self.state = apply_all(self.state, events, self.clock.now())

    def set(self, **fields: object) -> None:
        """Put the session where a test wants it."""
        self.state = self.state.model_copy(update=fields)

    def work_on(self, task_id: str, *, covered: Iterable[str] = ()) -> None:
        """Make a task the current one and others covered."""

        def change(task: Task) -> Task:
            status = TaskStatus.PENDING
            if task.id == task_id:
                status = TaskStatus.IN_PROGRESS
            elif task.id in covered:
                status = TaskStatus.SUFFICIENT
            return task.model_copy(update={"status": status})

        self.set(tasks=tuple(change(task) for task in self.state.tasks), current_task=task_id)

    def plan(self, *tasks: Task, goal: str = "잠을 다시 자기") -> None:
        """Begin Part 2 with these tasks."""
        self.happen(PlanMade(goal=goal, keywords=(), tasks=tasks))
