"""The only caller of the language model: render, call, validate, one re-ask, safe default, ledger."""

import logging
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from pydantic import ValidationError

from shared.domain.errors import ModelBlocked, ModelEmpty, ModelError, ModelSchemaMismatch, ModelTimeout
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.agent import Agent, O
from shared.engine.hedge_quota import HedgeQuota
from shared.engine.ledger import as_json, cost_krw, used_by
from shared.engine.scope import Scope
from shared.model import Model
from shared.observability.events import LogEvent
from shared.observability.facts import agent_facts, error_code
from shared.observability.log_event import log_event
from shared.observability.spans import NO_TRACER, Tracer
from shared.ports.clock import Clock
from shared.ports.language_model import LanguageModel, ModelMessage, ModelRequest
from shared.ports.model_answers import ModelReply, Usage
from shared.ports.model_settings import PROVING_SHARE, ModelSettings
from shared.prompts.catalogue import I, Prompt, Rendered
from shared.prompts.data import as_message

log = logging.getLogger(__name__)

MAX_ASKS = 2
"""The first call and one re-ask, which shows the error, or goes to the fallback model if the answer was empty. A
stream that broke after it had begun is asked for as a whole."""
MOST_PROBLEMS = 20
"""Most problems that a re-ask lists: every field of the largest schema may be missing."""

_SAID_NOTHING = (ModelEmpty, ModelBlocked)

Check = Callable[[O], str | None]
"""Checks an answer that fits the schema; returns what is wrong, or None."""


Partial = Callable[[str], None]
"""Receives the beginning of an answer each time that more of it has arrived."""


class ReaskInput(Model):
    """Input of the re-ask prompt."""

    problems: str


REASK = Prompt(Path(__file__).parent / "prompts", "reask", 1, ReaskInput)


