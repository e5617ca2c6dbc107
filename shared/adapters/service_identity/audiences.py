"""Patterns of accepted token audiences."""

import re
from collections.abc import Iterable

_FILLING = "[A-Za-z0-9_-]+"


class Audiences:
    """Patterns of audiences, matched as a whole.

    `*` stands for letters, digits, `-` and `_`: part of a host's label, such as Cloud Run's hash, or of a path segment,
    without dots and slashes. Other characters are literal.

    A pattern that is an origin matches every address of that origin: Eventarc names the function with a path or query
    in some setups, and the account, not the path, decides who may call.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile the patterns; without any, no audience matches."""
        self._patterns = [_compiled(pattern) for pattern in patterns]

    def __contains__(self, audience: object) -> bool:
        """Tell whether a token with this audience is accepted."""
        return isinstance(audience, str) and any(pattern.fullmatch(audience) for pattern in self._patterns)


_ORIGIN = re.compile(r"https?://[^/?#]+")
_WITHIN_ORIGIN = r"(?:[/?][!-~]*)?"
"""The rest of an address: nothing, or a path or query of printable ASCII."""


def _compiled(pattern: str) -> re.Pattern[str]:
    rest = _WITHIN_ORIGIN if _ORIGIN.fullmatch(pattern) else ""
    return re.compile(_FILLING.join(re.escape(part) for part in pattern.split("*")) + rest)
