"""Finds triggers in a sentence while it is written, and tells when letters may become one."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from shared.safety.output_guard.sentence import goes_on

T = TypeVar("T")


class Trigger(NamedTuple, Generic[T]):
    """A literal stem.

    Attributes:
        letters: Without blanks.
        owner: What the trigger belongs to.
        inside: It may begin inside a word.
    """

    letters: str
    owner: T
    inside: bool = False


class Triggers(Generic[T]):
    """A searchable set of triggers."""

    def __init__(self, triggers: Iterable[Trigger[T]]) -> None:
        self.owners: dict[str, list[Trigger[T]]] = {}
        for one in triggers:
            self.owners.setdefault(one.letters, []).append(one)

    def may_begin(self, letters: str, *, inside: bool) -> bool:
        """Return whether a trigger begins with these letters.

        Args:
            letters: The letters so far.
            inside: Whether they stand inside a word.
        """
        among = self._sorted_inside if inside else self._sorted
        at = bisect_left(among, letters)
        return at < len(among) and among[at].startswith(letters)

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.owners)

    @cached_property
    def _sorted_inside(self) -> list[str]:
        return sorted(letters for letters, those in self.owners.items() if any(one.inside for one in those))


class Walk(Generic[T]):
    """Follows the triggers through one sentence, letter by letter.

    Attributes:
        begun: Starts of letters that may become a trigger, and whether each is inside a word.
    """

    def __init__(self, triggers: Triggers[T]) -> None:
        self._triggers = triggers
        self._letters = ""
        self._places: list[int] = []
        self._last = ""
        self.begun: list[tuple[int, bool]] = []

    def held_from(self) -> int | None:
        """Return the first position at which a trigger may have begun, or None."""
        return self._places[self.begun[0][0]] if self.begun else None

    def take(self, letter: str, place: int) -> Iterator[tuple[T, int]]:
        """Add the letter at a position; yield the owner and start of each trigger that ends here."""
        before, self._last = self._last, letter
        if letter == " ":
            return
        self._letters += letter
        self._places.append(place)
        self.begun.append((len(self._letters) - 1, goes_on(before, letter)))
        begun, self.begun = self.begun, []
        for at, inside in begun:
            letters = self._letters[at:]
            if not self._triggers.may_begin(letters, inside=inside):
                continue
            self.begun.append((at, inside))
            for one in self._triggers.owners.get(letters, ()):
                if one.inside or not inside:
                    yield one.owner, self._places[at]
