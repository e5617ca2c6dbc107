"""Plans a call's answer: its tokens and its ending."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from local.gemini.faults import Fault, Injection
from local.gemini.problems import ApiProblem
from local.gemini.protocol import GenerateRequest
from local.gemini.tokens import split_tokens

_NOT_JSON = "죄송합니다. 이번에는 문장으로 답해 드릴게요."
_CUT_AFTER = 3

REFUSALS = {
    Fault.RATE_LIMIT: (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    Fault.SERVER_ERROR: (500, "INTERNAL", "An internal error has occurred. Please retry."),
    Fault.UNAVAILABLE: (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    Fault.DEADLINE: (504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
    Fault.BAD_REQUEST: (400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
    Fault.MODEL_GONE: (404, "NOT_FOUND", "This model is no longer available."),
    Fault.FORBIDDEN: (403, "PERMISSION_DENIED", "Your project has been denied access. Please contact support."),
    Fault.LOCATION: (400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
}
NO_ACCESS = frozenset({Fault.MODEL_GONE, Fault.FORBIDDEN, Fault.LOCATION})
"""Faults that also affect a request for a model's entry."""


class Ending(StrEnum):
    FINISH = "finish"
    BLOCKED_PROMPT = "blocked_prompt"
    """The prompt was blocked."""
    UNFINISHED = "unfinished"
    """Without a finish reason."""
    HANG = "hang"
    """It never begins."""
    CUT = "cut"
    """The connection drops."""
    ERROR = "error"
    """An error object."""
    GARBAGE = "garbage"
    """Something other than JSON."""


_ENDINGS = {
    Fault.CUT_STREAM: Ending.CUT,
    Fault.UNFINISHED: Ending.UNFINISHED,
    Fault.ERROR_IN_STREAM: Ending.ERROR,
}


@dataclass(frozen=True)
class Plan:
    """The answer of a call.

    Attributes:
        thoughts: Thought tokens before the first piece.
        slow_from: Index of the first token that takes `slow_ms` instead of the latency model's time.
    """

    pieces: tuple[str, ...]
    ending: Ending = Ending.FINISH
    finish: str = "STOP"
    thoughts: int = 0
    slow_from: int | None = None
    slow_ms: float = 0


def plan_for(request: GenerateRequest, answer: Callable[[], str], injection: Injection | None) -> Plan:
    """Plan the answer of a call.

    Args:
        request: The request.
        answer: Returns the normal answer; called only if it is needed.
        injection: The fault, if any.

    Raises:
        ApiProblem: The fault is a refusal.
    """
    fault = injection.fault if injection else None
    if injection is not None and fault in REFUSALS:
        raise ApiProblem(*REFUSALS[fault], retry_s=injection.retry_s if fault is Fault.RATE_LIMIT else None)
    replaced = _replaced(request, fault)
    if replaced is not None:
        return replaced
    pieces = split_tokens(answer())
    if injection is not None:
        return _spoiled(pieces, injection)
    thoughts = min(request.thought_tokens, request.max_output_tokens)
    room = request.max_output_tokens - thoughts
    if len(pieces) > room:
        return Plan(pieces[:room], finish="MAX_TOKENS", thoughts=thoughts)
    return Plan(pieces, thoughts=thoughts)


def _replaced(request: GenerateRequest, fault: Fault | None) -> Plan | None:
    match fault:
        case Fault.HANG:
            return Plan((), Ending.HANG)
        case Fault.BLOCKED_PROMPT:
            return Plan((), Ending.BLOCKED_PROMPT)
        case Fault.EMPTY:
            return Plan(("",))
        case Fault.NOT_JSON:
            return Plan(split_tokens(_NOT_JSON))
        case Fault.WRONG_SCHEMA:
            needs_keys = bool((request.schema or {}).get("required"))
            return Plan(split_tokens(json.dumps({"unexpected": True} if needs_keys else ["unexpected"])))
        case _:
            return None


def _spoiled(pieces: tuple[str, ...], injection: Injection) -> Plan:
    after = injection.after_tokens
    match injection.fault:
        case Fault.BLOCKED_ANSWER:
            return Plan(pieces[: after or 0], finish="SAFETY")
        case Fault.MAX_TOKENS:
            return Plan(pieces[: len(pieces) // 2 if after is None else after], finish="MAX_TOKENS")
        case Fault.CUT_JSON:
            return Plan(pieces[: len(pieces) // 2 if after is None else after])
        case Fault.GARBAGE_BODY:
            return Plan(pieces[: after or 0], Ending.GARBAGE)
        case Fault.DRIP_STREAM:
            return Plan(pieces, slow_from=after or 0, slow_ms=injection.delay_ms)
        case _:
            return Plan(pieces[: _CUT_AFTER if after is None else after], _ENDINGS[injection.fault])
