"""The port `LanguageModel` on google-genai; importing this package does not import the SDK (cold start)."""

from shared.adapters.gemini.connection import GeminiConnection, VertexProject
from shared.adapters.gemini.language_model import GeminiLanguageModel

__all__ = ["GeminiConnection", "GeminiLanguageModel", "VertexProject"]
