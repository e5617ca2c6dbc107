"""The composition root of `supervisor`: its only module that imports adapters and config."""

import os

from shared.config.platform import ClaimSettings, FirestoreSettings, InvokerSettings
from shared.config.settings import ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.services.counseling.job_context import CounselingJobContext
from shared.web.composition import Composition
from shared.web.invoker_auth import BackgroundParts

SETTINGS = (ClaimSettings, FirestoreSettings, InvokerSettings, ModelAccess, TelemetrySettings)
"""Settings of the function."""


def _from_environment() -> BackgroundParts[CounselingJobContext]:
    # Imported here, since the platform's libraries take a second to import and the local server needs none of them.
    from shared.platform.background import background_parts  # noqa: PLC0415

    return background_parts(os.environ)


COMPOSITION = Composition(_from_environment, BackgroundParts.begin)
"""Built before the cloud's server listens, at the first request elsewhere, or set by the local server."""
COMPOSITION.build_in_cloud(os.environ)
