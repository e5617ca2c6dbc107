"""The state of one search for an answer, and its steps as pure functions: which node follows, what each one changes.

The order: scope → tool need → (planner → executor → evaluator) up to five times → respond.
"""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from typing import Self

from pydantic import Field

from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.tool_calls import ToolCall, ToolName
from shared.domain.agreement.tools import PassageRef, ToolResult
from shared.domain.turn import DecidedBy
from shared.model import Model

MOST_ROUNDS = 5
MOST_READ = 12
"""Passages that one answer may rest on; later ones are not read."""


class Node(StrEnum):
    """The nodes of the loop."""

    SCOPE = "scope"
    TOOL_NEED = "check_tool_needed"
    PLANNER = "planner"
    EXECUTOR = "executor"
    EVALUATOR = "evaluator"
    RESPOND = "respond"


class Verdict(StrEnum):
    """What a node decided."""

    IN_SCOPE = "in_scope"
    OUT_OF_SCOPE = "out_of_scope"
    USE_TOOLS = "use_tools"
    DIRECT_RESPONSE = "direct_response"
    CALL = "call"
    NO_CALL = "no_call"
    EXECUTED = "executed"
    CONTINUE = "continue"
    FINISH = "finish"
    ANSWERED = "answered"


class Decision(Model):
    """An entry of the decision log.

    Attributes:
        round: The round, counted from 1; 0 before the first.
        what: The calls that were planned or run, by their signatures.
    """

    node: Node
    verdict: Verdict
    by: DecidedBy
    reason: str = ""
    round: int = 0
    what: tuple[str, ...] = ()


class ToolRun(Model):
    """A tool that was run.

    Attributes:
        tries: How often it was tried; more than once after errors.
        error: Why it failed, if its last try did.
    """

    call: ToolCall
    found: tuple[PassageRef, ...] = ()
    note: str = ""
    tries: int = Field(default=1, ge=1)
    error: str | None = None


