"""The allowed fields of log lines and their values: ids, codes and numbers, never text."""

import math
import re
from collections.abc import Mapping
from typing import TypedDict, get_type_hints

Value = str | int | float | bool | tuple[str, ...]

CODE = re.compile(r"[A-Za-z0-9_.:/-]{1,128}", re.ASCII)
"""Ids, codes, versions, model names. Without spaces, `@` and non-ASCII letters, so that sentences and addresses do not
fit."""
MOST_IN_A_LIST = 20


class Fields(TypedDict, total=False):
    """The allow-list; docs/observability.md explains each field and must list new ones."""

    agent: str
    agents: int
    attempt: int
    attempts: int
    cache: str
    conversation: str
    cost_krw: float
    crisis: str
    cut: int
    decided_by: str
    degraded: bool
    document: str
    erasures: int
    failed: int
    first_token_ms: float
    flow: str
    guarded: str
    handed_over: int
    hook: str
    instructive: int
    kind: str
    latency_ms: float
    level: str
    method: str
    model: str
    model_calls: int
    output_tokens: int
    overhead_ms: float
    prompt: str
    prompt_tokens: int
    result: str
    route: str
    rule: str
    rules: tuple[str, ...]
    safe_defaults: int
    seconds: float
    seq: int
    task: str
    thought_tokens: int
    total_ms: float
    turns: int
    unsourced: int
    withdrawals: int
    woken: int


_TYPES: Mapping[str, object] = {**get_type_hints(Fields), "error": str}


def checked(fields: Mapping[str, object]) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Return the allowed fields, and the names of the dropped ones; None counts as not given."""
    kept: dict[str, Value] = {}
    dropped: list[str] = []
    for name, given in fields.items():
        if given is None:
            continue
        value = _fitting(_TYPES.get(name), given)
        if value is None:
            dropped.append(name if CODE.fullmatch(name) else "?")
        else:
            kept[name] = value
    return kept, tuple(dropped)


def _fitting(expected: object, given: object) -> Value | None:
    if expected is str:
        return code(given)
    if expected is bool:
        return given if isinstance(given, bool) else None
    if expected in (int, float):
        return number(given)
    if expected == tuple[str, ...] and isinstance(given, tuple | list):
        codes = [code(one) for one in given[:MOST_IN_A_LIST]]
        return tuple(one for one in codes if one is not None) if None not in codes else None
    return None


def code(given: object) -> str | None:
    """Return a string that is an id or a code; None for anything else."""
    return str(given) if isinstance(given, str) and CODE.fullmatch(given) else None


def number(given: object) -> int | float | None:
    """Return a finite number, rounded to four digits; None for anything else."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return given if isinstance(given, int) else round(given, 4)
