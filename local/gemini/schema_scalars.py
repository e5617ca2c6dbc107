"""Strings and numbers that a JSON schema allows."""

import math
import re

from local.gemini.json_types import JsonObject
from local.gemini.pattern_strings import string_matching

_WORD = "데모"
_FORMATS = {
    "date-time": "2026-01-01T00:00:0{}Z",
    "date": "2026-01-0{}",
    "time": "00:00:0{}Z",
    "duration": "PT{}S",
    "email": "demo{}@example.com",
    "uri": "https://example.com/{}",
    "url": "https://example.com/{}",
    "uuid": "00000000-0000-4000-8000-00000000000{}",
    "uuid4": "00000000-0000-4000-8000-00000000000{}",
    "ipv4": "127.0.0.{}",
    "ipv6": "::{}",
}


def string_for(schema: JsonObject, variant: int) -> str:
    """Make a short string: of the format, matching the pattern (best effort), within the lengths."""
    form = schema.get("format")
    if isinstance(form, str) and form in _FORMATS:
        return _FORMATS[form].format(variant % 9 + 1)
    shortest = int(limit(schema, "minLength") or 0)
    most = limit(schema, "maxLength")
    longest = max(shortest, 20) if most is None else int(most)
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        return string_matching(pattern, shortest, longest, variant)
    tail = str(variant) if variant else ""
    return (_WORD[: max(longest - len(tail), 0)] + tail).ljust(shortest, ".")[:longest]


def number_for(schema: JsonObject, variant: int, *, whole: bool) -> float | int:
    """Make the smallest allowed number, or zero where there is no lower bound; `variant` counts up."""
    low, high = _bounds(schema, whole=whole)
    step = limit(schema, "multipleOf") or (1 if whole or high is None else _fraction(low, high))
    start = low if low is not None else 0 if high is None or high >= 0 else high
    if schema.get("multipleOf") is not None:
        start = math.ceil(start / step) * step
        if high is not None and start > high:
            start = math.floor(high / step) * step
    value = start + variant * step
    if high is not None and value > high:
        value = start - variant * step if low is None else start
    return round(value) if whole else value


def _bounds(schema: JsonObject, *, whole: bool) -> tuple[float | None, float | None]:
    """The inclusive bounds."""
    low, high = limit(schema, "minimum"), limit(schema, "maximum")
    above, below = limit(schema, "exclusiveMinimum"), limit(schema, "exclusiveMaximum")
    if whole:
        lows = [math.ceil(low)] if low is not None else []
        highs = [math.floor(high)] if high is not None else []
        lows += [math.floor(above) + 1] if above is not None else []
        highs += [math.ceil(below) - 1] if below is not None else []
        return max(lows, default=None), min(highs, default=None)
    if above is not None:
        ceiling = min([b for b in (high, below) if b is not None], default=above + 2)
        low = max(above + min((ceiling - above) / 2, 1), low if low is not None else above)
    if below is not None:
        inside = math.nextafter(below, -math.inf) if low is not None else below - 1
        high = min(inside, high if high is not None else inside)
    return low, high


def _fraction(low: float | None, high: float) -> float:
    return (high - low) / 1000 if low is not None and high > low else 1.0


def limit(schema: JsonObject, key: str) -> float | None:
    """The number at `key`; None where there is none."""
    value = schema.get(key)
    # OpenAPI writes int64 limits as strings.
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
