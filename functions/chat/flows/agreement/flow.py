"""One question on an agreement: search, answer with sources, and the record of every decision.

A search keeps a checkpoint after each node, so that a killed turn goes on where it was. Answers given within the last
hour are kept in this instance's memory, so that the same question on the same text asks no model again: a store would
hold users' questions longer than their conversations (docs/decisions/0051). The key is a digest; uploads are kept per
user.
"""

import hashlib
import logging
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from pydantic import JsonValue

from functions.chat.flows.agreement import nodes
from functions.chat.flows.agreement.nodes import Tools, plain_tools
from functions.chat.flows.agreement.question import Question
from functions.chat.flows.agreement.respond import GUARDED, respond
from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.content.schemas.agreement_messages import AgreementMessages, Saying
from shared.content.wordings import nth
from shared.contracts.agreement import CITATIONS, Citation, Citations
from shared.contracts.events import Replace, Token
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.events import AgreementAnswered, AgreementChosen
from shared.domain.agreement.search import Index
from shared.domain.agreement.search_state import Node, SearchState, Verdict
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.domain.agreement.tools import Library
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.errors import StoreUnavailable
from shared.domain.event import Event
from shared.domain.turn import Hook
from shared.engine.flow import Manifest, Outcome, Turn
from shared.engine.hooks import HookContext
from shared.engine.reply_prefix import BETWEEN, ReplyPrefix
from shared.observability.events import LogEvent
from shared.observability.facts import ANSWER_CACHE
from shared.observability.log_event import log_event
from shared.ports.checkpoints import Checkpoints
from shared.ports.clock import Clock
from shared.ports.document_source import DocumentSource, Named
from shared.safety.output_guard.categories import Category
from shared.services.counseling.honesty import disclosure_due
from shared.services.output_guard import AGENT as OUTPUT_GUARD

NAME = "agreement"
FELT = 5
"""The least intensity, of 10, of a feeling that makes a question no question on a document."""


def keeps(turn: Turn[Session], content: Content) -> bool:
    """Return whether a conversation about documents goes on with a question on the open one.

    Any question may be on the user's own document, and on the service's agreement what agreements regulate; a message
    that the client sends with a document is on that. What tells a feeling, or belongs to a booking, is left to the
    other services. Greetings and thanks to the service are answered by it, and orders to its
    model are refused.
    """
    state, text, words = turn.state, turn.text, content.agreement_questions
    own = state.agreement.document_id != SERVICE_AGREEMENT
    spoke = state.flow == NAME and state.answered_by in ("", NAME)
    if spoke and (words.greets(text) or words.thanks(text) or orders(text, content)):
        return True
    if turn.document_id is None and (
        state.flow != NAME
        or state.booking.mid_flow
        or not (words.asks_about_document(text) if own else words.asks_of_contracts(text))
    ):
        return False
    heard = content.session_words.asks_to_be_heard(text) or content.session_words.opens_up(text)
    return not heard and content.lexicon.read(text).emotion.intensity < FELT


def agreement(
    content: Content,
    documents: DocumentSource[AgreementDocument],
    clock: Clock,
    forms: Callable[[], Sequence[AgreementDocument]] = tuple,
    checkpoints: Checkpoints | None = None,
    tools: Tools = plain_tools,
) -> Manifest[Session]:
    """Return the manifest; see `AgreementFlow` for the parts."""

    async def end_checkpoint(context: HookContext[Session]) -> None:
        if checkpoints is not None and context.state.answered_by == NAME:
            await checkpoints.end_checkpoint(context.state.conversation_id, context.result.message_id)

    return Manifest(
        name=NAME,
        flow=AgreementFlow(content, documents, clock, forms, checkpoints, tools),
        claims=content.agreement_questions.claims,
        after_turn=(end_checkpoint,),
    )


