"""Runs the search with embeddings too, where they come in time; else by words alone."""

from time import monotonic

from functions.chat.flows.agreement.question import Question
from shared.domain.agreement.search import Fusion
from shared.domain.agreement.tool_calls import ToolCall, ToolName
from shared.domain.agreement.tools import ToolResult, run_tool
from shared.domain.errors import CBotError, ModelError, ModelTimeout, StoreError
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
