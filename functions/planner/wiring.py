"""Composition root of `planner`: the only module here that names adapters and config."""

import os

from shared.config.platform import ClaimSettings, FirestoreSettings, InvokerSettings
from shared.config.settings import ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.services.counseling.job_context import CounselingJobContext
from shared.web.composition import Composition
from shared.web.invoker_auth import BackgroundParts

SETTINGS = (ClaimSettings, FirestoreSettings, InvokerSettings, ModelAccess, TelemetrySettings)
"""Settings read from the environment."""


def _from_environment() -> BackgroundParts[CounselingJobContext]:
    # The platform's libraries take about a second to import, and the local server needs none of them.
    from shared.platform.background import background_parts  # noqa: PLC0415

    return background_parts(os.environ)


COMPOSITION = Composition(_from_environment, BackgroundParts.begin)
"""Built before the server listens in the cloud, else at the first request; the local server installs its own."""
COMPOSITION.build_in_cloud(os.environ)