@dataclass(frozen=True)
class Chosen:
    """The document of one question.

    Attributes:
        document: None if the open one is gone.
        text: The question: what the message says, or the question before it if it only names the document.
        notice: What is said before the answer, or "".
        events: The document that is open from now on, if it changes.
    """

    document: AgreementDocument | None
    text: str
    messages: AgreementMessages
    notice: str = ""
    events: tuple[AgreementChosen, ...] = ()


@dataclass(frozen=True)
class DocumentChoice:
    """Reads which document a message means, by rules."""

    content: Content
    documents: DocumentSource[AgreementDocument]

    async def choose(self, turn: Turn[Session]) -> Chosen:
        """Return the document of a question; a message that names another one opens it, unless the client names it."""
        state, words = turn.state, self.content.agreement_questions
        if turn.document_id is not None:
            document = await self.documents.get(turn.document_id, state.user_id, state.locale)
            return Chosen(document, turn.text, self.messages(turn, document) if document else self._messages(turn))
        open_id = state.agreement.document_id
        if open_id != SERVICE_AGREEMENT and words.about_service(turn.text):
            messages = self._messages(turn)
            document = await self.documents.get(SERVICE_AGREEMENT, state.user_id, state.locale)
            return Chosen(document, turn.text, messages, messages.text(Saying.FROM_SERVICE))
        if (named := await self._named(turn, open_id)) and named.document_id != open_id:
            document = await self.documents.get(named.document_id, state.user_id, state.locale)
            if document is not None:
                messages = self.messages(turn, document)
                asked = words.without_names(turn.text, named.title) or _asked_before(turn)
                event = AgreementChosen(document_id=document.id)
                return Chosen(document, asked, messages, messages.text(Saying.NOW_ASKING), (event,))
        document = await self.documents.get(open_id, state.user_id, state.locale)
        if document is None:
            return Chosen(
                None, turn.text, self._messages(turn), events=(AgreementChosen(document_id=SERVICE_AGREEMENT),)
            )
        return Chosen(document, turn.text, self.messages(turn, document))

    async def offer(self, turn: Turn[Session]) -> str:
        """Return the offer to look in the user's newest upload, or "" if they have none."""
        own = await self._own(turn)
        return self._about(turn, own[0].title).text(Saying.OFFER_OWN) if own else ""

    def messages(self, turn: Turn[Session], document: AgreementDocument) -> AgreementMessages:
        """Return the fixed sentences about a document."""
        return self._messages(turn) if document.id == SERVICE_AGREEMENT else self._about(turn, document.title)

    async def _named(self, turn: Turn[Session], open_id: str) -> Named | None:
        """Return the upload that a message names by its title, or the newest if it only says that it was uploaded."""
        words = self.content.agreement_questions
        uploaded = words.names_upload(turn.text)
        if open_id != SERVICE_AGREEMENT and not uploaded:
            return None
        own = await self._own(turn)
        by_title = next((one for one in own if words.names(one.title, turn.text)), None)
        if by_title is None and uploaded and open_id == SERVICE_AGREEMENT:
            return next(iter(own), None)
        return by_title

    async def _own(self, turn: Turn[Session]) -> Sequence[Named]:
        """Return the user's uploads; none while the store is away, which the service's agreement does not need."""
        try:
            return await self.documents.own(turn.state.user_id)
        except StoreUnavailable:
            return ()

    def _about(self, turn: Turn[Session], title: str) -> AgreementMessages:
        # A title is the user's own words, but may order a model to say something: it is not repeated then.
        return self._messages(turn).about(title, sayable=not self.content.text_rules.instructive(title))

    def _messages(self, turn: Turn[Session]) -> AgreementMessages:
        return self.content.agreement_messages(turn.state.locale, turn.state.register_)


log = logging.getLogger(__name__)

KEPT = timedelta(days=1)
"""How long a checkpoint is kept if its turn is never finished."""


