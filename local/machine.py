"""CBot on one machine: the four functions over the embedded platform, and the web client."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from pydantic import ValidationError
from starlette.types import ASGIApp

from functions.chat import wiring as chat
from functions.chat.composition import compose
from functions.chat.parts import ChatParts, Platform
from functions.planner import wiring as planner
from functions.session_manager import wiring as session_manager
from functions.supervisor import wiring as supervisor
from local.background import InProcess, local_invoker_auth
from local.embedded.database import SqliteDocumentDatabase
from local.embedded.delivery import DeliveryPolicy
from local.embedded.leases import release_leases, waiting_conversations
from local.embedded.outbox import Outbox
from local.embedded.queue import EmbeddedTaskQueue
from local.embedded.triggers import TriggerDispatcher
from local.functions import function_app
from local.pages import front
from local.trial import trial_routes
from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.documents.checkpoints import DocumentCheckpoints
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.passage_vectors import DocumentPassageVectors
from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from shared.adapters.gemini import GeminiConnection, GeminiEmbedder, GeminiLanguageModel
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.config.agents import agent_models
from shared.config.settings import LocalSettings, ModelAccess
from shared.content.catalogue import content
from shared.contracts.triggers import TRIGGERS
from shared.domain.counseling.session import Session
from shared.domain.errors import ConfigError
from shared.domain.ids import ConversationId
from shared.engine.model_health import ModelHealth
from shared.engine.runner import AgentRunner
from shared.engine.watched_model import WatchedModel
from shared.observability.spans import NO_TRACER, Tracer
from shared.observability.trace_context import outgoing_headers
from shared.platform.language_model import embedder, embedder_settings, language_model
from shared.ports.embedder import Embedder
from shared.ports.language_model import LanguageModel
from shared.services.counseling.job_context import CounselingJobContext
from shared.web.graceful_shutdown import Drain
from shared.web.invoker_auth import BackgroundParts

SWEEP_SECONDS = 60.0
"""Seconds between sweeps; in the cloud the scheduler calls every five minutes."""
FINISH_SECONDS = 15.0
"""Timeout for running tasks at the end, seconds; the rest continues at the next start."""


def _itself(model: LanguageModel) -> LanguageModel:
    return model


@dataclass(frozen=True)
class Machine:
    """What the server serves.

    Attributes:
        drain: Finishes running turns before the server ends.
        model_note: The model, for the ready line.
        model_problems: Warnings about the models for the operator, one sentence each.
    """

    app: ASGIApp
    drain: Drain
    model_note: str
    model_problems: tuple[str, ...] = ()


@asynccontextmanager
async def machine(
    settings: LocalSettings,
    access: ModelAccess,
    environment: Mapping[str, str],
    tracer: Tracer = NO_TRACER,
    through: Callable[[LanguageModel], LanguageModel] = _itself,
    retries: DeliveryPolicy | None = None,
) -> AsyncIterator[Machine]:
    """Run a machine inside the block.

    Args:
        settings: The server's settings.
        access: Access to the model.
        environment: For the simulator's latency and the unsigned identity.
        tracer: Traces turns and agents.
        through: Wraps the model, to record its requests.
        retries: Retries of failed tasks; by default the queue's.

    Raises:
        ConfigError: The data directory is in use, or the agents' or the simulator's settings are wrong.
    """
    clock, ids = SystemClock(), RandomIds()
    async with AsyncExitStack() as stack:
        outbox = Outbox(TRIGGERS, clock)
        database = await SqliteDocumentDatabase.open(settings.data_dir / "cbot.sqlite3", outbox=outbox)
        stack.push_async_callback(database.aclose)
        await release_leases(database.file)
        gemini, embeddings = await _model(access, environment, stack)
        model = WatchedModel(through(gemini), ModelHealth(clock), access.patience)
        stack.push_async_callback(model.aclose)
        stack.push_async_callback(embeddings.aclose)
        inside = InProcess()
        policy = retries or DeliveryPolicy()
        policy = replace(policy, deadline_s=policy.deadline_s * access.patience)
        queue = EmbeddedTaskQueue(database.file, inside.deliver_task, clock, policy=policy, headers=outgoing_headers)
        triggers = TriggerDispatcher(
            database.file, outbox, inside.deliver_event, clock, project=settings.project, policy=policy
        )
        parts = _install(
            Platform(
                store=DocumentConversationStore(database, Session),
                queue=queue,
                identity=UnsignedIdentity(settings.project, clock, environment),
                model=model,
                clock=clock,
                ids=ids,
                invoker_auth=local_invoker_auth(settings.project),
                appointments=DocumentAppointments(database),
                checkpoints=DocumentCheckpoints(database),
                vectors=DocumentPassageVectors(database),
                embedder=embeddings,
                tracer=tracer,
            ),
            settings,
            access,
        )
        inside.connect()
        stack.push_async_callback(inside.aclose)
        queue.start()
        stack.push_async_callback(queue.stop, FINISH_SECONDS)
        triggers.start()
        stack.push_async_callback(triggers.stop, FINISH_SECONDS)
        stack.push_async_callback(parts.drain)
        waiting = await waiting_conversations(database.file)
        for beside in (_wake(parts, waiting), inside.sweep_every(SWEEP_SECONDS)):
            stack.callback(asyncio.create_task(beside).cancel)
        demo = not access.configured
        if not demo:
            await parts.look()

        async def settle() -> None:
            for work in (triggers, queue, triggers):  # an event may start a task, and what that writes is an event
                await work.idle()

        more = trial_routes(settle) if demo else ()
        yield Machine(
            app=front(function_app("chat", "chat"), settings.project, clock, ids, demo=demo, more=more),
            drain=parts.drain,
            model_note="demo model: no key is set" if demo else f"Gemini: {model.health.status.state}",
            model_problems=(*agent_models(access).warnings, *model.health.problems),
        )


def _install(platform: Platform, settings: LocalSettings, access: ModelAccess) -> ChatParts:
    parts = compose(platform, settings, access)
    models = agent_models(access)
    runner = AgentRunner(platform.model, models.by_agent, platform.clock, platform.tracer, models.patience)
    bench = CounselingJobContext.over(platform.store, content(), runner)
    chat.COMPOSITION.install(parts)
    for wiring in (supervisor, planner):
        wiring.COMPOSITION.install(BackgroundParts(bench, platform.invoker_auth))
    session_manager.COMPOSITION.install(session_manager.compose(bench, platform.invoker_auth, platform.queue))
    return parts


async def _wake(parts: ChatParts, waiting: Sequence[ConversationId]) -> None:
    """Load what turns need, and answer the messages that a killed server left."""
    await parts.warm()
    for conversation_id in waiting:
        await parts.turns.resume(conversation_id)


async def _model(
    access: ModelAccess, environment: Mapping[str, str], stack: AsyncExitStack
) -> tuple[LanguageModel, Embedder]:
    """Return the clients of Gemini if there is a key, else of the simulator in this process."""
    if access.configured:
        return language_model(access), embedder(access)
    # Imported only for the demo.
    from local.gemini.latency import Latency  # noqa: PLC0415
    from local.gemini.server import serve  # noqa: PLC0415

    try:
        latency = Latency.from_environment({name: value for name, value in environment.items() if value.strip()})
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(f"CBOT_SIMULATOR_{str(problem['loc'][0]).upper()}: {problem['msg']}") from None
    simulator = await serve(latency=latency)
    stack.push_async_callback(simulator.stop)
    connection = GeminiConnection.model_validate({"api_key": "demo", "base_url": simulator.address})
    return GeminiLanguageModel(connection), GeminiEmbedder(connection, embedder_settings(access))
