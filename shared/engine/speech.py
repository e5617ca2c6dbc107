"""Streams a speaker's words to the user; a broken stream is mended, never left hanging."""

import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from shared.contracts.events import Replace, Token
from shared.domain.errors import ModelEmpty, ModelError, ModelTimeout
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.agent import Speaker
from shared.engine.ledger import cost_krw
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.ports.language_model import ModelMessage, ModelRequest, ModelSettings, Usage
from shared.prompts.catalogue import I, Rendered

WHOLE_ENOUGH = 20
"""Characters of whole sentences from which a cut reply is kept. Own threshold: one short Korean sentence."""

_SENTENCE_END = re.compile(r"[.!?…。？！~](?=[\s\"'”’)]|$)")


@dataclass
class Spoken:
    """A reply as the user saw it.

    Attributes:
        shortened: The stream broke, and the whole sentences before that were kept.
    """

    text: str
    shortened: bool = False


@dataclass
class _Attempt:
    """One stream and what it has given so far."""

    settings: ModelSettings
    decided_by: DecidedBy
    began: float
    pieces: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    first_token: float | None = None
    error: ModelError | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)


async def speak(
    runner: AgentRunner, speaker: Speaker[I], given: I, history: Sequence[ModelMessage], scope: Scope
) -> Spoken | None:
    """Stream a reply to the scope's listener.

    On a failure the whole sentences that came are kept; if there are none, the fallback model is tried when one is
    configured.

    Returns:
        The reply, or None when no model could speak: the caller then says so honestly. What was shown before that is
        the caller's to replace.
    """
    rendered = speaker.prompt.render(scope.locale, given)
    scope.started(speaker.name)
    spoken: Spoken | None = None
    shown = False
    for decided_by in (DecidedBy.MODEL, DecidedBy.FALLBACK_MODEL):
        settings = runner.settings_of(speaker.name, scope)
        planned = settings if decided_by is DecidedBy.MODEL else settings.fallback()
        if planned is None:
            break
        if shown:
            scope.emit(Replace(text=""))
        attempt = _Attempt(settings=planned, decided_by=decided_by, began=runner.clock.monotonic())
        await _stream(runner, speaker, rendered, tuple(history), attempt, scope)
        _enter(runner, speaker, rendered, attempt, scope)
        shown = bool(attempt.pieces)
        spoken = _kept(attempt, scope)
        if spoken is not None:
            break
    scope.finished(speaker.name)
    return spoken


async def _stream(
    runner: AgentRunner,
    speaker: Speaker[I],
    rendered: Rendered,
    history: tuple[ModelMessage, ...],
    attempt: _Attempt,
    scope: Scope,
) -> None:
    """Fill the attempt; a failure is noted in it."""
    request = ModelRequest(agent=speaker.name, system=rendered.system, messages=history, settings=attempt.settings)
    try:
        if runner.clock.monotonic() >= scope.deadline:
            raise ModelTimeout("the turn's deadline has passed")
        async with aclosing(runner.model.stream(request)) as chunks:
            async for chunk in chunks:
                text = chunk.text
                attempt.usage = chunk.usage or attempt.usage
                if not text or not (attempt.pieces or text.strip()):
                    continue
                if attempt.first_token is None:
                    attempt.first_token = runner.clock.monotonic()
                    text = text.lstrip()
                attempt.pieces.append(text)
                scope.emit(Token(text=text))
        if not attempt.pieces:
            raise ModelEmpty("the stream held no text")
    except ModelError as failure:
        attempt.error = failure


def _kept(attempt: _Attempt, scope: Scope) -> Spoken | None:
    """Return what of an attempt is fit to stand, telling the listener when it is less than was shown."""
    if attempt.error is None:
        return Spoken(text=attempt.text.rstrip())
    ends = [match.end() for match in _SENTENCE_END.finditer(attempt.text)]
    whole = attempt.text[: ends[-1]].rstrip() if ends else ""
    if len(whole) < WHOLE_ENOUGH:
        return None
    if whole != attempt.text:
        scope.emit(Replace(text=whole))
    return Spoken(text=whole, shortened=True)


def _enter(runner: AgentRunner, speaker: Speaker[I], rendered: Rendered, attempt: _Attempt, scope: Scope) -> None:
    ended = runner.clock.monotonic()
    scope.ledger.waited(attempt.began, ended)
    first = None if attempt.first_token is None else round((attempt.first_token - attempt.began) * 1000, 1)
    scope.ledger.runs.append(
        AgentRun(
            agent=speaker.name,
            decided_by=attempt.decided_by,
            prompt=rendered.prompt_id,
            model=attempt.settings.model,
            input_digest=rendered.digest,
            output=None,
            attempts=1,
            latency_ms=round((ended - attempt.began) * 1000, 1),
            first_token_ms=first,
            prompt_tokens=attempt.usage.prompt_tokens,
            output_tokens=attempt.usage.output_tokens,
            cost_krw=cost_krw(attempt.usage, attempt.settings),
            error=f"{attempt.error.code}: {attempt.error.reason}" if attempt.error else None,
        )
    )
