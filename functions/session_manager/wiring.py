"""Composition root of `session_manager`: the only module here that names adapters and config."""

import os
from dataclasses import dataclass
from datetime import timedelta

from shared.config.platform import ClaimSettings, FirestoreSettings, InvokerSettings, QueueSettings, SweepSettings
from shared.config.settings import ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.domain.counseling.session import Session
from shared.engine.sweep import Sweep
from shared.ports.task_queue import TaskQueue
from shared.services.counseling.job_context import CounselingJobContext
from shared.web.composition import Composition
from shared.web.invoker_auth import BackgroundParts, InvokerAuth

SETTINGS = (
    ClaimSettings,
    FirestoreSettings,
    QueueSettings,
    SweepSettings,
    InvokerSettings,
    ModelAccess,
    TelemetrySettings,
)
"""Settings read from the environment."""


@dataclass(frozen=True)
class SessionManagerParts(BackgroundParts[CounselingJobContext]):
    sweep: Sweep[Session]


def compose(
    context: CounselingJobContext, invoker_auth: InvokerAuth, queue: TaskQueue, settings: SweepSettings | None = None
) -> SessionManagerParts:
    given, factor = settings or SweepSettings(), context.runner.patience
    sweep = Sweep(
        context.store,
        context.policy,
        queue,
        context.clock,
        grace=timedelta(seconds=given.grace_s * factor),
        patience=timedelta(seconds=given.patience_s * factor),
        pause=timedelta(seconds=given.pause_s * factor),
    )
    return SessionManagerParts(context=context, invoker_auth=invoker_auth, sweep=sweep)


def _from_environment() -> SessionManagerParts:
    # The platform's libraries take about a second to import, and the local server needs none of them.
    from shared.platform.background import background_parts  # noqa: PLC0415
    from shared.platform.cloud import task_queue  # noqa: PLC0415

    parts = background_parts(os.environ)
    return compose(parts.context, parts.invoker_auth, task_queue(os.environ), SweepSettings.read(os.environ))


COMPOSITION = Composition(_from_environment, SessionManagerParts.begin)
"""Built before the server listens in the cloud, else at the first request; the local server installs its own."""
COMPOSITION.build_in_cloud(os.environ)
