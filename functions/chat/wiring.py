"""The composition root of `chat`: the only module here that names adapters and config."""

import asyncio
import os
from dataclasses import dataclass, field
from importlib.metadata import version

from starlette.applications import Starlette

from functions.chat.flows.counseling.farewell import farewell
from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import greeting_without, open_session
from functions.chat.flows.counseling.preload import preload
from functions.chat.http.api import ChatApi
from functions.chat.http.app import build_app
from functions.chat.use_cases.ages import AgePropagation
from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.conversation_lifecycle import ConversationLifecycle
from functions.chat.use_cases.danger import DangerReports
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.erasure_propagation import ErasurePropagation
from functions.chat.use_cases.export_limits import ExportLimits
from functions.chat.use_cases.review import StaffReviews
from functions.chat.use_cases.rights_audit_log import RightsAuditLog
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.config.agents import agent_models
from shared.config.platform import FirestoreSettings, IdentitySettings, InvokerSettings, QueueSettings
from shared.config.settings import ChatSettings, ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.content.catalogue import content
from shared.content.schemas.consents import Operator
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.engine.admission import Admission, Limits
from shared.engine.capacity import Capacity
from shared.engine.read_limits import ReadLimits
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.engine.turn_worker import TurnWorker
from shared.engine.turns import Turns
from shared.engine.user_usage import UserLimits, UserUsage
from shared.engine.watched_model import WatchedModel
from shared.observability.spans import NO_TRACER, Tracer
from shared.observability.telemetry import configure_telemetry
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import AppCheck, Identity
from shared.ports.task_queue import TaskQueue
from shared.services.counseling.policy import CounselingPolicy
from shared.web.composition import Composition
from shared.web.invoker_auth import InvokerAuth
from shared.web.leaving import drain_before_exit
from shared.web.problem_texts import ContentProblemTexts

SETTINGS = (
    FirestoreSettings,
    QueueSettings,
    InvokerSettings,
    IdentitySettings,
    ChatSettings,
    ModelAccess,
    TelemetrySettings,
)
"""What the function reads from its environment."""


@dataclass(frozen=True)
class Platform:
    """What differs between one machine, the emulators and the cloud.

    Attributes:
        app_check: Known apps only may call; None lets any.
    """

    store: ConversationStore[Session]
    queue: TaskQueue
    identity: Identity
    model: WatchedModel
    clock: Clock
    ids: IdSource
    door: InvokerAuth
    app_check: AppCheck | None = None
    tracer: Tracer = NO_TRACER


@dataclass(frozen=True)
class ChatParts:
    """The built function."""

    app: Starlette
    turns: Turns[Session]
    erasing: ErasureRequests
    consents: ConsentChanges
    model: WatchedModel
    models: tuple[str, ...]
    door: InvokerAuth
    grace_s: float
    _warming: set["asyncio.Task[None]"] = field(default_factory=set)

    async def warm(self) -> None:
        """Load what the first turn needs: content, patterns, prompts and the model's client."""
        await asyncio.to_thread(preload, content())
        await self.model.warm()

    def begin(self) -> None:
        """Do what belongs to the first request: listen for the end of the instance, and get ready for a turn."""
        drain_before_exit(self.drain)
        self.begin_warming()

    async def drain(self) -> None:
        """End the instance's turns and jobs; see `Turns.drain` and `JobsUnderWay.drain`."""
        await asyncio.gather(self.turns.drain(self.grace_s), self.door.jobs.drain(self.grace_s))

    def begin_warming(self) -> None:
        """Make the model's client while the first request is answered, which often is no turn yet."""
        self._warming.add(asyncio.get_running_loop().create_task(self.look()))

    async def look(self) -> None:
        """Ask the provider which of the configured models it serves, so that `/api/health` knows before a user does."""
        await self.model.health.look(self.model, self.models)


