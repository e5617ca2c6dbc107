"""Counts the steps of a backtracking engine for a pattern, which `re` does not report: each compared letter is one.

A plain rewrite of the engine on the tree that `re` itself makes of a pattern: the same choices, in the same order.
"""

import re._constants as op
import re._parser as parser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from typing import Any

Then = Callable[[int], bool]


def tree_of(source: str) -> list[Any]:
    return _plain(parser.parse(source))


class Work:
    """Matches of one pattern at the places of one text, and the letters and borders compared so far."""

    def __init__(self, tree: list[Any], text: str) -> None:
        self._tree = tree
        self._text = text
        self.steps = 0

    def matches(self, start: int) -> bool:
        return self._sequence(self._tree, start, lambda _: True)

    def steps_at(self, start: int) -> int:
        before = self.steps
        self.matches(start)
        return self.steps - before

    def _sequence(self, items: Sequence[Any], at: int, then: Then) -> bool:
        for number, (kind, value) in enumerate(items):
            if kind in _LETTERS:
                self.steps += 1
                if at >= len(self._text) or not _is(kind, value, self._text[at]):
                    return False
                at += 1
                continue
            return self._choice(kind, value, at, partial(self._sequence_from, items[number + 1 :], then))
        return then(at)

    def _sequence_from(self, items: Sequence[Any], then: Then, at: int) -> bool:
        return self._sequence(items, at, then)

    def _choice(self, kind: Any, value: Any, at: int, then: Then) -> bool:
        if kind is op.SUBPATTERN:
            return self._sequence(value, at, then)
        if kind is op.BRANCH:
            return any(self._sequence(branch, at, then) for branch in value)
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._repeat(kind is op.MAX_REPEAT, value, at, then)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            return self._look(value, at) is (kind is op.ASSERT) and then(at)
        if kind is op.AT:
            self.steps += 1
            return self._border(value, at) and then(at)
        raise NotImplementedError(kind)

    def _look(self, value: Any, at: int) -> bool:
        back, inside = value
        return at >= back and self._sequence(inside, at - back, lambda _: True)

    def _repeat(self, greedy: bool, value: Any, at: int, then: Then, times: int = 0) -> bool:
        low, high, items = value

        def again(end: int) -> bool:
            return (end > at or times < low) and self._repeat(greedy, value, end, then, times + 1)

        def more() -> bool:
            return times < high and self._sequence(items, at, again)

        if times < low:
            return more()
        return (more() or then(at)) if greedy else (then(at) or more())

    def _border(self, value: Any, at: int) -> bool:
        if value in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
            sides = [0 <= place < len(self._text) and _wordly(self._text[place]) for place in (at - 1, at)]
            return (sides[0] != sides[1]) is (value is op.AT_BOUNDARY)
        return at == (0 if value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING) else len(self._text))


def _plain(items: Any) -> list[Any]:
    return [(kind, _plain_value(kind, value)) for kind, value in items]


def _plain_value(kind: Any, value: Any) -> Any:
    if kind is op.SUBPATTERN:
        return _plain(value[-1])
    if kind is op.BRANCH:
        return [_plain(branch) for branch in value[1]]
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        return value[0], value[1], _plain(value[2])
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return value[1].getwidth()[0] if value[0] < 0 else 0, _plain(value[1])
    return value


_LETTERS = {op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN}


def _is(kind: Any, value: Any, letter: str) -> bool:
    if kind is op.ANY:
        return letter != "\n"
    if kind is op.IN:
        negated = value[0][0] is op.NEGATE
        return any(_within(one, letter) for one in value[negated:]) is not negated
    return (ord(letter) == value) is (kind is op.LITERAL)


def _within(one: Any, letter: str) -> bool:
    kind, value = one
    if kind is op.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    if kind is op.CATEGORY:
        name = str(value).removeprefix("CATEGORY_").lower()
        found = {"digit": letter.isdecimal(), "space": letter.isspace(), "word": _wordly(letter)}
        return found[name.removeprefix("not_")] is not name.startswith("not_")
    return bool(ord(letter) == value)


def _wordly(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def near_misses(tree: list[Any]) -> Iterator[str]:
    """Yield texts that take a pattern long: its own matches, repeated, without the last letter."""
    for turn, windows in ((0, 0), (1, 99), (2, 3)):
        sample = "".join(_sample(tree, cycle(range(turn, turn + 7, 2)), windows))
        yield sample[:-1] or sample


def _sample(items: Any, turns: Iterator[int], windows: int) -> Iterator[str]:
    for kind, value in items:
        if kind is op.LITERAL:
            yield chr(value)
        elif kind in _LETTERS:
            yield next(letter for letter in (*"이 a1.요것", *_named(value)) if _is(kind, value, letter))
        elif kind is op.SUBPATTERN:
            yield from _sample(value, turns, windows)
        elif kind is op.BRANCH:
            yield from _sample(value[next(turns) % len(value)], turns, windows)
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            low, high, inside = value
            for _ in range(max(low, min(high, windows))):
                yield from _sample(inside, turns, windows)


def _named(value: Any) -> Iterator[str]:
    for kind, one in value if isinstance(value, list) else ():
        if kind in (op.LITERAL, op.RANGE):
            yield chr(one if kind is op.LITERAL else one[0])


def pumped(seed: str, length: int) -> str:
    return "".join(islice(cycle(seed), length))
