"""One normalised text, and where in it strings and sentences stand.

Korean spacing is a matter of mood, so strings are looked for with all spaces left out.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, compress
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
Places: TypeAlias = Sequence[int]
"""Where something stands in the text without its spaces, in order."""

_SENTENCE = re.compile(r"[^.?!]+[.?!]?|[.?!]")
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")
_PRIVATE = 0xE000
_PRIVATE_MASK = 0xFFF


class Reading:
    """A normalised text.

    Attributes:
        squeezed: The text without its spaces.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.squeezed = text.replace(" ", "")

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def sentences(self) -> Sequence[Span]:
        """Where each sentence begins and ends, its mark included."""
        return [found.span() for found in _SENTENCE.finditer(self.text)]

    def sentence_at(self, position: int) -> int:
        """Return the number of the sentence that holds `position`."""
        return max(bisect_right(self._starts, position) - 1, 0)

    def unsqueezed(self, places: Iterable[int]) -> list[int]:
        """Return where in the text letters of `squeezed` stand."""
        spaces = self._spaces
        return [place + bisect_right(spaces, place) for place in places]

    def places(self, string: str) -> Places:
        """Return where a string without spaces stands."""
        found = self._places.get(string)
        if found is None:
            found = self._places[string] = []
            at = self.squeezed.find(string)
            while at >= 0:
                found.append(at)
                at = self.squeezed.find(string, at + 1)
        return found

    def note(self, places: Mapping[str, list[int]]) -> None:
        """Remember where strings stand, in order, so that they need not be looked for."""
        self._places.update(places)

    @cached_property
    def _spaces(self) -> list[int]:
        """For each space, how many letters stand before it."""
        return list(accumulate(map(len, self.text.split(" "))))

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self.sentences]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        return {}


class Strings:
    """Many strings, found in one walk through a text.

    The strings are kept letter by letter behind their first two letters: most places of a text are passed over with
    one look, and no place costs more than the longest string. Two letters are looked up as one number, which is three
    times as quick as making a string of them.
    """

    def __init__(self, owners: Mapping[str, Sequence[int]], noted: Iterable[str] = ()) -> None:
        """Take the strings.

        Args:
            owners: The numbers of those who look for each; the empty string stands for any place.
            noted: Those whose places a reading is told.
        """
        self._everywhere = tuple(owners.get("", ()))
        self._letters = tuple((string, owned) for string, owned in owners.items() if len(string) == 1)
        self._pairs: dict[int, _Step] = {}
        for string, owned in owners.items():
            if len(string) > 1:
                step = self._planted(string)
                step.owners = (*step.owners, *owned)
        # Strings with a picture are left out: another may look like it.
        self._noted = tuple({string for string in noted if len(string) > 1 and string == _narrow(string)})
        for string in self._noted:
            self._planted(string).noted = string

    def found(self, reading: Reading) -> dict[int, list[int]]:
        """Return for each number where one of its strings stands; a place may come twice, and in any order."""
        found: dict[int, list[int]] = {number: [] for number in self._everywhere}
        self._find_letters(reading, found)
        notes: dict[str, list[int]] = {string: [] for string in self._noted}
        text = _narrow(reading.squeezed)
        size = len(text)
        for at, begun in self._begun(text):
            step: _Step | None = begun
            behind = at + 2
            while step is not None:
                if step.noted:
                    notes[step.noted].append(at)
                for number in step.owners:
                    if number in found:
                        found[number].append(at)
                    else:
                        found[number] = [at]
                if behind == size or not step.next:
                    break
                step = step.next.get(text[behind])
                behind += 1
        for places in notes.values():
            places.sort()
        reading.note(notes)
        return found

    def _find_letters(self, reading: Reading, found: dict[int, list[int]]) -> None:
        for letter, owned in self._letters:
            if letter in reading.squeezed:
                for number in owned:
                    found.setdefault(number, []).extend(reading.places(letter))

    def _planted(self, string: str) -> "_Step":
        narrow = _narrow(string)
        pair = array("I", narrow[:2].encode("utf-16", "surrogatepass")[2:])[0]
        step = self._pairs.get(pair) or self._pairs.setdefault(pair, _Step())
        for letter in narrow[2:]:
            step = step.next.get(letter) or step.next.setdefault(letter, _Step())
        return step

    def _begun(self, text: str) -> list[tuple[int, "_Step"]]:
        """Return the places at which strings may stand."""
        units = text.encode("utf-16", "surrogatepass")[2:]
        pairs = self._pairs
        begun: list[tuple[int, _Step]] = []
        for first in (0, 1):
            numbers = array("I", units[2 * first : len(units) - (len(units) // 2 - first) % 2 * 2])
            places = compress(range(len(numbers)), map(pairs.__contains__, numbers))
            begun += [(2 * place + first, pairs[numbers[place]]) for place in places]
        return begun


class _Step:
    """A letter of some strings."""

    __slots__ = ("next", "noted", "owners")

    def __init__(self) -> None:
        self.next: dict[str, _Step] = {}
        self.owners: tuple[int, ...] = ()
        self.noted = ""


def _narrow(text: str) -> str:
    """Return a text of as many letters, all of one UTF-16 unit: some pictures come to look alike."""
    if text.isascii() or not _TWO_UNITS.search(text):
        return text
    return _TWO_UNITS.sub(lambda found: chr(_PRIVATE + (ord(found[0]) & _PRIVATE_MASK)), text)