@dataclass(frozen=True)
class Loop:
    """The nodes with what they need."""

    content: Content
    checkpoints: Checkpoints | None = None
    tools: nodes.Tools = field(default=nodes.plain_tools)

    async def run(self, question: Question, *, noticed: bool) -> SearchState:
        """Search and answer; the state of an earlier, killed run is continued."""
        fresh = SearchState.begin(question.library.document, question.text)
        state = await self._kept(question, fresh)
        if state.answer is not None:
            question.turn.scope.emit(Token(text=state.answer))
        while (node := state.following) is not None:
            state = await self._step(node, question, state, noticed=noticed)
            await self._keep(question, state)
        return state

    async def _step(self, node: Node, question: Question, state: SearchState, *, noticed: bool) -> SearchState:
        match node:
            case Node.SCOPE:
                return await nodes.scope(question, state)
            case Node.TOOL_NEED:
                return await nodes.tool_need(question, state)
            case Node.PLANNER:
                return await nodes.planner(question, state)
            case Node.EXECUTOR:
                return await nodes.executor(question, state, self.tools)
            case Node.EVALUATOR:
                return await nodes.evaluator(question, state)
            case Node.RESPOND:
                return await respond(question, state, self.content, noticed=noticed)

    async def _kept(self, question: Question, fresh: SearchState) -> SearchState:
        if self.checkpoints is None:
            return fresh
        turn = question.turn
        try:
            kept = await self.checkpoints.checkpoint(turn.state.conversation_id, turn.message_id, SearchState)
        except StoreUnavailable as error:
            log_event(log, LogEvent.CHECKPOINT_LEFT, error=error, conversation=turn.state.conversation_id)
            return fresh
        return kept if kept is not None and kept.continues(fresh) else fresh

    async def _keep(self, question: Question, state: SearchState) -> None:
        """Keep the state; a store that fails costs a retry its savings, not the user the answer."""
        if self.checkpoints is None:
            return
        turn = question.turn
        await turn.scope.permit()  # a turn that lost its right must not write below an erased session
        try:
            await self.checkpoints.save_checkpoint(turn.state.conversation_id, turn.message_id, state, turn.now + KEPT)
        except StoreUnavailable as error:
            log_event(log, LogEvent.CHECKPOINT_LEFT, error=error, conversation=turn.state.conversation_id)


KEPT_SECONDS = 3600.0
MOST_ANSWERS = 500
"""Answers per instance, a few kilobytes each; the least recently used is dropped."""

_MARKS = str.maketrans("", "", " \t\n.!?~…。？！,")


class AnswerCache:
    """Finished searches by question, document, language and register."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, SearchState]] = OrderedDict()

    def get(self, question: Question) -> SearchState | None:
        """Return the finished search of an equal question, if it is no older than an hour."""
        if question.follows:
            return None
        key = _key(question)
        kept = self._kept.get(key)
        if kept is None:
            return None
        if self._clock.monotonic() >= kept[0]:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return kept[1]

    def put(self, question: Question, state: SearchState) -> None:
        """Keep an answer that a model gave in full; others are tried again the next time."""
        if question.follows or state.flags or state.answer is None or not state.cited:
            return
        self._kept[_key(question)] = (self._clock.monotonic() + KEPT_SECONDS, state)
        while len(self._kept) > MOST_ANSWERS:
            self._kept.popitem(last=False)


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
    shown = {"document_id", "document_version", "round", "decisions", "runs", "read", "cited"}
    logged: dict[str, JsonValue] = found.model_dump(mode="json", include=shown)
    return {"service": "agreement", "cache": cache, **logged}


def _asked_before(turn: Turn[Session]) -> str:
    said = [message.text for message in turn.state.recent if message.role is Role.USER and message.text]
    return said[-1] if said else turn.text


def normalised(text: str) -> str:
    """Return a question without what makes no difference: blanks, marks, case, spelling of letters."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_MARKS)


def _key(question: Question) -> Hashable:
    state, document = question.turn.state, question.library.document
    reader = "" if document.id == SERVICE_AGREEMENT else state.user_id
    digest = hashlib.sha256(normalised(question.text).encode(errors="surrogatepass")).hexdigest()
    return digest, document.id, document.version, reader, state.locale, state.register_
