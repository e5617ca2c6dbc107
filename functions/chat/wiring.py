"""Composition root of `chat`: reads the environment and names the adapters."""

import os

from functions.chat.composition import compose
from functions.chat.parts import ChatParts, Platform
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.config.platform import FirestoreSettings, IdentitySettings, InvokerSettings, QueueSettings
from shared.config.settings import ChatSettings, ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.observability.telemetry import configure_telemetry
from shared.web.composition import Composition

SETTINGS = (
    FirestoreSettings,
    QueueSettings,
    InvokerSettings,
    IdentitySettings,
    ChatSettings,
    ModelAccess,
    TelemetrySettings,
)
"""Settings read from the environment."""


def _from_environment() -> ChatParts:
    # The platform's libraries take about a second to import, and the local server needs none of them.
    from shared.platform.cloud import appointments, checkpoints, passage_vectors, session_store, task_queue  # noqa: PLC0415
    from shared.platform.identities import app_check, invoker_auth, user_identity  # noqa: PLC0415
    from shared.platform.language_model import embedder, watched_model  # noqa: PLC0415

    tracer = configure_telemetry(TelemetrySettings.read(os.environ)).tracer
    clock, identities, access = SystemClock(), IdentitySettings.read(os.environ), ModelAccess.read(os.environ)
    platform = Platform(
        store=session_store(os.environ),
        queue=task_queue(os.environ),
        identity=user_identity(identities, clock, os.environ),
        model=watched_model(access, clock),
        clock=clock,
        ids=RandomIds(),
        invoker_auth=invoker_auth(os.environ),
        appointments=appointments(os.environ),
        checkpoints=checkpoints(os.environ),
        vectors=passage_vectors(os.environ),
        embedder=embedder(access),
        app_check=app_check(identities, clock),
        tracer=tracer,
    )
    return compose(platform, ChatSettings.read(os.environ), access)


COMPOSITION = Composition(_from_environment, ChatParts.begin)
"""Built before the server listens in the cloud, else at the first request; the local server installs its own."""
COMPOSITION.build_in_cloud(os.environ)
