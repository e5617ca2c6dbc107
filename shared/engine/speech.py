"""Streams a speaker's words to the user and completes or replaces a broken stream."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from shared.contracts.events import Replace
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.agent import Speaker
from shared.engine.attempt import Attempt, Spoken
from shared.engine.ledger import cost_krw
from shared.engine.race import Asked, Race
from shared.engine.reply_guard import UNGUARDED, Guard
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.locale import Locale
from shared.ports.language_model import ModelMessage
from shared.prompts.catalogue import I, Rendered

FORM = "reply_form"
"""Agent name in the turn record."""


@dataclass(frozen=True)
class Speech:
    """A speaker's rendered prompt and the dialogue that follows it. Equal speeches send equal requests."""

    agent: str
    rendered: Rendered
    history: tuple[ModelMessage, ...]

    @classmethod
    def of(cls, speaker: Speaker[I], given: I, history: Sequence[ModelMessage], locale: Locale) -> "Speech":
        return cls(speaker.name, speaker.prompt.render(locale, given), tuple(history))


async def speak(
    runner: AgentRunner,
    speaker: Speaker[I],
    given: I,
    history: Sequence[ModelMessage],
    scope: Scope,
    guard: Guard = UNGUARDED,
) -> Spoken | None:
    """Stream a reply to the scope's listener.

    On a failure the whole sentences received are kept; without any, one more stream is opened, on the fallback model if
    that helps. A late stream gets a second one in parallel, and the first that speaks is shown. Text that the guard
    rejects ends the reply; text already shown is not taken back for it.

    Returns:
        The reply, or None if no model spoke: the caller replaces the text shown so far with an apology.
    """
    return await deliver(runner, Speech.of(speaker, given, history, scope.locale), scope, guard)


async def deliver(runner: AgentRunner, speech: Speech, scope: Scope, guard: Guard) -> Spoken | None:
    """Stream a rendered speech; see `speak`. If it is cancelled, its streams are closed and entered as cancelled."""
    scope.started(speech.agent)
    await runner.load(scope)
    race = Race(
        Asked(
            model=runner.model,
            clock=runner.clock,
            hedges=runner.hedges,
            agent=speech.agent,
            system=speech.rendered.system,
            history=speech.history,
            settings=runner.configured(speech.agent),
            scope=scope,
            guard=guard,
        )
    )
    spoken: Spoken | None = None
    try:
        while spoken is None and (attempt := await race.first_words()) is not None:
            await attempt.read_on()
            spoken = _settle(attempt, guard, scope)
    except asyncio.CancelledError:
        for one in race.attempts:
            if one.error is None:
                one.was_cancelled("the reply is not wanted any more")
        _enter_all(runner, speech, race.attempts, scope)
        raise
    _enter_all(runner, speech, race.attempts, scope)
    scope.finished(speech.agent)
    return spoken


def _settle(attempt: Attempt, guard: Guard, scope: Scope) -> Spoken | None:
    kept = attempt.kept()
    if kept is None:
        return None
    kept.guarded = guard.over(kept.text)
    kept.text = kept.guarded.text
    attempt.spoken = kept
    for mended in attempt.prose.form.mended:
        scope.ledger.ruled(FORM, mended.value, "the reply's form was mended")
    if kept.text.startswith(attempt.shown):
        attempt.let_out(kept.text.removeprefix(attempt.shown))
    elif kept.shortened or kept.text != attempt.shown.rstrip():  # a whole reply's last blanks may stay
        scope.emit(Replace(text=kept.text))
    return kept


def _enter_all(runner: AgentRunner, speech: Speech, attempts: Sequence[Attempt], scope: Scope) -> None:
    """Add the attempts to the ledger, the kept one last; attempts that sent nothing are left out.

    If none is kept, the last is a `SAFE_DEFAULT`: the caller's apology is used.
    """
    entered = [one for one in attempts if one.sent] or list(attempts[-1:])
    entered.sort(key=lambda one: one.spoken is not None)
    for one, following in zip(entered, (*entered[1:], None), strict=True):
        decided_by = one.decided_by
        if following is None and one.spoken is None and not one.lost:
            decided_by, one.reason = DecidedBy.SAFE_DEFAULT, "nothing kept; no model spoke"
        elif following is not None and not one.lost:
            other = following.settings.model != one.settings.model
            one.reason = f"nothing kept; {'the fallback model is asked' if other else 'asked once more'}"
        _enter(runner, speech, one, decided_by, scope)


def _enter(runner: AgentRunner, speech: Speech, attempt: Attempt, decided_by: DecidedBy, scope: Scope) -> None:
    ended = runner.clock.monotonic() if attempt.ended is None else attempt.ended
    scope.ledger.waited(attempt.began, ended)
    first = None if attempt.first_token is None else round((attempt.first_token - attempt.began) * 1000, 1)
    runner.enter(
        AgentRun(
            agent=speech.agent,
            decided_by=decided_by,
            reason=attempt.reason,
            prompt=speech.rendered.prompt_id,
            model=attempt.settings.model,
            input_digest=speech.rendered.digest,
            output=None,
            attempts=attempt.sends,
            latency_ms=round((ended - attempt.began) * 1000, 1),
            first_token_ms=first,
            prompt_tokens=attempt.usage.prompt_tokens,
            output_tokens=attempt.usage.output_tokens,
            thought_tokens=attempt.usage.thought_tokens,
            cost_krw=cost_krw(attempt.usage, attempt.settings),
            cancelled=attempt.lost,
            error=f"{attempt.error.code}: {attempt.error.reason}" if attempt.error else None,
        ),
        scope,
    )
