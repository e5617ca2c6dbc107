"""Gemini through google-genai: language model and embeddings; importing this package does not import the SDK."""

from shared.adapters.gemini.connection import GeminiConnection, VertexProject
from shared.adapters.gemini.embedder import EmbedderSettings, GeminiEmbedder
from shared.adapters.gemini.language_model import GeminiLanguageModel

__all__ = ["EmbedderSettings", "GeminiConnection", "GeminiEmbedder", "GeminiLanguageModel", "VertexProject"]
