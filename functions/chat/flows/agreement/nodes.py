"""The nodes of the search before the answer: rules first, then a model, then what is safe without one."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

from functions.chat.flows.agreement.agents import (
    EVALUATOR,
    TOOL_PLANNER,
    TRIAGE,
    EvaluatorInput,
    PlannerInput,
    TriageInput,
)
from functions.chat.flows.agreement.question import Question
from shared.domain.agreement.citing import label_of
from shared.domain.agreement.numbers import article_numbers, exhibit_numbers
from shared.domain.agreement.search import Fusion
from shared.domain.agreement.search_state import MOST_ROUNDS, SearchState, ToolRun, Verdict
from shared.domain.agreement.tool_calls import ToolArgs, ToolCall, ToolName
from shared.domain.agreement.tools import ToolResult, outline, run_tool
from shared.domain.errors import CBotError, LeaseLost, ModelError, ModelTimeout, StoreError
from shared.domain.turn import DecidedBy
from shared.ports.embedder import Embedded
from shared.services.nearest_passages import NearestPassages, embedding_run

EMBEDDER = "embedder"
"""Agent name in the turn record; its runs by `safe_default` are searches by words alone."""
WITHIN_S = 1.0
"""Seconds that a search waits for embeddings."""


class EmbeddingTools:
    """The tools with hybrid search; a `Tools` of the loop."""

    def __init__(self, nearest: NearestPassages, fusion: Fusion, within_s: float = WITHIN_S) -> None:
        self._nearest = nearest
        self._fusion = fusion
        self._within_s = within_s

    async def __call__(self, question: Question, call: ToolCall) -> ToolResult:
        """Run a tool; a model that fails or is late costs the search its embeddings only."""
        library = question.library
        queries = tuple(dict.fromkeys(query for topic in call.args.topics for query in topic.queries if query.strip()))
        if call.tool is not ToolName.SEARCH or not queries or not question.may_ask:
            return run_tool(library, call)
        await question.turn.scope.permit()
        began = monotonic()
        try:
            user_id = question.turn.state.user_id
            found = await self._nearest.find(library.document, queries, self._within_s, user_id)
        except (ModelError, StoreError) as error:
            self._enter(question, began, error)
            return run_tool(library, call)
        except TimeoutError:
            self._enter(question, began, ModelTimeout("not in time"))
            return run_tool(library, call)
        self._enter(question, began, found.asked)
        by_query = dict(zip(queries, found.near, strict=True))
        near = [[by_query[query] for query in topic.queries if query in by_query] for topic in call.args.topics]
        return run_tool(library, call, near, self._fusion)

    def _enter(self, question: Question, began: float, outcome: Embedded | CBotError) -> None:
        """Enter the questions' embeddings in the ledger; the passages' belong to no turn."""
        turn = question.turn
        turn.runner.enter(embedding_run(EMBEDDER, self._nearest.model, began, outcome), turn.scope)


MOST_TRIES = 3
"""The first try of a tool and two more after errors."""
_MOST_ENTRIES = 80
"""Entries of the structure that the planner sees."""
_RULE = DecidedBy.RULE

Tools = Callable[[Question, ToolCall], Awaitable[ToolResult]]
"""Runs a tool; one that needs embeddings asks for them."""


async def plain_tools(question: Question, call: ToolCall) -> ToolResult:
    """Run a tool by words alone."""
    return run_tool(question.library, call)


async def scope(question: Question, state: SearchState) -> SearchState:
    """Decide whether the question is about the document; a model that is asked says too whether tools are needed."""
    words, text = question.words, question.text
    if words.greets(text) or words.thanks(text):
        return state.scoped(Verdict.IN_SCOPE, _RULE, "greets or thanks", needs_tools=None)
    if words.needs_document(text):
        return state.scoped(Verdict.IN_SCOPE, _RULE, "names what an agreement says", needs_tools=None)
    if question.in_document:
        return state.scoped(Verdict.IN_SCOPE, _RULE, "its words stand in the document", needs_tools=None)
    if not question.may_ask:
        return state.scoped(Verdict.IN_SCOPE, DecidedBy.SAFE_DEFAULT, "no request or time left", needs_tools=True)
    given = TriageInput(text=text, document_title=question.library.document.title, earlier=question.earlier)
    found = await question.turn.runner.ask(TRIAGE, given, question.turn.scope)
    verdict = Verdict.IN_SCOPE if found.in_scope else Verdict.OUT_OF_SCOPE
    return state.scoped(verdict, question.decided_by(TRIAGE.name), found.reason, needs_tools=found.needs_tools)


async def tool_need(question: Question, state: SearchState) -> SearchState:
    """Decide whether the document must be read."""
    words, text = question.words, question.text
    if words.greets(text) or words.thanks(text):
        return state.routed(Verdict.DIRECT_RESPONSE, _RULE, "greets or thanks")
    if state.needs_tools is None:
        return state.routed(Verdict.USE_TOOLS, _RULE, state.decisions[-1].reason)
    by = state.decisions[-1].by
    return state.routed(Verdict.USE_TOOLS if state.needs_tools else Verdict.DIRECT_RESPONSE, by, "read with the scope")


async def planner(question: Question, state: SearchState) -> SearchState:
    """Choose the next calls: by rule where the question or what is missing names them, else by the model."""
    ruled = _ruled_call(question, state)
    if ruled is not None and (calls := state.fresh(ruled)):
        return state.planning(calls, _RULE, "the words name it")
    if not question.may_ask:
        return _without_model(question, state, "no request or time left")
    document = question.library.document
    # A model that sees the titles finds the article of a question that shares no word with it (decision 0047).
    entries = outline(document)[:_MOST_ENTRIES]
    given = PlannerInput(
        text=question.text,
        document_title=document.title,
        round=state.round + 1,
        most_rounds=MOST_ROUNDS,
        outline=tuple(f"{label_of(one, document.locale)} {one.title}".strip() for one in entries),
        done=question.done(state),
        read=tuple(source.label for source in question.sources(state).all),
        missing=state.missing,
        earlier=question.earlier,
    )
    plan = await question.turn.runner.ask(TOOL_PLANNER, given, question.turn.scope)
    by = question.decided_by(TOOL_PLANNER.name)
    if by is DecidedBy.SAFE_DEFAULT:
        return _without_model(question, state, "the planner failed")
    calls = state.fresh(plan.call) if plan.call else ()
    if plan.call and not calls:
        return state.planning((), _RULE, f"refused, run before: {plan.call.signature}")
    return state.planning(calls, by, plan.reason)


async def executor(question: Question, state: SearchState, tools: Tools) -> SearchState:
    """Run the planned calls in parallel."""
    done = await asyncio.gather(*(_run(question, call, tools) for call in state.planned))
    return state.executed((run for run, _ in done), (result for _, result in done))


async def evaluator(question: Question, state: SearchState) -> SearchState:
    """Decide whether what was read is enough."""
    if (reason := _plainly_enough(question, state)) is not None:
        return state.evaluated(Verdict.FINISH, _RULE, reason)
    if state.round >= MOST_ROUNDS:
        return state.evaluated(Verdict.FINISH, _RULE, f"{MOST_ROUNDS} rounds")
    if not state.read:
        return state.evaluated(Verdict.CONTINUE, _RULE, "nothing was read yet")
    if not question.may_ask:
        return state.evaluated(Verdict.FINISH, DecidedBy.SAFE_DEFAULT, "no request or time left")
    given = EvaluatorInput(
        text=question.text,
        round=state.round,
        most_rounds=MOST_ROUNDS,
        passages=question.passages(state),
        done=question.done(state),
    )
    found = await question.turn.runner.ask(EVALUATOR, given, question.turn.scope)
    verdict = Verdict.FINISH if found.sufficient else Verdict.CONTINUE
    return state.evaluated(verdict, question.decided_by(EVALUATOR.name), found.reason, found.missing)


async def _run(question: Question, call: ToolCall, tools: Tools) -> tuple[ToolRun, ToolResult]:
    error = ""
    for tries in range(1, MOST_TRIES + 1):
        try:
            result = await tools(question, call)
        except LeaseLost:
            raise
        except (CBotError, ValueError) as failure:
            error = failure.code if isinstance(failure, CBotError) else type(failure).__name__
            continue
        return ToolRun(call=call, found=result.read, note=result.note, tries=tries), result
    return ToolRun(call=call, tries=MOST_TRIES, error=error), ToolResult()


def _ruled_call(question: Question, state: SearchState) -> ToolCall | None:
    if not state.round:
        words, text = question.words, question.text
        return (
            None
            if question.follows
            else words.first_call(text) or (words.search(text) if question.in_document else None)
        )
    args = ToolArgs(article_numbers=article_numbers(state.missing), exhibit_numbers=exhibit_numbers(state.missing))
    return None if args == ToolArgs() else ToolCall(tool=ToolName.BY_INDEX, args=args)


def _without_model(question: Question, state: SearchState, reason: str) -> SearchState:
    call = question.words.search(question.text)
    calls = state.fresh(call) if call is not None and not state.read else ()
    return state.planning(calls, DecidedBy.SAFE_DEFAULT, reason)


def _plainly_enough(question: Question, state: SearchState) -> str | None:
    words, text = question.words, question.text
    tools = {run.call.tool for run in state.runs}
    if tools == {ToolName.STRUCTURE} and words.asks_structure(text):
        return "the structure was asked for"
    if tools == {ToolName.BY_INDEX} and state.round == 1 and not words.compares(text):
        named = article_numbers(text) or exhibit_numbers(text)
        return "all that the question names was looked up" if named else None
    if ToolName.STANDARD in tools and words.compares(text) and state.read:
        return "both documents were read"
    return None
