"""Transcripts as self-contained pages: one per client, an index, and all of them as one text."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from local.demo.figure_table import Row, lines_of, rows
from local.demo.figures import over_all
from local.demo.text import as_text
from local.demo.transcript import Transcript
from local.demo.words import words
from shared.domain.errors import ConfigError

TEXT = "transcripts.txt"
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    undefined=StrictUndefined,
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def session_page(told: Transcript) -> str:
    return _TEMPLATES.get_template("session.html.j2").render(told=told, words=words(), lines_of=lines_of)


def index_page(sessions: Sequence[Transcript]) -> str:
    """Return the index of the sessions' pages."""
    return _TEMPLATES.get_template("index.html.j2").render(sessions=sessions, words=words(), table=table_of(sessions))


def table_of(sessions: Sequence[Transcript]) -> tuple[Row, ...]:
    """Return the figures of all clients as a table."""
    return rows([(told.name, told.figures) for told in sessions], over_all([told.figures for told in sessions]))


def write_pages(sessions: Sequence[Transcript], folder: Path) -> Path:
    """Write all pages and return the path of the index.

    Raises:
        ConfigError: The folder cannot be written.
    """
    written = {f"{told.name}.html": session_page(told) for told in sessions}
    written["index.html"] = index_page(sessions)
    written[TEXT] = "\n".join(as_text(told) for told in sessions)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, page in written.items():
            (folder / name).write_text(page, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--html: {folder} cannot be written: {error.strerror}") from None
    return folder / "index.html"
