"""A pattern to be followed, read from a regular expression; see `partial`."""

import re
from collections.abc import Sequence
from functools import lru_cache

from shared.safety.output_guard.partial import (
    Ahead,
    Choice,
    Class,
    Letter,
    Look,
    Node,
    Repeat,
    Row,
    Text,
    Word,
    compiled,
    passes_end,
)

_TOKEN = re.compile(
    r"\(\?(?:<[=!]|!)"  # what is looked at and not taken is asked of a regular expression
    r"|\(\?[:=]|[()|]|(?:[?*+]|\{\d+(?:,\d*)?\})\??"
    r"|\\.|\[\^?\]?(?:\\.|[^\]])*\]|.",
    re.DOTALL,
)
_GROUPS = ("(?:", "(", "(?=")
_LOOKS = ("(?<=", "(?<!", "(?!")
_REPEATS = frozenset("?*+{")
_TIMES = re.compile(r"(\d+)(,?)(\d*)")
_CLASSES = frozenset("dDwWsSnrt")
_NO_WIDTH = frozenset(("^", "$", r"\b", r"\B", r"\A", r"\Z"))
_NO_END = 1 << 10
"""Times that stand for any number: no text that is read here is longer."""
_Piece = Node | Letter


_OFTEN = 200
"""Times that a pattern is asked for matches before it is worth compiling. Own figure: some twenty hits under way."""


class Followed:
    """A pattern to be followed."""

    def __init__(self, source: str) -> None:
        """Read a regular expression."""
        self._source = source
        node, _ = _choice(_TOKEN.findall(source), 0)
        self._nodes = node.nodes if isinstance(node, Row) else (node,)
        certain = [all(map(passes_end, self._nodes[place:])) for place in range(len(self._nodes))]
        self._steps = tuple(zip(self._nodes, certain, strict=True))
        self._asked = 0

    def may_match(self, text: Text) -> bool:
        """Return whether the text matches or is the beginning of something that does."""
        text, places = text.unfinished(True), 1
        for node, certain in self._steps:
            if certain and places & text.end:
                return True
            places = node.step(places, text)
            if not places:
                return False
        return True

    def matches(self, text: Text) -> bool:
        """Return whether the text begins with a match."""
        self._asked += 1
        if self._asked > _OFTEN:
            return compiled(self._source).match(text.folded, text.start, text.until) is not None
        text, places = text.unfinished(False), 1
        for node in self._nodes:
            places = node.step(places, text)
        return places != 0


@lru_cache(maxsize=1024)
def followed(source: str) -> Followed:
    """Return a pattern, ready to be followed.

    Args:
        source: A regular expression without backreferences and named groups.
    """
    return Followed(source)


def _choice(tokens: Sequence[str], place: int) -> tuple[Node, int]:
    """Return the branches from a place on, and the place of what closes them."""
    rows: list[list[_Piece]] = [[]]
    while place < len(tokens) and tokens[place] != ")":
        piece = tokens[place]
        if piece == "|":
            rows.append([])
            place += 1
        elif piece[0] in _REPEATS:
            rows[-1].append(_repeated(rows[-1].pop(), *_times(piece)))
            place += 1
        elif piece in _GROUPS:
            inner, end = _choice(tokens, place + 1)
            rows[-1].append(Ahead(inner) if piece == "(?=" else inner)
            place = end + 1
        elif piece in _LOOKS:
            end = _closed(tokens, place)
            rows[-1].append(Look("".join(tokens[place:end]), may=False))
            place = end
        else:
            rows[-1].append(_single(piece))
            place += 1
    branches = [_row(row) for row in rows]
    return (branches[0] if len(branches) == 1 else _branched(branches)), place


def _repeated(piece: _Piece, least: int, most: int) -> _Piece:
    match piece:
        case (letter, False) if (least, most) == (0, 1):
            return letter, True
        case (_, _):
            return Repeat(Word((piece,)), least, most)
        case Class(least=1, most=1):
            return Class(piece.written, least, most)
        case _:
            return Repeat(piece, least, most)


def _row(pieces: Sequence[_Piece]) -> Node:
    """Return pieces as one, letters in a row as a word."""
    nodes: list[Node] = []
    letters: list[Letter] = []
    for piece in pieces:
        if isinstance(piece, tuple):
            letters.append(piece)
            continue
        if letters:
            nodes.append(Word(tuple(letters)))
            letters = []
        nodes.append(piece)
    if letters:
        nodes.append(Word(tuple(letters)))
    return nodes[0] if len(nodes) == 1 else Row(tuple(nodes))


def _branched(branches: Sequence[Node]) -> Choice:
    lettered: dict[str, list[Node]] = {}
    others: list[Node] = []
    for branch in branches:
        first = branch.nodes[0] if isinstance(branch, Row) and branch.nodes else branch
        letter, may_be_missing = first.letters[0] if isinstance(first, Word) else ("", True)
        (others if may_be_missing else lettered.setdefault(letter, [])).append(branch)
    return Choice(lettered, tuple(others))


@lru_cache(maxsize=4096)
def _single(token: str) -> _Piece:
    if token in _NO_WIDTH:
        return Look(token, may=True)
    if token[0] in ".[" or (token[0] == "\\" and token[1] in _CLASSES):
        return Class(token)
    return token[-1], False


@lru_cache(maxsize=64)
def _times(token: str) -> tuple[int, int]:
    if token[0] != "{":
        return int(token[0] == "+"), 1 if token[0] == "?" else _NO_END
    found = _TIMES.search(token)
    least, comma, most = found.groups() if found else ("1", "", "")
    return int(least), int(most or (_NO_END if comma else least))


def _closed(tokens: Sequence[str], place: int) -> int:
    """Return the place behind the group that opens at `place`."""
    depth = 0
    for at in range(place, len(tokens)):
        depth += tokens[at].startswith("(") - (tokens[at] == ")")
        if depth == 0:
            return at + 1
    return len(tokens)
