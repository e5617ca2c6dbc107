"""What a run of the demo prints: one page, with the address of the transcripts."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from local.demo.figure_table import as_table
from local.demo.pages import TEXT, table_of
from local.demo.transcript import Transcript
from local.demo.words import words


def as_summary(sessions: Sequence[Transcript], index: Path) -> str:
    """Return the summary.

    Args:
        sessions: What was played.
        index: The page of all transcripts, which is written.
    """
    pages = words().pages
    count = pages.summary.format(
        clients=len(sessions),
        sessions=sum(len(told.acts) for told in sessions),
        turns=sum(told.turns for told in sessions),
    )
    lines = [
        f"━━━ {pages.title}: {count}",
        "",
        *as_table([*_clients(sessions)]).splitlines(),
        "",
        f"── {words().figures.heading}",
        *as_table(table_of(sessions)).splitlines(),
        "",
        f"{pages.read}: {index.resolve().as_uri()}",
        f"{pages.as_text}: {index.with_name(TEXT)}",
    ]
    return "\n".join(lines)


def _clients(sessions: Sequence[Transcript]) -> Iterator[tuple[str, ...]]:
    for told in sessions:
        mark = words().pages.failed if told.failures else words().pages.ended
        yield told.name, told.title, mark, "; ".join(act.happened for act in told.acts)
