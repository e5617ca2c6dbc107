"""Finds the passages of a document that are nearest to a question by meaning.

An upload's vectors are stored with it. Those of the shipped agreement, which is the same for all, are kept in memory.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from shared.domain.agreement.document import AgreementDocument, Passage
from shared.domain.agreement.search import FUSED
from shared.domain.agreement.upload import SERVICE
from shared.domain.errors import CBotError, ModelError, ModelResting, StoreError
from shared.domain.ids import UserId
from shared.domain.turn import AgentRun, DecidedBy
from shared.model import Model
from shared.observability.events import LogEvent
from shared.observability.facts import agent_facts
from shared.observability.log_event import log_event
from shared.observability.spans import NO_TRACER, Tracer
from shared.ports.document_nearness import cosine
from shared.ports.embedder import Embedded, Embedder, EmbedTask, EmbedText
from shared.ports.passage_vectors import PassageVectors

log = logging.getLogger(__name__)

PASSAGES = "passage_embedder"
"""Agent name of the passages' embeddings, which belong to no turn."""
DOCUMENT_S = 20.0
"""Seconds for the passages of a document, which no question waits for."""
REST_S = 60.0
"""Seconds after a failure in which a document's passages are not asked for again."""
_KEPT = 4
"""Shipped documents: one for each language, and one more version of each."""
_MOST_RESTING = 1000

_Key = tuple[str, str, str]
Charge = Callable[[UserId, float], None]
"""Counts won that were spent for a user."""
_Vectors = Mapping[str, Sequence[float]]


class NearPassages(Model):
    """What was found for some queries.

    Attributes:
        near: In the order of the queries.
        asked: What their embedding cost.
    """

    near: tuple[dict[str, float], ...]
    asked: Embedded


def _ignore(_user_id: UserId, _won: float) -> None:
    """Count nothing."""


class NearestPassages:
    """Embeds documents once and questions each time; belongs to the event loop that uses it."""

    def __init__(
        self,
        embedder: Embedder,
        vectors: PassageVectors,
        tracer: Tracer = NO_TRACER,
        charge: Charge = _ignore,
        document_s: float = DOCUMENT_S,
    ) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._tracer = tracer
        self._charge = charge
        self._document_s = document_s
        self._made: dict[_Key, asyncio.Task[_Vectors | None]] = {}
        self._rests_until: dict[_Key, float] = {}

    @property
    def model(self) -> str:
        return self._embedder.name

    async def find(
        self, document: AgreementDocument, queries: Sequence[str], within_s: float, user_id: UserId
    ) -> NearPassages:
        """Return what is near to each query.

        Passages that are not embedded with this model yet are embedded first; if that takes longer, it goes on for the
        questions to come. No upload is sent to a model before it is asked about, as the consents say. What an upload's
        passages cost counts in the day of its user.

        Raises:
            ModelError: The model or the passages' vectors are away, or not there in time.
            StoreError: The stored vectors could not be read.
            TimeoutError: It took longer than `within_s`.
        """
        stored = document.id != SERVICE
        ready = stored and document.embedder == self.model
        embedding = None if ready else self._task(document, user_id)
        texts = [EmbedText(text=query) for query in queries]
        asking = asyncio.ensure_future(self._embedder.embed(texts, EmbedTask.QUERY, within_s))
        asking.add_done_callback(_retrieved)
        try:
            async with asyncio.timeout(within_s):
                held = None if embedding is None else await asyncio.shield(embedding)
                asked = await asking
                near = await asyncio.gather(*(self._near(document, vector, held) for vector in asked.vectors))
        finally:
            asking.cancel()
        return NearPassages(near=tuple(near), asked=asked)

    async def _near(
        self, document: AgreementDocument, question: Sequence[float], held: _Vectors | None
    ) -> dict[str, float]:
        if held is None:
            return await self._vectors.nearest_passages(document.id, question, FUSED)
        cosines = {passage: cosine(question, vector) for passage, vector in held.items()}
        return {passage: cosines[passage] for passage in sorted(cosines, key=lambda one: -cosines[one])[:FUSED]}

    def _task(self, document: AgreementDocument, user_id: UserId) -> "asyncio.Task[_Vectors | None]":
        """Return the task that embeds a document's passages; a caller that gives up does not stop it."""
        key = (document.id, document.version, document.locale.value)
        made = self._made.get(key)
        if made is None or (made.done() and (made.cancelled() or made.exception() is not None)):
            if monotonic() < self._rests_until.get(key, 0.0):
                raise ModelResting("the passages could not be embedded a moment ago")
            made = self._made[key] = asyncio.create_task(self._embed(document, key, user_id))
            made.add_done_callback(_retrieved)
        return made

    async def _embed(self, document: AgreementDocument, key: _Key, user_id: UserId) -> _Vectors | None:
        passages = [passage for passage in document.passages if passage.text.strip()]
        began = monotonic()
        try:
            found = await self._embedder.embed([_text(one) for one in passages], EmbedTask.DOCUMENT, self._document_s)
            vectors = {one.id: vector for one, vector in zip(passages, found.vectors, strict=True)}
            self._enter(began, found)
            if document.id == SERVICE:
                for other in [one for one in self._made if one != key and self._made[one].done()][: -_KEPT or None]:
                    del self._made[other]
                return vectors
            self._charge(user_id, found.cost_krw)
            await self._vectors.keep_vectors(document.id, self.model, vectors)
        except (ModelError, StoreError) as error:
            if len(self._rests_until) >= _MOST_RESTING:
                self._rests_until.clear()
            self._rests_until[key] = monotonic() + REST_S
            self._enter(began, error)
            raise
        finally:
            if document.id != SERVICE:  # stored, or to be tried again: not kept here
                self._made.pop(key, None)
        return None

    def _enter(self, began: float, outcome: Embedded | CBotError) -> None:
        run = embedding_run(PASSAGES, self.model, began, outcome)
        severity = logging.WARNING if run.error else None
        log_event(log, LogEvent.AGENT, error=run.error, severity=severity, **agent_facts(run, ""))
        self._tracer.agent(run, "")


def embedding_run(agent: str, model: str, began: float, outcome: "Embedded | CBotError") -> AgentRun:
    """Return the record of embeddings, or of their failure."""
    left = isinstance(outcome, CBotError)
    found = Embedded() if isinstance(outcome, CBotError) else outcome
    sends = outcome.sends if isinstance(outcome, Embedded | ModelError) else 0
    return AgentRun(
        agent=agent,
        decided_by=DecidedBy.SAFE_DEFAULT if left else DecidedBy.MODEL,
        reason="searched by words alone" if left else "searched by words and embeddings",
        model=model,
        attempts=sends,
        latency_ms=round((monotonic() - began) * 1000, 1),
        prompt_tokens=found.tokens,
        cost_krw=found.cost_krw,
        error=outcome.code if isinstance(outcome, CBotError) else None,
    )


def _retrieved(task: "asyncio.Task[Any]") -> None:
    """Look at a task's error, which is told elsewhere, also if no question waits for it any more."""
    if not task.cancelled():
        task.exception()


def _text(passage: Passage) -> EmbedText:
    title = " ".join(f"{passage.heading} {passage.title}".split())
    return EmbedText(text=passage.text, title=title)
