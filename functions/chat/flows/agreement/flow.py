"""One question on an agreement: search, answer with sources, and the record of every decision."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import JsonValue

from functions.chat.flows.agreement.answer_cache import AnswerCache
from functions.chat.flows.agreement.choosing import DocumentChoice
from functions.chat.flows.agreement.loop import Loop
from functions.chat.flows.agreement.nodes import Tools, plain_tools
from functions.chat.flows.agreement.question import Question
from functions.chat.flows.agreement.respond import GUARDED
from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.content.schemas.agreement_messages import Saying
from shared.content.wordings import nth
from shared.contracts.agreement import CITATIONS, Citation, Citations
from shared.contracts.events import Replace, Token
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.events import AgreementAnswered
from shared.domain.agreement.search import Index
from shared.domain.agreement.search_state import SearchState, Verdict
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.domain.agreement.tools import Library
from shared.domain.counseling.session import Session
from shared.domain.event import Event
from shared.domain.turn import Hook
from shared.engine.flow import Outcome, Turn
from shared.engine.reply_prefix import BETWEEN, ReplyPrefix
from shared.observability.facts import ANSWER_CACHE
from shared.ports.checkpoints import Checkpoints
from shared.ports.clock import Clock
from shared.ports.document_source import DocumentSource
from shared.safety.output_guard.categories import Category
from shared.services.counseling.honesty import disclosure_due
from shared.services.output_guard import AGENT as OUTPUT_GUARD

HIT, MISS = "hit", "miss"
_KEPT_LIBRARIES = 4
"""The shipped agreement in each language and version; uploads are prepared for each question."""


class AgreementFlow:
    """Answers questions on the document that the conversation is about, or that a message names."""

    def __init__(
        self,
        content: Content,
        documents: DocumentSource[AgreementDocument],
        clock: Clock,
        forms: Callable[[], Sequence[AgreementDocument]] = tuple,
        checkpoints: Checkpoints | None = None,
        tools: Tools = plain_tools,
    ) -> None:
        """Create the flow.

        Args:
            content: All content.
            documents: The documents that users may ask about.
            clock: For the age of kept answers.
            forms: Returns the standard forms; for comparisons.
            checkpoints: Where unfinished searches are kept; None keeps none.
            tools: Runs the tools; by default by words alone.
        """
        self._content = content
        self._choice = DocumentChoice(content, documents)
        self._forms = forms
        self._cache = AnswerCache(clock)
        self._loop = Loop(content, checkpoints, tools)
        self._libraries: dict[tuple[str, str, str], Library] = {}

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        """Answer the question, after an AI notice if one is due."""
        notice, given = self._disclosure(turn)
        chosen = await self._choice.choose(turn)
        prefix = ReplyPrefix(BETWEEN.join(filter(None, (notice, chosen.notice))), turn.scope.emit)
        turn = replace(turn, text=chosen.text, scope=replace(turn.scope, emit=prefix.emit))
        if chosen.document is None:
            told = chosen.messages.text(Saying.NO_DOCUMENT)
            turn.scope.emit(Token(text=told))
            return Outcome(reply=prefix.before(told), events=(*chosen.events, *given))
        question = Question(turn, self._library(chosen.document), self._content.agreement_questions, chosen.messages)
        if orders(turn.text, self._content) and not question.in_document:
            told = chosen.messages.text(Saying.NO_PROMPT)
            turn.scope.ledger.ruled(OUTPUT_GUARD, Category.INTERNAL.value, "asked for by the message")
            turn.scope.emit(Token(text=told))
            return Outcome(reply=prefix.before(told), events=(*chosen.events, *given), flags=(GUARDED,))
        found, cache = await self._found(question, noticed=bool(notice))
        outcome = self._outcome(question, found, prefix, cache)
        offer = await self._choice.offer(turn) if _lacks(question, found) else ""
        if offer:
            turn.scope.emit(Token(text=BETWEEN + offer))
        reply = BETWEEN.join(filter(None, (outcome.reply, offer)))
        return replace(outcome, reply=reply, events=(*chosen.events, *outcome.events, *given))

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        """Say that there is no answer, with the help lines: whether anybody has read the message is not known."""
        notice, given = self._disclosure(turn)
        prefix = ReplyPrefix(notice, turn.scope.emit)
        state = turn.state
        voice = Voice(locale=state.locale, register_=state.register_, minor=state.minor)
        reply = prefix.before(self._content.crisis_replies.unread_reply(voice, nth(0)))
        turn.scope.emit(Replace(text=reply))
        return Outcome(reply=reply, events=given, flags=("degraded",))

    def _disclosure(self, turn: Turn[Session]) -> tuple[str, tuple[Event[Session], ...]]:
        asked = self._content.lexicon.read(turn.text).asks_if_human
        return disclosure_due(turn.state, turn.now, self._content, asked=asked)

    async def _found(self, question: Question, *, noticed: bool) -> tuple[SearchState, str]:
        """Return the finished search, from the last hour's or a new one; its answer was emitted."""
        kept = self._cache.get(question)
        ledger = question.turn.scope.ledger
        if kept is not None and kept.answer is not None:
            ledger.ruled(ANSWER_CACHE, HIT, "the same question on the same text within the hour")
            question.turn.scope.emit(Token(text=kept.answer))
            return kept, HIT
        ledger.ruled(ANSWER_CACHE, MISS, "no equal question within the hour")
        found = await self._loop.run(question, noticed=noticed)
        self._cache.put(question, found)
        return found, MISS

    def _outcome(self, question: Question, found: SearchState, prefix: ReplyPrefix, cache: str) -> Outcome[Session]:
        turn, reply = question.turn, prefix.before(found.answer or "")
        tells = bool(found.cited) and not turn.state.agreement.advice_declined
        if tells:
            notice = BETWEEN + question.messages.text(Saying.NO_ADVICE)
            turn.scope.emit(Token(text=notice))
            reply += notice
        cited = Citations(citations=tuple(_citations(question, found)))
        return Outcome(
            reply=reply,
            events=(AgreementAnswered(),) if tells else (),
            hooks=(Hook(type=CITATIONS, data=cited.model_dump(mode="json")),) if cited.citations else (),
            flags=found.flags,
            directive=_directive(found, cache),
        )

    def _library(self, document: AgreementDocument) -> Library:
        if document.id != SERVICE_AGREEMENT:
            return Library(self._index(document), self._forms())
        key = (document.id, document.version, document.locale.value)
        if key not in self._libraries:
            if len(self._libraries) >= _KEPT_LIBRARIES:
                self._libraries.clear()
            self._libraries[key] = Library(self._index(document), self._forms())
        return self._libraries[key]

    def _index(self, document: AgreementDocument) -> Index:
        return Index(document, self._content.agreements.vocabulary)


