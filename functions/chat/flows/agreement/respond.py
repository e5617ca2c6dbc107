"""The last node: streams the answer from what was read; without a model it quotes the best passage.

Sources are checked first, then the output guard reads what is left. What an agreement says of secrecy, of an end or
of whom someone tells is no claim of the speaker's: those rules do not apply, and the words of what was read count as
said by the user. All other rules do, for uploads may hold anything.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

from functions.chat.flows.agreement.agents import RESPONDER, ResponderInput
from functions.chat.flows.agreement.question import Question
from shared.content.catalogue import Content
from shared.content.schemas.agreement_messages import Saying
from shared.contracts.chat import MAX_TEXT
from shared.contracts.events import Replace, Token
from shared.domain.agreement.citing import Checked, CitationCheck, Source, Sources, label_of
from shared.domain.agreement.search_state import SearchState, Verdict
from shared.domain.agreement.tool_calls import ToolName
from shared.domain.agreement.tools import outline
from shared.domain.turn import DecidedBy
from shared.engine.attempt import Spoken
from shared.engine.prose import excerpt
from shared.engine.reply_guard import Guard, ReplyWatch
from shared.engine.speech import speak
from shared.locale import Register
from shared.ports.language_model import ModelMessage
from shared.prompts.data import as_message
from shared.safety.output_guard.categories import GRAVEST, Category
from shared.safety.output_guard.guard import Guarded, OutputGuard
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation
from shared.services.output_guard import AGENT as OUTPUT_GUARD
from shared.services.output_guard import reply_guard

OF_DOCUMENTS = frozenset({Category.SECRECY, Category.ENDING, Category.ACTED, Category.MEMORY})
"""Categories of claims that a document may make."""


@dataclass
class _Watch:
    inner: ReplyWatch
    check: CitationCheck

    @property
    def caught(self) -> bool:
        return self.inner.caught

    def take(self, text: str) -> str:
        return self.inner.take(self.check.take(text))


@dataclass
class CitedGuard:
    """Shows a sentence once it is complete and its sources hold.

    Attributes:
        checked: The check of the whole reply.
    """

    inner: Guard
    new_check: Callable[[], CitationCheck]
    checked: Checked = field(default_factory=Checked)

    def watch(self) -> ReplyWatch:
        return _Watch(self.inner.watch(), self.new_check())

    def over(self, text: str) -> Guarded:
        check = self.new_check()
        check.take(text)
        check.end()
        self.checked = check.result
        return self.inner.over(self.checked.text)


CITATION_CHECK = "citation_check"
"""Agent name in the turn record: how many sentences were left out, and why."""
DEGRADED, GUARDED, SHORTENED = "degraded", "guarded", "shortened"
LONGEST_QUOTE = 700
_QUOTED_AFTER = {ToolName.BY_INDEX: 3, ToolName.STANDARD: 2}
"""Passages that are quoted if they were asked for by name, or are compared; else the best one is."""
_LEFT_OUT = "(…)"
_MOST_ENTRIES = 60
"""Entries of a structure that is listed; a reply is no longer than a few screens."""


async def respond(question: Question, state: SearchState, content: Content, *, noticed: bool) -> SearchState:
    messages = question.messages
    if not state.searched:
        return _said(question, state, messages.text(_saying(question, state)), "a fixed sentence")
    tools = {run.call.tool for run in state.runs if run.error is None}
    if tools == {ToolName.STRUCTURE} and question.words.asks_structure(question.text):
        return _said(question, state, _outline(question), "the structure, listed by code")
    if question.words.compares(question.text) and question.library.form is None:
        return _said(question, state, messages.text(Saying.NO_FORM), "no standard form is of the document's sort")
    sources = question.sources(state)
    if not sources.all:
        return _said(question, state, question.unknown, "nothing was found")
    return await _spoken(question, state, sources, content, noticed=noticed)


async def _spoken(
    question: Question, state: SearchState, sources: Sources, content: Content, *, noticed: bool
) -> SearchState:
    turn, rest_unknown = question.turn, question.messages.text(Saying.PART_UNKNOWN)
    inner = answer_guard(question, sources, content, noticed=noticed)

    def refuses(sentence: str) -> bool:
        return inner.over(sentence).category is not None

    def orders(sentence: str) -> bool:
        return question.own and content.text_rules.instructive(sentence)

    guard = CitedGuard(inner, lambda: CitationCheck(sources, question.text, rest_unknown, refuses, orders))
    given = ResponderInput(
        document_title=question.library.document.title,
        casual=turn.state.register_ is Register.CASUAL,
        passages=question.passages(state),
    )
    spoken = await speak(turn.runner, RESPONDER, given, _history(question), turn.scope, guard)
    _enter_check(question, guard)
    if spoken is None or not spoken.text.strip():
        if guard.checked.unknown and not state.sufficient:
            return _said(question, state, question.unknown, "neither the search nor the model found an answer")
        why = "no model spoke" if spoken is None else "no sentence of the model held"
        return _quoted(question, state, sources, inner, content, why)
    category = spoken.guarded.category
    if category is not None:
        turn.scope.ledger.ruled(OUTPUT_GUARD, category.value, spoken.guarded.rule)
        if category not in GRAVEST and not _cited_in(spoken.text, sources):
            return _quoted(question, state, sources, inner, content, "the guard left no sentence")
    return _answered(question, state, sources, spoken)


def _answered(question: Question, state: SearchState, sources: Sources, spoken: Spoken) -> SearchState:
    flags = {SHORTENED: spoken.shortened, GUARDED: spoken.guarded.category is not None}
    cited, by = _cited_in(spoken.text, sources), question.decided_by(RESPONDER.name)
    answered = state.answered(spoken.text, (one.ref for one in cited), by, f"{len(cited)} sources cited")
    return answered.model_copy(update={"flags": tuple(flag for flag, holds in flags.items() if holds)})


def _quoted(
    question: Question, state: SearchState, sources: Sources, guard: OutputGuard, content: Content, why: str
) -> SearchState:
    """Quote the best passage, or those that the question names; without what an upload orders a model to do."""
    tools = {run.call.tool for run in state.runs if run.found}
    quoted = sources.all[: max((_QUOTED_AFTER.get(tool, 1) for tool in tools), default=1)]
    if question.own:
        quoted = tuple(filter(None, (_without_orders(one, content) for one in quoted)))
    if not quoted:
        return _said(question, state, question.unknown, f"{why}; only orders were found")
    parts = [
        question.messages.quoted(_headline(one), _shortened(one.passage.text))
        if place == 0
        else f"{_headline(one)}\n“{_shortened(one.passage.text)}”"
        for place, one in enumerate(quoted)
    ]
    text = "\n\n".join(parts)
    if question.own:  # what a user uploaded may hold anything
        text = verbatim(guard).over(text).text
    question.turn.scope.emit(Replace(text=text))
    answered = state.answered(text, (one.ref for one in quoted), DecidedBy.SAFE_DEFAULT, f"{why}; quoted by code")
    return answered.model_copy(update={"flags": (DEGRADED,)})


def _without_orders(source: Source, content: Content) -> Source | None:
    """Return a source without the sentences that are addressed to a model; None if nothing else stands there."""
    rules, passage = content.text_rules, source.passage
    text = rules.without_instructions(passage.text)
    title = "" if rules.instructive(passage.title) else passage.title
    if not text.text.strip():
        return None
    told = f"{text.text} {_LEFT_OUT}" if text.dropped else text.text
    return replace(source, passage=passage.model_copy(update={"text": told, "title": title}))


def _said(question: Question, state: SearchState, text: str, reason: str) -> SearchState:
    question.turn.scope.emit(Token(text=text))
    return state.answered(text, (), DecidedBy.RULE, reason)


def _saying(question: Question, state: SearchState) -> Saying:
    if any(decision.verdict is Verdict.OUT_OF_SCOPE for decision in state.decisions):
        return Saying.OUT_OF_SCOPE
    if question.words.greets(question.text):
        return Saying.HELLO
    return Saying.THANKS if question.words.thanks(question.text) else Saying.DIRECT


def _outline(question: Question) -> str:
    document = question.library.document
    entries = [f"{label_of(one, document.locale)} {one.title}".strip() for one in outline(document)]
    rest = len(entries) - _MOST_ENTRIES
    listed = "\n".join(entries[:_MOST_ENTRIES]) + (f"\n… (+{rest})" if rest > 0 else "")
    return question.messages.outline(document.title, listed)


def _history(question: Question) -> tuple[ModelMessage, ...]:
    lines = question.earlier
    while lines and lines[0].speaker != "user":
        lines = lines[1:]
    before = [
        ModelMessage(role="user" if line.speaker == "user" else "model", text=as_message(line.text)) for line in lines
    ]
    return (*before, ModelMessage(role="user", text=as_message(excerpt(question.text, MAX_TEXT))))


def _enter_check(question: Question, guard: CitedGuard) -> None:
    left_out = Counter(fault.value for fault in guard.checked.faults)
    if left_out:
        question.turn.scope.ledger.ruled(CITATION_CHECK, dict(left_out), f"{left_out.total()} sentences left out")


def _cited_in(text: str, sources: Sources) -> list[Source]:
    places = {one.label: _place(text, one.label) for one in sources.all}
    return sorted((one for one in sources.all if places[one.label] >= 0), key=lambda one: places[one.label])


def _place(text: str, label: str) -> int:
    found = [text.find(f"{before}{label}{after}") for before in ("[", ", ") for after in ("]", ",")]
    return min((place for place in found if place >= 0), default=-1)


def _headline(source: Source) -> str:
    return f"[{source.label}] {source.passage.title}".strip()


def _shortened(text: str) -> str:
    if len(text) <= LONGEST_QUOTE:
        return text
    head = text[:LONGEST_QUOTE]
    return (head.rpartition("\n")[0] or head.rpartition(" ")[0] or head).rstrip() + " …"


def answer_guard(question: Question, sources: Sources, content: Content, *, noticed: bool) -> OutputGuard:
    """Return the guard of an answer from these sources."""
    turn = question.turn
    rules = _rules_for_documents(content)
    guard = reply_guard(turn, turn.state, content.safe_endings, rules, Situation(noticed=noticed))
    read = "\n".join(f"{one.passage.title}\n{one.passage.text}" for one in sources.all)
    guard.situation = replace(guard.situation, said=f"{guard.situation.said}\n{read}")
    return guard


def verbatim(guard: OutputGuard) -> OutputGuard:
    """Return the guard for a document's own words, whose register is not ours."""
    guard.situation = replace(guard.situation, register=None)
    return guard


@cache
def _rules_for_documents(content: Content) -> GuardRules:
    rules = content.guard_rules
    return GuardRules(
        rules=tuple(rule for rule in rules.rules if rule.category not in OF_DOCUMENTS), shared=rules.shared
    )
