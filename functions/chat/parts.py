"""The platform of the chat function, and the built function."""

import asyncio
from dataclasses import dataclass, field

from starlette.applications import Starlette

from functions.chat.danger.prompt_leak_rule import guard_rules_with_prompt
from functions.chat.reading import READER
from functions.chat.speaking import CARE, SPEAKER
from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.reminders import Reminders
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.engine.turns import Turns
from shared.engine.watched_model import WatchedModel
from shared.locale import Locale, Register
from shared.observability.spans import NO_TRACER, Tracer
from shared.ports.appointments import Appointments
from shared.ports.checkpoints import Checkpoints
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.embedder import Embedder
from shared.ports.identity import AppCheck, Identity
from shared.ports.passage_vectors import PassageVectors
from shared.ports.task_queue import TaskQueue
from shared.web.graceful_shutdown import drain_before_exit
from shared.web.invoker_auth import InvokerAuth


@dataclass(frozen=True)
class Platform:
    """What differs between local, emulator and cloud.

    Attributes:
        embedder: Embeds questions and passages of agreements; None searches by words alone.
        app_check: Admits known apps only; None admits any.
    """

    store: ConversationStore[Session]
    queue: TaskQueue
    identity: Identity
    model: WatchedModel
    clock: Clock
    ids: IdSource
    invoker_auth: InvokerAuth
    appointments: Appointments
    checkpoints: Checkpoints
    vectors: PassageVectors
    embedder: Embedder | None = None
    app_check: AppCheck | None = None
    tracer: Tracer = NO_TRACER


@dataclass(frozen=True)
class ChatParts:
    app: Starlette
    turns: Turns[Session]
    erasure_requests: ErasureRequests
    consents: ConsentChanges
    reminders: Reminders
    platform: Platform
    models: tuple[str, ...]
    content: Content
    grace_s: float
    _warming: set["asyncio.Task[None]"] = field(default_factory=set)

    async def warm(self) -> None:
        """Load what the first turn needs: the model's client, content, patterns and prompts.

        The client comes first: it takes as long as all the rest, and a turn that comes meanwhile loads what it needs of
        the rest itself.
        """
        await self.platform.model.warm()
        await asyncio.to_thread(preload, self.content)

    def begin(self) -> None:
        """Register the shutdown handler and warm up, at the first request."""
        drain_before_exit(self.drain)
        self.begin_warming()

    async def drain(self) -> None:
        """End the instance's turns and jobs; see `Turns.drain` and `JobsUnderWay.drain`."""
        await asyncio.gather(self.turns.drain(self.grace_s), self.platform.invoker_auth.jobs.drain(self.grace_s))

    def begin_warming(self) -> None:
        """Warm up while the first request is answered, which often is no turn yet, and look for the models."""
        loop = asyncio.get_running_loop()
        self._warming.update(loop.create_task(work) for work in (self.look(), self.warm()))

    async def look(self) -> None:
        """Ask each of the configured models for one token, for `/api/health`."""
        await self.platform.model.look(self.models)


def preload(content: Content) -> None:
    """Load content, patterns and prompts of the default language; takes some hundred milliseconds."""
    content.modules(Locale.KO)
    content.templates("first_session", Locale.KO, Register.FORMAL)
    content.messages(Locale.KO).text("greeting")
    content.lexicon.patterns.preload()
    content.session_words.preload()
    _ = content.text_rules, content.crisis_answers, content.under_14_replies, content.safe_endings
    _ = content.help_seeking
    content.demands.preload()
    for agent in (READER, SPEAKER, CARE):
        agent.prompt.load(Locale.KO)
    for speaker in (SPEAKER, CARE):
        guard_rules_with_prompt(content, speaker.prompt, Locale.KO)
