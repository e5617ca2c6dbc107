"""What a token may be meant for, as patterns."""

import re
from collections.abc import Iterable

_FILLING = "[A-Za-z0-9_-]+"


class Audiences:
    """Patterns of audiences. Each must match the whole; all but `*` stands for itself.

    `*` stands for letters, digits, `-` and `_`: it fills in a part of a host's label, as the hash that Cloud Run puts
    there, or of a path's segment, and reaches over no dot and no slash.

    A pattern that is an origin, without a path, matches every address of that origin: Eventarc names the function with
    a path or a query in some setups, and who may call at all is told by the account, not by the path.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take the patterns; without any, no audience matches."""
        self._patterns = [_compiled(pattern) for pattern in patterns]

    def __contains__(self, audience: object) -> bool:
        """Tell whether a token with this audience is meant for us."""
        return isinstance(audience, str) and any(pattern.fullmatch(audience) for pattern in self._patterns)


_ORIGIN = re.compile(r"https?://[^/?#]+")
_WITHIN_ORIGIN = r"(?:[/?][!-~]*)?"
"""The rest of an address: nothing, or a path or query of printable ASCII."""


def _compiled(pattern: str) -> re.Pattern[str]:
    rest = _WITHIN_ORIGIN if _ORIGIN.fullmatch(pattern) else ""
    return re.compile(_FILLING.join(re.escape(part) for part in pattern.split("*")) + rest)
