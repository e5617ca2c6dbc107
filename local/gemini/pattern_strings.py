"""Strings that match a regular expression, best effort: shortest repetitions, first branches."""

import importlib
import re
from typing import Any

# The only regex parser in the standard library, and private: hence by name, and only in a simulator.
_PARSER: Any = importlib.import_module("re._parser")
_SAMPLES = "0a_ A-.가!\n"


def string_matching(pattern: str, shortest: int, longest: int, variant: int) -> str:
    """Make a string that `pattern` finds itself in, of `shortest` to `longest` characters.

    `variant` takes other characters of a class, or more repetitions. Where nothing fits (look-arounds, back
    references), the nearest try comes back: then the answer does not fit the schema, which callers of a
    model must bear anyway.
    """
    parsed = _PARSER.parse(pattern)
    best = ""
    for extra in range(max(shortest, 8) + 1):
        for shift in (variant, variant // 2, 0):
            best = _Maker(extra, shift).sequence(parsed)
            if not pattern.startswith("^"):
                best = best.ljust(shortest, "0")
            if shortest <= len(best) <= longest and re.search(pattern, best):
                return best
    return best


class _Maker:
    """Writes one string: `extra` more repetitions than needed, classes shifted by `shift`."""

    def __init__(self, extra: int, shift: int) -> None:
        self._extra = extra
        self._shift = shift

    def sequence(self, nodes: Any) -> str:
        return "".join(self._node(str(kind), value) for kind, value in nodes)

    def _node(self, kind: str, value: Any) -> str:
        match kind:
            case "IN":
                return self._one_of(value)
            case "LITERAL" | "CATEGORY":
                return self._one_of([(kind, value)])
            case "ANY" | "NOT_LITERAL":
                return next(c for c in _SAMPLES if ord(c) != value)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, inner = value
                return "".join(self.sequence(inner) for _ in range(min(low + self._extra, int(high))))
            case "SUBPATTERN" | "ATOMIC_GROUP":
                return self.sequence(value[-1] if kind == "SUBPATTERN" else value)
            case "BRANCH":
                return self.sequence(value[1][self._shift % len(value[1])])
            case _:
                return ""

    def _one_of(self, members: Any) -> str:
        pool = [c for member in members for c in _characters(*member)]
        if str(members[0][0]) == "NEGATE":
            pool = [c for c in _SAMPLES if c not in pool]
        return pool[self._shift % len(pool)] if pool else ""


def _characters(kind: Any, value: Any) -> list[str]:
    match str(kind):
        case "LITERAL":
            return [chr(value)]
        case "RANGE":
            return [chr(code) for code in range(value[0], min(value[1], value[0] + 30) + 1)]
        case "CATEGORY":
            name = str(value).removeprefix("CATEGORY_")
            plain = {"DIGIT": "0123456789", "SPACE": " \n", "WORD": "a0_가bcdefgh"}
            if name in plain:
                return list(plain[name])
            return [
                c
                for c in _SAMPLES
                if c not in plain[name.removeprefix("NOT_")] and not ("WORD" in name and c.isalnum())
            ]
        case _:
            return []
