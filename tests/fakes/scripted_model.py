"""`LanguageModel` that says what a test wrote down for each agent, and remembers what it was asked."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import BaseModel

from shared.domain.errors import ModelError, ModelUnavailable
from shared.ports.language_model import ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply, Usage

USAGE = Usage(prompt_tokens=100, output_tokens=10)


@dataclass(frozen=True)
class Stream:
    """A stream by pieces; with an error it breaks after the last of them."""

    pieces: tuple[str, ...]
    error: BaseException | None = None
    usage: Usage | None = USAGE


Answer: TypeAlias = "str | BaseModel | BaseException | Stream | Callable[[ModelRequest], Answer]"
Script: TypeAlias = "Answer | list[Answer]"


class AlwaysThere:
    """A model that is served, made and closed without doing anything."""

    async def warm(self) -> None:
        pass

    aclose = warm


class ScriptedModel(AlwaysThere):
    """Answers by agent: a text, a model (as JSON), an exception, a stream, or a function of the request.

    A list is consumed in order, anything else is said again and again. An agent without a script, or whose list is
    used up, meets `ModelUnavailable`.
    """

    def __init__(self, scripts: Mapping[str, Script] | None = None) -> None:
        self.scripts: dict[str, Script] = dict(scripts or {})
        self.requests: list[ModelRequest] = []

    def asked(self, agent: str) -> list[ModelRequest]:
        return [request for request in self.requests if request.agent == agent]

    async def generate(self, request: ModelRequest) -> ModelReply:
        answer = self._next(request)
        await asyncio.sleep(0)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Stream):
            if answer.error is not None:
                if isinstance(answer.error, ModelError):
                    answer.error.arrived = "".join(answer.pieces)
                raise answer.error
            return ModelReply(text="".join(answer.pieces), usage=answer.usage or Usage())
        text = answer.model_dump_json() if isinstance(answer, BaseModel) else answer
        return ModelReply(text=text, usage=USAGE)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        answer = self._next(request)
        await asyncio.sleep(0)
        if isinstance(answer, BaseException):
            raise answer
        if not isinstance(answer, Stream):
            text = answer.model_dump_json() if isinstance(answer, BaseModel) else answer
            answer = Stream(tuple(text[at : at + 7] for at in range(0, len(text), 7)))
        for piece in answer.pieces:
            yield ModelChunk(text=piece)
            await asyncio.sleep(0)
        if answer.error is not None:
            raise answer.error
        if answer.usage is not None:
            yield ModelChunk(text="", usage=answer.usage)

    def _next(self, request: ModelRequest) -> "str | BaseModel | BaseException | Stream":
        self.requests.append(request)
        agent = request.agent
        script = self.scripts.get(agent, [])
        if isinstance(script, list):
            script = script.pop(0) if script else ModelUnavailable(f"nothing is scripted for {agent}")
        while callable(script) and not isinstance(script, (BaseModel, Stream)):
            script = script(request)
        return script