@dataclass
class _Asking(Generic[O]):
    """The progress of one agent run: the model in use, the cost so far, the answer and what broken ones began with."""

    settings: ModelSettings
    began: float
    messages: list[ModelMessage]
    decided_by: DecidedBy = DecidedBy.MODEL
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    asks: int = 0
    attempts: int = 0
    sends: int = 0
    cost_krw: float = 0
    error: ModelError | None = None
    answer: O | None = None
    broken: list[str] = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether another call may be made."""
        return self.answer is None and self.asks < MAX_ASKS

    def took(self, usage: Usage, sends: int) -> None:
        """Add a call, priced for the current model."""
        self.usage += usage
        self.sends += sends
        self.cost_krw = round(self.cost_krw + cost_krw(usage, self.settings), 4)

    def gives_way(self, failure: ModelError, *, streamed: bool) -> bool:
        """Record a failed call; return whether another follows, on the fallback or as the re-ask."""
        self.error = failure
        self.took(used_by(failure), failure.sends)
        if not failure.sends:  # Nothing was sent, so it does not count as an attempt.
            self.attempts -= 1
        if failure.arrived:
            self.broken.append(failure.arrived)
        said_nothing = isinstance(failure, _SAID_NOTHING)
        again = said_nothing or (streamed and bool(failure.arrived))
        self.asks += again
        other = self.settings.fallback if said_nothing else self.settings.fallback_after(failure)
        if other is None:
            return again
        self.decided_by, self.reason = DecidedBy.FALLBACK_MODEL, f"{self.settings.model} failed: {failure.code}"
        self.settings = other
        return True


class AgentRunner:
    """Runs agents by their specs."""

    def __init__(
        self,
        model: LanguageModel,
        settings: Mapping[str, ModelSettings],
        clock: Clock,
        tracer: Tracer = NO_TRACER,
        patience: float = 1,
    ) -> None:
        """Create it; `patience` multiplies the deadlines of turns and jobs, as `settings` are multiplied already."""
        self._model = model
        self.patience = patience
        self._settings = settings
        self.clock = clock
        self.tracer = tracer
        self.hedges = HedgeQuota()

    @property
    def model(self) -> LanguageModel:
        """The language model, for `shared.engine.speech`."""
        return self._model

    async def ask(
        self, agent: Agent[I, O], given: I, scope: Scope, check: Check[O] | None = None, partial: Partial | None = None
    ) -> O:
        """Ask an agent; on a model failure return its safe default instead of raising.

        Args:
            agent: The agent.
            given: Input of its prompt.
            scope: The turn or job, with its ledger and the permit that is checked before each call.
            check: A rule beyond the schema; its message is shown in the re-ask.
            partial: Receives the first answer while it arrives: it is streamed then. A re-ask is not, nor is an answer
                that is asked for once more because it broke after it had begun.
        """
        rendered = agent.prompt.render(scope.locale, given)
        scope.started(agent.name)
        await self.load(scope)
        asking: _Asking[O] = _Asking(
            settings=self.configured(agent.name),
            began=self.clock.monotonic(),
            messages=[ModelMessage(role="user", text=rendered.user)],
        )
        while asking.open:
            heard = None if asking.asks else partial
            try:
                reply = await self._call(agent, rendered, asking, scope, heard)
            except ModelError as failure:
                if not asking.gives_way(failure, streamed=heard is not None):
                    break
                continue
            asking.took(reply.usage, reply.sends)
            try:
                asking.answer, asking.error = parse(agent.answers, reply.text, check), None
            except ModelSchemaMismatch as mismatch:
                asking.asks += 1
                asking.error = mismatch
                asking.broken.append(reply.text)
                asking.messages += _reask(reply.text, mismatch, scope)
        answer = agent.safe_default if asking.answer is None else asking.answer
        if agent.keep is not None:
            for beginning in asking.broken:
                answer = agent.keep(given, answer, beginning)
        self._enter_answer(agent, rendered, asking, answer, scope)
        scope.finished(agent.name)
        return answer

    def _enter_answer(
        self, agent: Agent[I, O], rendered: Rendered, asking: _Asking[O], answer: O, scope: Scope
    ) -> None:
        ended, error = self.clock.monotonic(), asking.error
        if asking.answer is None and error is not None:
            scope.ledger.errors[agent.name] = error
        else:
            scope.ledger.errors.pop(agent.name, None)
        if asking.settings.catalogued:
            scope.ledger.uncatalogued.discard(agent.name)
        else:
            scope.ledger.uncatalogued.add(agent.name)
        scope.ledger.waited(asking.began, ended)
        self.enter(
            AgentRun(
                agent=agent.name,
                decided_by=DecidedBy.SAFE_DEFAULT if asking.answer is None else asking.decided_by,
                reason=asking.reason,
                prompt=rendered.prompt_id,
                model=asking.settings.model,
                input_digest=rendered.digest,
                output=as_json(answer),
                attempts=asking.sends,
                latency_ms=round((ended - asking.began) * 1000, 1),
                prompt_tokens=asking.usage.prompt_tokens,
                output_tokens=asking.usage.output_tokens,
                thought_tokens=asking.usage.thought_tokens,
                cost_krw=asking.cost_krw,
                error=f"{error.code}: {error.reason}" if error else None,
            ),
            scope,
        )

    def enter(self, run: AgentRun, scope: Scope) -> None:
        """Add a finished run to the ledger, the log and the tracer."""
        scope.ledger.runs.append(run)
        failed = run.decided_by is DecidedBy.SAFE_DEFAULT
        facts = agent_facts(run, scope.conversation)
        log_event(log, LogEvent.AGENT, error=error_code(run), severity=logging.WARNING if failed else None, **facts)
        self.tracer.agent(run, scope.conversation)

    async def load(self, scope: Scope) -> None:
        """Wait until the model's client is loaded; agents that run in parallel share the wait."""
        began = self.clock.monotonic()
        await self._model.warm()
        scope.loading_s = max(scope.loading_s, self.clock.monotonic() - began)

    def configured(self, agent: str) -> ModelSettings:
        return self._settings[agent]

    async def _call(
        self, agent: Agent[I, O], rendered: Rendered, asking: _Asking[O], scope: Scope, partial: Partial | None
    ) -> ModelReply:
        left = scope.analysis_left(self.clock.monotonic())
        if left <= 0:
            raise ModelTimeout("the turn's deadline has passed").billed(sends=0)
        await scope.permit()
        granted = scope.sends.for_analyser(again=asking.sends > 0)
        asking.attempts += 1
        if asking.attempts > 1:
            scope.retried(agent.name, asking.attempts)
        request = ModelRequest(
            agent=agent.name,
            system=rendered.system,
            messages=tuple(asking.messages),
            settings=asking.settings.within(left),
            response_schema=agent.answers,
            attempts=granted,
            cut_short=left < PROVING_SHARE * asking.settings.timeout_s,
        )
        try:
            reply = await (self._streamed(request, partial) if partial else self._model.generate(request))
        except ModelError as failure:
            scope.sends.settle(granted, failure.sends)
            raise
        scope.sends.settle(granted, reply.sends)
        return reply

    async def _streamed(self, request: ModelRequest, partial: Partial) -> ModelReply:
        """Return the whole answer; pass on what has arrived after each piece."""
        text, usage, sends = "", Usage(), 0
        try:
            async with aclosing(self._model.stream(request)) as chunks:
                async for chunk in chunks:
                    text += chunk.text
                    usage, sends = chunk.usage or usage, max(sends, chunk.sends)
                    if chunk.text:
                        partial(text)
        except ModelError as failure:
            failure.arrived = text
            raise
        return ModelReply(text=text, usage=usage, sends=sends)


def parse(answers: type[O], text: str, check: Check[O] | None) -> O:
    """Parse an answer.

    Raises:
        ModelSchemaMismatch: It is not JSON, does not fit the schema or fails the check.
    """
    try:
        answer = answers.model_validate_json(_unfenced(text))
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'answer'}: {problem['msg']}"
            for problem in error.errors(include_input=False, include_url=False)[:MOST_PROBLEMS]
        )
        raise ModelSchemaMismatch(problems) from None
    wrong = check(answer) if check else None
    if wrong:
        raise ModelSchemaMismatch(wrong)
    return answer


def _unfenced(text: str) -> str:
    """Strip the Markdown fence that models sometimes put around JSON."""
    body = text.strip()
    if body.startswith("```"):
        body = body.removeprefix("```json").removeprefix("```").removesuffix("```")
    return body


def _reask(answer: str, mismatch: ModelSchemaMismatch, scope: Scope) -> list[ModelMessage]:
    told = REASK.render(scope.locale, ReaskInput(problems=mismatch.problems))
    return [ModelMessage(role="model", text=as_message(answer)), ModelMessage(role="user", text=told.user)]
