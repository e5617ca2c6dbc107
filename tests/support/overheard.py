"""The texts of users and replies in a run of tests, and the search for them in all logs of the run.

Two kinds of pieces of a message are searched for: five letters in a row of Korean (whatever lies between them), and
four words in a row of anything else, ten letters together at least. A message with neither (`네`, `hello there`) is
left out: a log may have such words anyway.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx

KOREAN_LETTERS = 5
OTHER_WORDS, OTHER_LETTERS = 4, 10
WRITTEN_BY_PEOPLE = ("text", "comment", "note")
"""Fields of requests that hold text of users."""

_UNITS = re.compile(r"(?:\\+u[0-9a-fA-F]{4})+")
_POINT = re.compile(r"\\+U([0-9a-fA-F]{8})")
_BYTES = re.compile(r"(?:(?:\\+x|%)[0-9a-fA-F]{2})+")
_BREAK = re.compile(r"\\+[nrt]")
_LEFT_OUT = re.compile(r"[\W_]+")
_KOREAN = re.compile(r"[가-힣ㄱ-ㅣ]")
_HEX = re.compile(r"[0-9a-fA-F]{2,}")


@dataclass(frozen=True)
class Heard:
    """A piece of a message, counted from the first of this process, in a line of a log."""

    line: int
    message: int
    piece: str

    def __str__(self) -> str:
        return f"line {self.line} holds {self.piece!r} of message {self.message}"


class Words:
    """All texts, in the order in which they were sent."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = list(texts)

    def add(self, text: str) -> None:
        self._texts.append(text)

    def add_body(self, body: bytes) -> None:
        """Add the texts of a request, if it has any."""
        try:
            sent = json.loads(body)
        except (ValueError, RecursionError):
            return
        fields = [sent.get(field) for field in WRITTEN_BY_PEOPLE] if isinstance(sent, dict) else []
        self._texts += [text for text in fields if isinstance(text, str)]

    def __len__(self) -> int:
        return len(self._texts)

    def in_log(self, log: str, since: int = 0, first_line: int = 1) -> list[Heard]:
        """Return the pieces of messages from number `since` on in a log, escaped or not."""
        if not log.strip():
            return []
        said = {text: number for number, text in reversed([*enumerate(self._texts)][since:])}
        wanted = {piece: said[text] for text in reversed(said) for piece in pieces(text)}
        whole = plain(log)
        found = {piece: number for piece, number in wanted.items() if piece in whole}
        if not found:
            return []
        lines = enumerate(log.split("\n"), first_line)
        heard = [
            Heard(n, number, piece)
            for n, line in lines
            for text in [plain(line)]
            for piece, number in found.items()
            if piece in text
        ]
        # A piece that goes on from one line to the next is in neither.
        return heard or [Heard(first_line, number, piece) for piece, number in found.items()]


SAID = Words()
"""All texts of this process: each pytest worker has its own servers."""


async def noted(request: httpx.Request) -> None:
    """Add the texts of a request: a hook of an HTTP client."""
    with suppress(httpx.RequestNotRead):  # a stream: such a body is refused or has the wrong form
        SAID.add_body(request.content)


class LogSearch:
    """Searches the logs of one server, each part once, for texts that were added after its creation."""

    def __init__(self, words: Words = SAID) -> None:
        self._words = words
        self._since = len(words)
        self._done: dict[Path, int] = {}

    def read(self, *logs: Path) -> None:
        """Search the new part of these files."""
        for log in logs:
            written = log.read_bytes() if log.exists() else b""
            done, self._done[log] = self._done.get(log, 0), len(written)
            self.hear(str(log), written[done:].decode("utf-8", "replace"), written.count(b"\n", 0, done) + 1)

    def hear(self, name: str, log: str, first_line: int = 1) -> None:
        heard = self._words.in_log(log, self._since, first_line)
        assert not heard, told(name, heard)


def told(name: str, heard: Iterable[Heard]) -> str:
    return f"message text was logged: {name}: " + "; ".join(map(str, list(heard)[:5]))


@cache
def pieces(text: str) -> tuple[str, ...]:
    """Return the pieces of a message that are searched for."""
    squeezed = plain(text)
    starts = range(0, len(squeezed) - KOREAN_LETTERS + 1, KOREAN_LETTERS)
    runs = [squeezed[start : start + KOREAN_LETTERS] for start in (*starts, max(0, len(squeezed) - KOREAN_LETTERS))]
    korean = [run for run in runs if len(_KOREAN.findall(run)) == KOREAN_LETTERS]
    words = text.split()
    groups = [words[start : start + OTHER_WORDS] for start in range(len(words) - OTHER_WORDS + 1)]
    telling = [group for group in map(plain, map(" ".join, groups)) if len(group) >= OTHER_LETTERS]
    others = [group for group in telling if not _KOREAN.search(group)]
    return tuple(dict.fromkeys(korean + others))


def plain(text: str) -> str:
    """Undo the escapes of JSON, `repr` and addresses, and leave out all but letters and digits."""
    text = _UNITS.sub(_from_units, text)
    text = _POINT.sub(lambda found: chr(int(found[1], 16)), text)
    text = _BYTES.sub(lambda found: bytes.fromhex("".join(_HEX.findall(found[0]))).decode("utf-8", "replace"), text)
    return _LEFT_OUT.sub("", _BREAK.sub("", text))


def _from_units(found: re.Match[str]) -> str:
    units = re.findall(r"u([0-9a-fA-F]{4})", found[0])
    return bytes.fromhex("".join(units)).decode("utf-16-be", "replace")
