"""Texts that take a pattern with ambiguous repetitions long: what each of its repetitions matches, again and again.

A backtracking engine is slow where a text can be divided among repetitions in many ways and the match fails in the
end. So each text is what stands before a repetition, then the repetition's own matches, then a letter that ends it.
"""

import re._constants as op
import re._parser as parser
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice
from typing import Any

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_LETTERS = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
_FILLINGS = (" 가a1.", "가a1 .", "a.1,가 ", "1 가a-")
"""Letters for classes, the first that fits: repetitions beside each other often share blanks, or syllables."""
_ENDS = ("", "\x01")
"""What follows: nothing, and a letter that ends the match."""
_FEW = 3
"""A repetition of so few simple pieces is not pumped."""
_BRANCHES = 6
"""Alternatives of a repetition that are pumped."""
_EVERYWHERE = (" ", "가", "a1 ")

Tree = Sequence[tuple[Any, Any]]


def hostile_texts(source: str, flags: int, length: int) -> Iterator[str]:
    """Yield texts of a length, each once."""
    seen: set[str] = set()
    for before, piece in _pumps(parser.parse(source, flags)):
        pumped = "".join(islice(cycle(piece), max(length - len(before), 0)))
        for end in _ENDS:
            text = f"{before}{pumped}{end}"
            if text not in seen:
                seen.add(text)
                yield text


def _pumps(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield what stands before, and the piece to repeat."""
    for piece in _EVERYWHERE:
        yield "", piece
    for filling in _FILLINGS[:2]:
        whole = _sample(tree, filling, 0, 1)
        yield from (("", piece) for piece in (whole, f"{whole} ") if piece)
    for before, body in _repetitions(tree, ""):
        for piece in dict.fromkeys(_bodies(body)):
            yield before, piece
            yield before, f"{piece} "


def _bodies(body: Tree) -> Iterator[str]:
    for turn in range(_BRANCHES):
        for inner in (0, 1):
            if sample := _sample(body, _FILLINGS[turn % len(_FILLINGS)], turn, inner):
                yield sample


def _repetitions(tree: Tree, before: str) -> Iterator[tuple[str, Tree]]:
    """Yield every repetition that can go on, however deep, with a sample of what stands before it."""
    for kind, value in tree:
        if kind in _REPEATS and (value[1] > _FEW or (value[1] > 1 and _repeats_inside(value[2]))):
            yield before, value[2]
        for inside in _insides(kind, value):
            yield from _repetitions(inside, before)
        before += _sample([(kind, value)], _FILLINGS[1], 0, 0)


def _repeats_inside(tree: Tree) -> bool:
    return any(
        (kind in _REPEATS and value[1] > 1) or any(map(_repeats_inside, _insides(kind, value))) for kind, value in tree
    )


def _insides(kind: Any, value: Any) -> Iterable[Tree]:
    if kind in _REPEATS:
        return (value[2],)
    if kind is op.SUBPATTERN:
        return (value[-1],)
    if kind is op.BRANCH:
        return value[1]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return (value[1],)
    return (value,) if kind is op.ATOMIC_GROUP else ()


def _sample(tree: Tree, filling: str, turn: int, inner: int) -> str:
    """Return a text that the tree matches, but for what its looks around ask.

    Args:
        tree: The parsed pattern.
        filling: Letters for classes.
        turn: Which alternative to take, where there are several.
        inner: How often, at least, to take what may be left out.
    """
    return "".join(_pieces(tree, filling, turn, inner))


def _pieces(tree: Tree, filling: str, turn: int, inner: int) -> Iterator[str]:
    for kind, value in tree:
        if kind in _LETTERS:
            yield _letter(kind, value, filling)
        elif kind is op.BRANCH:
            yield _sample(value[1][turn % len(value[1])], filling, turn, inner)
        elif kind in _REPEATS:
            times = min(max(value[0], inner), value[1])
            yield _sample(value[2], filling, turn, inner) * times
        elif kind in (op.SUBPATTERN, op.ATOMIC_GROUP):
            for inside in _insides(kind, value):
                yield _sample(inside, filling, turn, inner)


def _letter(kind: Any, value: Any, filling: str) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.ANY:
        return filling[0]
    if kind is op.NOT_LITERAL:
        return next(letter for letter in filling if ord(letter) != value)
    negated = value[0][0] is op.NEGATE
    fitting = (letter for letter in (*filling, *_named(value), "이", "z") if _within(value, letter) is not negated)
    return next(fitting, "")


def _named(value: Any) -> Iterator[str]:
    for kind, one in value:
        if kind is op.LITERAL:
            yield chr(one)
        elif kind is op.RANGE:
            yield chr(one[0])


def _within(value: Any, letter: str) -> bool:
    return any(_fits(kind, one, letter) for kind, one in value)


def _fits(kind: Any, one: Any, letter: str) -> bool:
    if kind is op.LITERAL:
        return ord(letter) == one
    if kind is op.RANGE:
        return bool(one[0] <= ord(letter) <= one[1])
    if kind is not op.CATEGORY:
        return False
    name = str(one).removeprefix("CATEGORY_").lower()
    found = {"digit": letter.isdecimal(), "space": letter.isspace(), "word": letter.isalnum() or letter == "_"}
    return found[name.removeprefix("not_")] is not name.startswith("not_")
