"""Streams a speaker's words to the user; a broken stream is mended, never left hanging."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from shared.contracts.events import Replace, Token
from shared.domain.errors import ModelEmpty, ModelError, ModelTimeout
from shared.domain.safety.guard import Guarded
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.agent import Speaker
from shared.engine.ledger import cost_krw, used_by
from shared.engine.prose import Prose, end_of_sentences, shortened, whole_sentences
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.ports.language_model import ModelChunk, ModelMessage, ModelRequest, ModelSettings, Usage
from shared.prompts.catalogue import I, Rendered

LONGEST_REPLY = 1200
"""Characters after which a reply is ended. Own bound: three times what a counselor says in a chat at the most."""
_WHOLE_FROM = LONGEST_REPLY * 3 // 4
"""Characters of a reply behind which words wait for the end of their sentence: it may come too late. Own figure."""


class Watch(Protocol):
    """Reads one stream, and holds back what may have to be unsaid."""

    @property
    def caught(self) -> bool:
        """Whether the rest of the stream is of no use."""
        ...

    def take(self, text: str) -> str:
        """Take the next piece; return what may be shown now."""
        ...


class Guard(Protocol):
    """What a service forbids its speaker to say."""

    def watch(self) -> Watch:
        """Return a reading of a new stream."""
        ...

    def over(self, text: str) -> Guarded:
        """Return a whole reply as it may stand; it begins with whatever a watch let out of it."""
        ...


class _Unguarded:
    """Lets everything out at once."""

    caught = False

    def watch(self) -> "Watch":
        return self

    def take(self, text: str) -> str:
        return text

    def over(self, text: str) -> Guarded:
        return Guarded(text=text)


UNGUARDED: Guard = _Unguarded()


@dataclass
class Spoken:
    """A reply as the user saw it.

    Attributes:
        shortened: The stream broke or did not end, and the whole sentences before that were kept.
        guarded: What the guard made of it.
    """

    text: str
    shortened: bool = False
    guarded: Guarded = field(default_factory=lambda: Guarded(text=""))


@dataclass
class _Attempt:
    """One stream and what it has given so far.

    Attributes:
        shown: What the listener got of it.
        waiting: What may be shown behind that, once its sentence has ended.
        spoken: What of it stands, once it is over.
    """

    settings: ModelSettings
    decided_by: DecidedBy
    began: float
    watch: Watch
    prose: Prose = field(default_factory=Prose)
    shown: str = ""
    waiting: str = ""
    usage: Usage = field(default_factory=Usage)
    sends: int = 0
    first_token: float | None = None
    error: ModelError | None = None
    spoken: Spoken | None = None
    reason: str = ""

    @property
    def gives_way_to(self) -> ModelSettings | None:
        """The settings to try next where nothing of this attempt stands and another model may do better."""
        if self.spoken is not None or self.error is None:
            return None
        return self.settings.fallback_after(self.error)

    @property
    def sent(self) -> bool:
        """Whether anything was sent: a model that rests is not asked, and is no attempt."""
        return self.error is None or self.sends > 0

    @property
    def full(self) -> bool:
        """Tell whether it is longer than a reply may be."""
        return len(self.prose.text) > LONGEST_REPLY

    def took(self, chunk: ModelChunk) -> None:
        """Note what the call has used up so far."""
        self.usage = chunk.usage or self.usage
        self.sends = max(self.sends, chunk.sends)

    def failed(self, failure: ModelError) -> None:
        """Note a failure and what the call used up all the same."""
        self.error = failure
        self.sends = max(self.sends, failure.sends)
        if failure.prompt_tokens or failure.output_tokens:
            self.usage = used_by(failure)


async def speak(
    runner: AgentRunner,
    speaker: Speaker[I],
    given: I,
    history: Sequence[ModelMessage],
    scope: Scope,
    guard: Guard = UNGUARDED,
) -> Spoken | None:
    """Stream a reply to the scope's listener.

    On a failure the whole sentences that came are kept; if there are none, the fallback model is tried when one is
    configured. What the guard does not let pass ends the reply; nothing that was shown is taken back for it.

    Returns:
        The reply, or None when no model could speak: the caller then says so honestly. What was shown before that is
        the caller's to replace.
    """
    rendered = speaker.prompt.render(scope.locale, given)
    scope.started(speaker.name)
    spoken: Spoken | None = None
    shown = waited = False
    planned: ModelSettings | None = runner.settings_of(speaker.name, scope)
    decided_by = DecidedBy.MODEL
    while planned is not None:
        if waited:
            scope.retried(speaker.name, 2)
        if shown:
            scope.emit(Replace(text=""))
        left = planned.within(scope.deadline - runner.clock.monotonic())
        attempt = _Attempt(settings=left, decided_by=decided_by, began=runner.clock.monotonic(), watch=guard.watch())
        await _stream(runner, speaker, rendered, tuple(history), attempt, scope)
        shown = bool(attempt.shown)
        spoken = _settle(attempt, guard, scope)
        waited = attempt.sent or attempt.gives_way_to is None
        if waited:
            _enter(runner, speaker, rendered, attempt, scope)
        planned, decided_by = attempt.gives_way_to, DecidedBy.FALLBACK_MODEL
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
            raise ModelTimeout("the turn's deadline has passed").billed(sends=0)
        await scope.permit()
        async with aclosing(runner.model.stream(request)) as chunks:
            async for chunk in chunks:
                attempt.took(chunk)
                text = attempt.prose.take(chunk.text)
                if text and not _heard(attempt, text, runner.clock.monotonic(), scope):
                    break
        if not attempt.prose.text:
            raise ModelEmpty("the stream held no text")
    except ModelError as failure:
        attempt.failed(failure)


def _heard(attempt: _Attempt, text: str, at: float, scope: Scope) -> bool:
    """Show what may be shown of the newest words; return whether more are wanted."""
    if attempt.first_token is None:
        attempt.first_token = at
    if attempt.full:
        return False
    attempt.waiting += attempt.watch.take(text)
    _show(attempt, _ready(attempt), scope)
    return not attempt.watch.caught


def _ready(attempt: _Attempt) -> str:
    """Take what may be shown of the waiting words."""
    near = len(attempt.shown) + len(attempt.waiting) > _WHOLE_FROM
    end = end_of_sentences(attempt.waiting) if near else len(attempt.waiting)
    ready, attempt.waiting = attempt.waiting[:end], attempt.waiting[end:]
    return ready


def _show(attempt: _Attempt, text: str, scope: Scope) -> None:
    if text:
        attempt.shown += text
        scope.emit(Token(text=text))


def _settle(attempt: _Attempt, guard: Guard, scope: Scope) -> Spoken | None:
    """Decide what of an attempt is fit to stand, telling the listener where that is not what was shown."""
    kept = _kept(attempt)
    if kept is None:
        return None
    kept.guarded = guard.over(kept.text)
    kept.text = kept.guarded.text
    attempt.spoken = kept
    if kept.text.startswith(attempt.shown):
        _show(attempt, kept.text.removeprefix(attempt.shown), scope)
    elif kept.shortened or kept.text != attempt.shown.rstrip():  # a whole reply's last blanks may stay on the screen
        scope.emit(Replace(text=kept.text))
    return kept


def _kept(attempt: _Attempt) -> Spoken | None:
    if attempt.watch.caught:
        attempt.reason = "ended by the guard"
        return Spoken(text=attempt.prose.text)
    if attempt.full:
        attempt.reason = f"ended at {LONGEST_REPLY} characters"
        text = shortened(attempt.prose.text, LONGEST_REPLY)
        # Nothing that was shown is taken back, be its sentence as long as it may.
        return Spoken(text=text if text.startswith(attempt.shown) else f"{attempt.shown}…", shortened=True)
    if attempt.error is None:
        return Spoken(text=attempt.prose.text.rstrip())
    whole = whole_sentences(attempt.prose.text)
    return Spoken(text=whole, shortened=True) if whole else None


def _enter(runner: AgentRunner, speaker: Speaker[I], rendered: Rendered, attempt: _Attempt, scope: Scope) -> None:
    """Enter an attempt in the ledger.

    The last one of which nothing stands is a `SAFE_DEFAULT`: the caller's apology holds, no model decided. One that
    gave way to the fallback model is entered under who was asked, with its error and that nothing of it stands.
    """
    decided_by = attempt.decided_by
    if attempt.spoken is None:
        gives_way = attempt.gives_way_to is not None
        attempt.reason = "nothing kept; the fallback model is asked" if gives_way else "nothing kept; no model spoke"
        decided_by = decided_by if gives_way else DecidedBy.SAFE_DEFAULT
    ended = runner.clock.monotonic()
    scope.ledger.waited(attempt.began, ended)
    first = None if attempt.first_token is None else round((attempt.first_token - attempt.began) * 1000, 1)
    runner.enter(
        AgentRun(
            agent=speaker.name,
            decided_by=decided_by,
            reason=attempt.reason,
            prompt=rendered.prompt_id,
            model=attempt.settings.model,
            input_digest=rendered.digest,
            output=None,
            attempts=attempt.sends,
            latency_ms=round((ended - attempt.began) * 1000, 1),
            first_token_ms=first,
            prompt_tokens=attempt.usage.prompt_tokens,
            output_tokens=attempt.usage.output_tokens,
            thought_tokens=attempt.usage.thought_tokens,
            cost_krw=cost_krw(attempt.usage, attempt.settings),
            error=f"{attempt.error.code}: {attempt.error.reason}" if attempt.error else None,
        ),
        scope,
    )
