"""A transcript as text for a terminal."""

import textwrap
from collections.abc import Iterator

from local.demo.notes import Note
from local.demo.transcript import Entry, Said, Transcript
from local.demo.words import words

WIDTH = 64
"""Characters of a line; a Korean one takes two columns."""
_NOTE_INDENT = " " * 8


def as_text(told: Transcript) -> str:
    """Return the transcript."""
    head = [f"━━━ {told.title} ({told.name})", *_wrapped(told.about, "    "), ""]
    body = [line for entry in told.entries for line in _entry(entry)]
    foot = [line for heading, text in told.ending for line in _wrapped(text, f"  {heading}: ", "    ")]
    problem = ["", f"  !! {told.problem}"] if told.problem else []
    return "\n".join([*head, *body, "", *foot, *problem, ""])


def _entry(entry: Entry) -> Iterator[str]:
    match entry:
        case Said():
            yield ""
            yield from _wrapped(entry.text, f"{words().roles[entry.role.value]}  ", " " * 8)
        case Note():
            yield from _wrapped(entry.text, f"{_NOTE_INDENT}· [{entry.mark}] ", f"{_NOTE_INDENT}  ")


def _wrapped(text: str, first: str, rest: str | None = None) -> Iterator[str]:
    """Break lines at spaces, keeping the breaks that are there."""
    indent = first
    for line in text.splitlines() or [""]:
        yield from textwrap.wrap(
            line, WIDTH, initial_indent=indent, subsequent_indent=rest or first, break_long_words=False
        )
        indent = rest or first
