"""Sends one agent's request to the model and records the result."""

import time
from dataclasses import dataclass, field
from typing import cast

from shared.adapters.gemini import GeminiLanguageModel
from shared.domain.errors import ModelError
from shared.engine.agent import AnswerSchema
from shared.engine.ledger import cost_krw, used_by
from shared.engine.runner import parse
from shared.ports.language_model import ModelRequest
from shared.ports.model_answers import Usage
from shared.ports.model_settings import ModelSettings

LONGEST_WORDS = 160


@dataclass
class Trial:
    """Result of one agent's request to one model.

    Attributes:
        problem: Why the agent cannot work with it, or "".
        first_ms: Time to the first token; None without a stream or a token.
        text: The answer.
    """

    agent: str
    settings: ModelSettings
    problem: str = ""
    first_ms: float | None = None
    total_ms: float = 0
    usage: Usage = field(default_factory=Usage)
    text: str = ""

    @property
    def won(self) -> float:
        """Cost of the call in won, by the catalogue's prices."""
        return cost_krw(self.usage, self.settings)


async def tried(model: GeminiLanguageModel, request: ModelRequest, settings: ModelSettings) -> Trial:
    """Send a request like its agent, with a model's settings: streamed if it streams, checked against its schema."""
    trial = Trial(agent=request.agent, settings=settings)
    asked = request.model_copy(update={"settings": settings})
    began = time.perf_counter()
    try:
        if asked.response_schema is None:
            await _read(model, asked, trial, began)
        else:
            reply = await model.generate(asked)
            trial.text, trial.usage = reply.text, reply.usage
            parse(cast("type[AnswerSchema]", asked.response_schema), reply.text, None)
    except ModelError as error:
        trial.problem = _problem(error)
        trial.usage = trial.usage if trial.usage != Usage() else used_by(error)
    trial.total_ms = (time.perf_counter() - began) * 1000
    return trial


async def _read(model: GeminiLanguageModel, request: ModelRequest, trial: Trial, began: float) -> None:
    async for chunk in model.stream(request):
        if chunk.text and trial.first_ms is None:
            trial.first_ms = (time.perf_counter() - began) * 1000
        trial.text += chunk.text
        trial.usage = chunk.usage or trial.usage


def _problem(error: ModelError) -> str:
    """Return the error with the provider's message: no user's text was sent."""
    cause = error.__context__
    words = getattr(cause, "message", None) or ""
    said = " ".join(str(words).split())[:LONGEST_WORDS]
    return f"{error.reason}: {said}" if said else f"{error.code}: {error.reason}"