class SearchState(Model):
    """The search, after its newest node.

    Attributes:
        question_digest: Of the message, so that a kept state is not taken for another one's.
        done: The newest finished node.
        needs_tools: Read with the scope, if a model was asked; the next node decides.
        missing: What the evaluator missed.
        answer: The answer, once it is written.
        flags: For the client: `degraded`, …
    """

    document_id: str
    document_version: str
    question_digest: str
    done: Node | None = None
    needs_tools: bool | None = None
    round: int = Field(default=0, ge=0)
    planned: tuple[ToolCall, ...] = ()
    runs: tuple[ToolRun, ...] = ()
    read: tuple[PassageRef, ...] = ()
    outlined: bool = False
    missing: str = ""
    decisions: tuple[Decision, ...] = ()
    answer: str | None = None
    cited: tuple[PassageRef, ...] = ()
    flags: tuple[str, ...] = ()

    @classmethod
    def begin(cls, document: AgreementDocument, question: str) -> Self:
        digest = hashlib.sha256(question.encode(errors="surrogatepass")).hexdigest()
        return cls(document_id=document.id, document_version=document.version, question_digest=digest)

    def continues(self, other: "SearchState") -> bool:
        """Whether this kept state is of the same question on the same text as a fresh one."""
        mine = (self.document_id, self.document_version, self.question_digest)
        return mine == (other.document_id, other.document_version, other.question_digest)

    @property
    def signatures(self) -> frozenset[str]:
        """The calls that were run."""
        return frozenset(run.call.signature for run in self.runs)

    @property
    def verdict(self) -> Verdict | None:
        """What the newest node decided."""
        return self.decisions[-1].verdict if self.decisions else None

    @property
    def following(self) -> Node | None:
        """The node that follows; None at the end."""
        match self.done:
            case None:
                return Node.SCOPE
            case Node.SCOPE:
                return Node.RESPOND if self.verdict is Verdict.OUT_OF_SCOPE else Node.TOOL_NEED
            case Node.TOOL_NEED:
                return Node.RESPOND if self.verdict is Verdict.DIRECT_RESPONSE else Node.PLANNER
            case Node.PLANNER:
                return Node.EXECUTOR if self.planned else Node.RESPOND
            case Node.EXECUTOR:
                return Node.EVALUATOR
            case Node.EVALUATOR:
                return Node.PLANNER if self.verdict is Verdict.CONTINUE else Node.RESPOND
            case Node.RESPOND:
                return None

    @property
    def searched(self) -> bool:
        """Whether the question is answered from the document, not by a fixed sentence."""
        verdicts = {decision.verdict for decision in self.decisions}
        return not verdicts & {Verdict.OUT_OF_SCOPE, Verdict.DIRECT_RESPONSE}

    @property
    def sufficient(self) -> bool:
        """Whether what was read was found enough for an answer; the end of the rounds does not say so."""
        judged = [decision.verdict for decision in self.decisions if decision.node is Node.EVALUATOR]
        return judged[-1:] == [Verdict.FINISH] and self.round < MOST_ROUNDS

    def fresh(self, call: ToolCall) -> tuple[ToolCall, ...]:
        """Return the parts of a call that were not run before; the first search comes with the structure."""
        calls = call.parts
        if call.tool is ToolName.SEARCH and not self.runs:
            calls = (ToolCall(tool=ToolName.STRUCTURE), *calls)
        return tuple(one for one in dict.fromkeys(calls) if one.signature not in self.signatures)

    def scoped(self, verdict: Verdict, by: DecidedBy, reason: str, *, needs_tools: bool | None) -> Self:
        decided = self.decided(Node.SCOPE, verdict, by, reason)
        return decided.model_copy(update={"needs_tools": needs_tools})

    def routed(self, verdict: Verdict, by: DecidedBy, reason: str) -> Self:
        return self.decided(Node.TOOL_NEED, verdict, by, reason)

    def planning(self, calls: Iterable[ToolCall], by: DecidedBy, reason: str) -> Self:
        """Return the state with the next calls; no call is run twice, and no calls end the search."""
        new = tuple(one for one in calls if one.signature not in self.signatures)
        began = self.model_copy(update={"round": self.round + 1, "planned": new})
        verdict = Verdict.CALL if new else Verdict.NO_CALL
        return began.decided(Node.PLANNER, verdict, by, reason, (one.signature for one in new))

    def executed(self, runs: Iterable[ToolRun], results: Iterable[ToolResult]) -> Self:
        ran, found = tuple(runs), tuple(results)
        read = tuple(dict.fromkeys((*self.read, *(ref for one in found for ref in one.read))))[:MOST_READ]
        changed = self.model_copy(
            update={
                "planned": (),
                "runs": (*self.runs, *ran),
                "read": read,
                "outlined": self.outlined or any(one.outlined for one in found),
            }
        )
        told = "; ".join(f"{one.call.tool.value}: {one.error or one.note}" for one in ran)
        what = (one.call.signature for one in ran)
        return changed.decided(Node.EXECUTOR, Verdict.EXECUTED, DecidedBy.RULE, told, what)

    def evaluated(self, verdict: Verdict, by: DecidedBy, reason: str, missing: str = "") -> Self:
        if verdict is Verdict.CONTINUE and self.round >= MOST_ROUNDS:
            verdict, reason = Verdict.FINISH, f"{MOST_ROUNDS} rounds; {reason}"
        decided = self.decided(Node.EVALUATOR, verdict, by, reason)
        return decided.model_copy(update={"missing": missing})

    def answered(self, answer: str, cited: Iterable[PassageRef], by: DecidedBy, reason: str) -> Self:
        decided = self.decided(Node.RESPOND, Verdict.ANSWERED, by, reason)
        return decided.model_copy(update={"answer": answer, "cited": tuple(dict.fromkeys(cited))})

    def decided(self, node: Node, verdict: Verdict, by: DecidedBy, reason: str, what: Iterable[str] = ()) -> Self:
        """Return the state after a node, with an entry in the decision log."""
        entry = Decision(node=node, verdict=verdict, by=by, reason=reason, round=self.round, what=tuple(what))
        return self.model_copy(update={"done": node, "decisions": (*self.decisions, entry)})
