"""A transcript as text for a terminal."""

import textwrap
from collections.abc import Iterator

from local.demo.figure_table import lines_of
from local.demo.notes import Note
from local.demo.transcript import Act, Entry, Said, Transcript
from local.demo.words import words

WIDTH = 64
"""Characters of a line; a Korean one takes two columns."""
_NOTE_INDENT = " " * 8
_CAUSE_INDENT = " " * 12


def as_text(told: Transcript) -> str:
    head = [f"━━━ {told.title} ({told.name})", *_wrapped(told.about, "    "), ""]
    acts = [line for act in told.acts for line in _act(act)]
    failures = ["", *(f"  !! {failure}" for failure in told.failures)] if told.failures else []
    return "\n".join([*head, *acts, *failures, ""])


def _act(act: Act) -> Iterator[str]:
    if act.heading:
        yield from ("", f"── {act.heading}")
    yield from _wrapped(act.happened, "    ")
    for entry in act.entries:
        yield from _entry(entry)
    yield ""
    for heading, text in act.ending:
        yield from _wrapped(text, f"  {heading}: ", "    ")
    yield f"  {words().figures.heading}"
    for heading, text in lines_of(act.figures):
        yield from _wrapped(text, f"    {heading}: ", "      ")


def _entry(entry: Entry) -> Iterator[str]:
    match entry:
        case Said():
            yield ""
            yield from _wrapped(entry.text, f"{entry.speaker}  ", " " * 8)
        case Note():
            yield from _wrapped(entry.text, f"{_NOTE_INDENT}· [{entry.mark}] ", f"{_NOTE_INDENT}  ")
            for line in entry.causes:
                yield from _wrapped(line, f"{_CAUSE_INDENT}↳ ", f"{_CAUSE_INDENT}  ")


def _wrapped(text: str, first: str, rest: str | None = None) -> Iterator[str]:
    """Wrap lines at spaces, keeping existing line breaks."""
    indent = first
    for line in text.splitlines() or [""]:
        yield from textwrap.wrap(
            line, WIDTH, initial_indent=indent, subsequent_indent=rest or first, break_long_words=False
        )
        indent = rest or first
