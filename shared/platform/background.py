"""What the background functions have in common."""

from collections.abc import Mapping
from dataclasses import replace

from shared.adapters.system_clock import SystemClock
from shared.config.agents import agent_models
from shared.config.platform import ClaimSettings
from shared.config.settings import ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.content.catalogue import content
from shared.engine.runner import AgentRunner
from shared.observability.telemetry import configure_telemetry
from shared.platform.cloud import session_store
from shared.platform.identities import invoker_auth
from shared.platform.language_model import watched_model
from shared.services.counseling.job_context import CounselingJobContext
from shared.web.invoker_auth import BackgroundParts


def background_parts(environment: Mapping[str, str]) -> BackgroundParts[CounselingJobContext]:
    """Return context and authenticator of a background function.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    tracer = configure_telemetry(TelemetrySettings.read(environment)).tracer
    access = ModelAccess.read(environment)
    models, clock = agent_models(access), SystemClock()
    store, model = session_store(environment), watched_model(access, clock)
    runner = AgentRunner(model, models.by_agent, clock, tracer, models.patience)
    context = CounselingJobContext.over(store, content(), runner)
    claims = ClaimSettings.read(environment)
    return BackgroundParts(replace(context, claim_s=claims.last_s), invoker_auth(environment))
