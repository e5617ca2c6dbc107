"""The language model and the model of embeddings that the environment gives access to."""

import logging

from shared.adapters.gemini import (
    EmbedderSettings,
    GeminiConnection,
    GeminiEmbedder,
    GeminiLanguageModel,
    VertexProject,
)
from shared.config.agents import agent_models
from shared.config.settings import ModelAccess
from shared.domain.errors import ConfigError
from shared.engine.model_health import ModelHealth
from shared.engine.watched_model import WatchedModel
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.clock import Clock

log = logging.getLogger(__name__)


def watched_model(access: ModelAccess, clock: Clock) -> WatchedModel:
    """Return Gemini's client under watch, and log what the operator should know of the configured models.

    Raises:
        ConfigError: There is neither a key nor a Vertex project, or the agents' settings are wrong.
    """
    models = agent_models(access)
    for warning in models.warnings:
        log_event(log, LogEvent.MODEL_UNSETTLED, error=ConfigError(warning))
    return WatchedModel(language_model(access), ModelHealth(clock), models.patience)


def language_model(access: ModelAccess) -> GeminiLanguageModel:
    """Return Gemini's client.

    Raises:
        ConfigError: There is neither a key nor a Vertex project.
    """
    return GeminiLanguageModel(_connection(access))


def embedder(access: ModelAccess) -> GeminiEmbedder:
    """Return Gemini's embeddings; raises like `language_model`."""
    return GeminiEmbedder(_connection(access), embedder_settings(access))


def embedder_settings(access: ModelAccess) -> EmbedderSettings:
    """Return the model of embeddings and its limits."""
    known = agent_models(access).catalogue
    of = known.embedding
    price = of.price_in * known.won_per_dollar
    limits = of.model_dump(include={"model", "dimension", "tasks", "batch", "longest"})
    return EmbedderSettings(**limits, price=price)


def _connection(access: ModelAccess) -> GeminiConnection:
    if not access.configured:
        raise ConfigError("no language model: set GEMINI_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI with its project")
    vertex = None
    if access.use_vertex and access.vertex_project and access.vertex_location:
        vertex = VertexProject(project=access.vertex_project, location=access.vertex_location)
    key = None if vertex else access.api_key
    return GeminiConnection(api_key=key, base_url=access.base_url, api_version=access.api_version, vertex=vertex)