def orders(text: str, content: Content) -> bool:
    """Return whether a message asks what the AI was told to do, or tells it to do something else."""
    return content.agreement_questions.asks_for_prompt(text) or content.text_rules.instructive(text)


def _lacks(question: Question, found: SearchState) -> bool:
    """Return whether the service's agreement, which is open, does not say what was asked."""
    if question.turn.state.agreement.document_id != SERVICE_AGREEMENT:
        return False
    asked = not question.words.greets(question.text) and not question.words.compares(question.text)
    sought = found.searched or any(one.verdict is Verdict.OUT_OF_SCOPE for one in found.decisions)
    return (
        asked and sought and not question.own and not found.cited and not question.words.asks_structure(question.text)
    )


def _citations(question: Question, found: SearchState) -> list[Citation]:
    by_ref = {source.ref: source for source in question.sources(found).all}
    return [
        Citation(
            document_id=ref.document_id,
            passage_id=ref.passage_id,
            label=by_ref[ref].label,
            title=by_ref[ref].passage.title,
        )
        for ref in found.cited
        if ref in by_ref
    ]


def _directive(found: SearchState, cache: str) -> dict[str, JsonValue]:
    """Return the decision log for the turn's record, which staff read."""
    shown = {"document_id", "document_version", "round", "decisions", "runs", "read", "cited"}
    logged: dict[str, JsonValue] = found.model_dump(mode="json", include=shown)
    return {"service": "agreement", "cache": cache, **logged}
