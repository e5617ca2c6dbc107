"""JSON as in RFC 8259 and I-JSON (RFC 7493), without ambiguities."""

import json
import math
from collections.abc import Iterator

from pydantic import JsonValue

from shared.web.errors import InvalidJson


def parse(body: bytes) -> JsonValue:
    """Return the value in a body.

    Raises:
        InvalidJson: Not UTF-8, not JSON, a duplicate key, NaN or infinity, or nested too deeply.
    """
    try:
        value: JsonValue = json.loads(
            body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refused, parse_float=_finite
        )
    except UnicodeDecodeError:
        raise InvalidJson("not UTF-8") from None
    except RecursionError:
        raise InvalidJson("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise InvalidJson(f"line {error.lineno}, column {error.colno}") from None
    except ValueError:  # Python refuses numbers of thousands of digits
        raise InvalidJson("number too long") from None
    return value


def texts(value: JsonValue) -> Iterator[str]:
    """Yield every text in a value, keys included; iterative, since a value may be nested deeply."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            yield from item
            waiting.extend(item.values())


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJson("a key stands twice in one object")
    return found


def _refused(_constant: str) -> JsonValue:
    raise InvalidJson("NaN and infinity are not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidJson("number too large")
    return number
