"""Choosing one of several wordings of the same fixed text."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

Pick: TypeAlias = Callable[[Sequence[str]], str]
"""Chooses one of the wordings, of which there is at least one."""


def nth(number: int) -> Pick:
    """Return the choice of a wording by a counter; consecutive values differ."""
    return lambda wordings: wordings[number % len(wordings)]
