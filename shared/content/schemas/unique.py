"""Uniqueness check for the named rows of a file."""

from collections import Counter
from collections.abc import Iterable


def unique(names: Iterable[str], what: str) -> None:
    """Refuse a name that occurs twice.

    Raises:
        ValueError: Lists the names that do.
    """
    if twice := sorted(name for name, times in Counter(names).items() if times > 1):
        raise ValueError(f"{what} used twice: {twice}")
