"""A counselling conversation without a store: real content, a scripted model, one turn at a time."""

from dataclasses import dataclass

from functions.chat.flows.counseling.opening import open_session
from functions.chat.turn import ChatTurn
from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.contracts.chat import CreateConversation
from shared.contracts.events import Replace, StreamEvent, Token
from shared.domain.conversation import Message, Role, remember
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import TaskStatus
from shared.domain.event import apply_all
from shared.domain.turn import AgentRun
from shared.engine.commit import kept_text
from shared.engine.flow import Outcome, Turn
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.locale import Locale, Register
from tests.builders.answers import newest_message, reads
from tests.builders.shipped_settings import shipped_settings
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import CONSENTS
from tests.support.overheard import SAID

REPLY = "그러셨군요. 조금 더 들려주시겠어요?"
CASUAL_REPLY = "그랬구나. 조금 더 들려줄래?"
ENGLISH_REPLY = "I see. Could you tell me a little more?"
CARE, CASUAL_CARE = "그러셨군요. 말씀해 주셔서 고마워요.", "그랬구나. 말해 줘서 고마워."
ENGLISH_CARE = "I see. Thank you for telling me."
"""Said while a danger is followed up; it asks nothing, so that what the rules ask follows."""

EARLY = False
"""Whether the Counselor of a `Talk` begins early; `conftest.py` sets it for modules that are run both ways."""


@dataclass(frozen=True)
class Said:
    """The result of one turn."""

    outcome: Outcome[Session]
    state: Session
    runs: tuple[AgentRun, ...]
    stream: tuple[StreamEvent, ...]

    @property
    def reply(self):
        return self.outcome.reply

    @property
    def directive(self):
        assert self.outcome.directive is not None
        return self.outcome.directive

    @property
    def ask(self):
        return self.directive["ask"]

    @property
    def events(self):
        return [event.name for event in self.outcome.events]

    def records(self, collection):
        return [record for record in self.outcome.records if record.collection == collection]

    def run(self, agent):
        (found,) = [run for run in self.runs if run.agent == agent]
        return found

    @property
    def shown(self):
        """The text on the user's screen."""
        text = ""
        for event in self.stream:
            if isinstance(event, Token):
                text += event.text
            elif isinstance(event, Replace):
                text = event.text
        return text


def reading_of(request):
    """Read the newest message as a capable model does: danger where it is said outright, and nothing else."""
    outright = content().screening.screen(newest_message(request)).crisis.outcome.needs_protocol
    return reads(danger="own_crisis") if outright else reads()


class Talk:
    """The conversation; its `model` says a plain reply and reads danger that is said outright, until it is scripted.

    In a follow-through the reply asks nothing.
    """

    def __init__(self, *, fallback_model=None, profile=None, now=None, **request):
        self.content = content()
        self.clock = SettableClock(now) if now else SettableClock()
        plain, care = (CASUAL_REPLY, CASUAL_CARE) if request.get("register") == "반말" else (REPLY, CARE)
        if request.get("locale") == Locale.EN:
            plain, care = ENGLISH_REPLY, ENGLISH_CARE

        def reply(asked):
            return care if "<stance>care</stance>" in asked.system else plain

        self.model = ScriptedModel({"counselor": reply, "reader": reading_of})
        self.runner = AgentRunner(self.model, shipped_settings(fallback_model=fallback_model), self.clock)
        self.flow = ChatTurn(self.content, early=EARLY)
        wanted = CreateConversation.model_validate({"age_band": "adult", "consents": CONSENTS, **request})
        self.state, self.greeting = open_session(self.content, "c1", "u1", wanted, self.clock.now(), profile)

    def turn(self, text, emit=None, received_at=None, declines=None):
        """Return the next turn, not run yet."""
        emitted = (emit if emit is not None else []).append
        scope = Scope(locale=self.state.locale, deadline=self.clock.monotonic() + 45, emit=emitted)
        SAID.add(text)
        seq, now = self.state.seq + 1, self.clock.now()
        told = {"received_at": received_at or now, "declines": declines}
        return Turn(self.state, seq, f"m{seq}", text, now, self.runner, scope, **told)

    async def say(self, text, received_at=None, declines=None):
        """Run a turn and commit it."""
        stream = []
        turn = self.turn(text, stream, received_at, declines)
        outcome = await self.flow.run(turn)
        self.commit(turn, outcome)
        said = Said(outcome, self.state, tuple(turn.scope.ledger.runs), tuple(stream))
        assert said.reply.strip(), "a reply is never empty"
        assert said.shown.rstrip() == said.reply.rstrip(), "what is shown is what is stored"
        return said

    def commit(self, turn, outcome):
        """Apply a turn as the engine's commit does."""
        text = kept_text(turn, outcome, self.state)
        asked = Message(seq=turn.seq, role=Role.USER, text=text, created_at=turn.now)
        replied = Message(seq=turn.seq, role=Role.COUNSELOR, text=outcome.reply, created_at=turn.now)
        self.state = apply_all(remember(self.state, asked, replied), outcome.events, turn.now)

    def happen(self, *events):
        """Let a worker write between two turns."""
        self.state = apply_all(self.state, events, self.clock.now())

    def set(self, **fields):
        self.state = self.state.model_copy(update=fields)

    def work_on(self, task_id, *, covered=()):
        """Make a task the current one and others covered."""
        status = dict.fromkeys(covered, TaskStatus.SUFFICIENT) | {task_id: TaskStatus.IN_PROGRESS}
        tasks = self.state.tasks
        changed = (one.model_copy(update={"status": status.get(one.id, TaskStatus.PENDING)}) for one in tasks)
        self.set(tasks=tuple(changed), current_task=task_id)

    def ask_for(self, name):
        """Let the newest reply have asked for a slot, in the words of its first question; None is for nothing."""
        wordings = {slot.name: slot.questions[0] for task in self.state.tasks for slot in task.slots}
        text = wordings[name] if name else REPLY
        asked = Message(seq=self.state.seq, role=Role.COUNSELOR, text=text, created_at=self.clock.now())
        self.set(recent=(*self.state.recent, asked), last_asked=name, asked={name: 1} if name else {})

    def plan(self, *tasks, goal="잠을 다시 자기"):
        """Begin Part 2 with these tasks."""
        self.happen(PlanMade(goal=goal, keywords=(), tasks=tasks))


KO = Voice(locale=Locale.KO, register_=Register.FORMAL)
EN = Voice(locale=Locale.EN, register_=Register.FORMAL)


def locale_of(text: str) -> str:
    return "en" if text.isascii() else "ko"


async def told(*messages: str, **opened: object) -> tuple[Talk, Said]:
    """Say these messages in a new talk, in the language of the first, and return the talk and its last turn."""
    talk = Talk(**{"locale": locale_of(messages[0])} | opened)
    turns = [await talk.say(text) for text in messages]
    return talk, turns[-1]


async def after(*messages: str, **opened: object) -> Talk:
    """Return a new talk in which these messages have been said."""
    talk, _ = await told(*messages, **opened)
    return talk


def speaking(**scripts: object) -> Talk:
    """Return a new talk whose agents answer so."""
    talk = Talk()
    talk.model.scripts |= scripts
    return talk