def compose(platform: Platform, settings: ChatSettings, access: ModelAccess) -> ChatParts:
    """Build the function over a platform.

    Raises:
        ConfigError: The agents' settings are wrong.
    """
    models = agent_models(access.agents_file, model=access.model, fallback_model=access.fallback_model)
    runner = AgentRunner(platform.model, models.by_agent, platform.clock, platform.tracer)
    service_content = content()
    house = CounselingPolicy()
    ages = AgePropagation(platform.store, house, platform.clock)
    # whatever is registered here has a safety gate of its own
    router = FlowRouter([counseling(service_content, ages.heard)])
    limits = Limits(waiting=settings.waiting, per_minute=settings.per_minute, llm_calls=settings.llm_calls)
    usage = UserUsage(
        platform.clock,
        UserLimits(
            per_minute=settings.user_per_minute,
            per_day=settings.user_per_day,
            won_per_day=settings.user_won_per_day,
        ),
    )
    instance = platform.ids.new_id()
    turns = Turns(
        platform.store,
        Admission(
            platform.store,
            platform.clock,
            limits,
            instance,
            service_content.consents.required,
            capacity=Capacity(settings.turns),
            usage=usage,
        ),
        TurnWorker(
            platform.store,
            platform.queue,
            router,
            house,
            runner,
            lambda locale, register, *run: service_content.messages(locale, register).label(*run),
            usage,
        ),
        platform.clock,
        instance,
    )
    desk = ConsentChanges(
        platform.store,
        house,
        platform.queue,
        platform.clock,
        platform.ids,
        service_content.consents,
        stop=turns.stop,
        operator=_operator(settings),
    )
    service = ConversationLifecycle(
        store=platform.store,
        house=house,
        queue=platform.queue,
        clock=platform.clock,
        open_session=lambda user, request, now, known: open_session(
            service_content, ConversationId(platform.ids.new_id()), user, request, now, known
        ),
        closing_text=lambda state: farewell(service_content, state),
        consents=service_content.consents,
        desk=desk,
        per_hour=settings.conversations_per_hour,
    )
    forgetting = ErasurePropagation(
        platform.store,
        house,
        platform.clock,
        lambda state, text, erased: greeting_without(service_content, state, text, erased),
    )
    erasing = ErasureRequests(platform.store, forgetting, platform.queue, platform.clock, platform.ids, stop=turns.stop)
    api = ChatApi(
        store=platform.store,
        turns=turns,
        identity=platform.identity,
        service=service,
        consents=desk,
        erasing=erasing,
        trail=RightsAuditLog(platform.store, platform.clock, platform.ids),
        exports=ExportLimits(platform.store, platform.clock, settings.user_exports_per_day),
        reads=ReadLimits(platform.clock, settings.user_reads_per_minute),
        reviews=StaffReviews(platform.store, house, platform.clock, platform.ids),
        dangers=DangerReports(platform.store, house, platform.clock),
        clock=platform.clock,
        texts=ContentProblemTexts(service_content),
        version=version("cbot"),
        model_health=platform.model.health,
        origins=settings.origins,
        app_check=platform.app_check,
    )
    return ChatParts(
        build_app(api), turns, erasing, desk, platform.model, models.names, platform.door, settings.grace_s
    )


def _operator(settings: ChatSettings) -> Operator | None:
    if settings.operator_name is None or settings.operator_contact is None:
        return None
    return Operator(name=settings.operator_name, contact=settings.operator_contact)


def _from_environment() -> ChatParts:
    """Build from the environment."""
    # The platform's libraries are a second's work to import, and the one-machine server needs none of them.
    from shared.platform.cloud import session_store, task_queue  # noqa: PLC0415
    from shared.platform.identities import app_check, door, user_identity  # noqa: PLC0415
    from shared.platform.language_model import watched_model  # noqa: PLC0415

    tracer = configure_telemetry(TelemetrySettings.read(os.environ)).tracer
    clock, identities, access = SystemClock(), IdentitySettings.read(os.environ), ModelAccess.read(os.environ)
    platform = Platform(
        store=session_store(os.environ),
        queue=task_queue(os.environ),
        identity=user_identity(identities, clock, os.environ),
        model=watched_model(access, clock),
        clock=clock,
        ids=RandomIds(),
        door=door(os.environ),
        app_check=app_check(identities, clock),
        tracer=tracer,
    )
    parts = compose(platform, ChatSettings.read(os.environ), access)
    preload(content())
    return parts


COMPOSITION = Composition(_from_environment, ChatParts.begin)
"""Built before the cloud's server listens, at the first request elsewhere, or installed by the local server."""
COMPOSITION.build_in_cloud(os.environ)
