"""The language model that the environment gives access to."""

from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel, VertexProject
from shared.config.settings import ModelAccess
from shared.domain.errors import ConfigError


def language_model(access: ModelAccess) -> GeminiLanguageModel:
    """Return Gemini's client.

    Raises:
        ConfigError: There is neither a key nor a Vertex project.
    """
    if not access.configured:
        raise ConfigError("no language model: set GEMINI_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI with its project")
    vertex = None
    if access.use_vertex and access.vertex_project and access.vertex_location:
        vertex = VertexProject(project=access.vertex_project, location=access.vertex_location)
    key = None if vertex else access.api_key
    return GeminiLanguageModel(GeminiConnection(api_key=key, base_url=access.base_url, vertex=vertex))
