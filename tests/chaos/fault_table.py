"""`python -m tests.chaos.fault_table`: measures what a client sees under each fault, and writes docs/reliability.md.

The figures of the code before the faults were fixed are kept in `before.json` in this folder,
those of the newest run in `after.json`. Rows that a run leaves out (`--only`) keep their last figures.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from pathlib import Path

from tests.chaos import rows
from tests.chaos.instances import SharedEmulators
from tests.chaos.measured import Measured, Measurement, read_measurement, table, write_measurement, write_table
from tests.load.figures import product_commit
from tests.support.process import ROOT

PAGE = ROOT / "docs" / "reliability.md"
KEPT = {name: Path(__file__).parent / f"{name}.json" for name in ("before", "after")}
AT_ONCE = 6
"""Rows that are measured side by side: most of their time is waiting."""
ROW_WITHIN_S = 240.0
"""A row that takes longer is left out."""


class Where(Enum):
    """Where a row is measured, and which rows may run at the same time."""

    OWN_SERVER = auto()
    """At the same time as all rows but the last."""
    EMULATORS = auto()
    """The same, over emulators that it shares."""
    STOPPED_EMULATORS = auto()
    """It stops a part of the emulators: alone among those who use them."""
    LAST = auto()
    """It needs the machine for itself."""


@dataclass(frozen=True)
class Row:
    name: str
    measure: Callable[[Path], Awaitable[list[Measured]]]
    where: Where = Where.OWN_SERVER


def all_rows(emulators: SharedEmulators) -> Sequence[Row]:
    """The order is that of the table."""
    over = emulators.over
    return [
        Row("model 503 for minutes", rows.measure_outage),
        *(Row(fault.name, partial(rows.measure_model_fault, fault)) for fault in rows.MODEL_FAULTS),
        *(Row(how.name, over(partial(rows.measure_leaving, how)), Where.EMULATORS) for how in rows.LEAVINGS),
        Row("SIGKILL in the middle of an erasure", over(rows.measure_killed_erasure), Where.STOPPED_EMULATORS),
        Row("store stalled at the commit", over(rows.measure_stalled_store), Where.STOPPED_EMULATORS),
        Row("task queue unresponsive", over(rows.measure_unresponsive_queue), Where.STOPPED_EMULATORS),
        Row("200 turns at once", rows.measure_crowd, Where.LAST),
        Row("one user: 30 conversations, 20 openings, 60 exports", over(rows.measure_one_user), Where.LAST),
    ]


async def measure(chosen: Sequence[Row], home: Path, keep: Callable[[list[Measured]], None]) -> list[Measured]:
    """Measure rows, side by side as far as they can be; each has a folder of `home`, named by its number.

    Args:
        chosen: In the order of the table.
        home: Of the folders.
        keep: Gets each row's figures as soon as they are there: a run that is broken off loses no more than one row.
    """
    found: dict[str, list[Measured]] = {}

    async def one(number: int, row: Row, places: asyncio.Semaphore) -> None:
        """Measure a row; one that cannot be measured does not cost the others."""
        async with places:
            began = time.monotonic()
            measuring = asyncio.wait_for(row.measure(home / str(number)), ROW_WITHIN_S)
            (result,) = await asyncio.gather(measuring, return_exceptions=True)
        note = ""
        if isinstance(result, BaseException):
            note = f", not measured: {type(result).__name__}: {result}"[:200]
        else:
            found[row.name] = result
            keep(result)
        print(f"fault-table: {row.name}: {time.monotonic() - began:.0f} s{note}", file=sys.stderr, flush=True)

    async def together(where: Where, at_once: int) -> None:
        places = asyncio.Semaphore(at_once)
        await asyncio.gather(*(one(number, row, places) for number, row in enumerate(chosen) if row.where is where))

    async def over_emulators() -> None:
        await together(Where.EMULATORS, AT_ONCE)
        await together(Where.STOPPED_EMULATORS, 1)

    await asyncio.gather(together(Where.OWN_SERVER, AT_ONCE), over_emulators())
    await together(Where.LAST, 1)
    return [measured for row in chosen for measured in found.get(row.name, [])]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.fault_table", description=__doc__)
    parser.add_argument("--only", default="", help="rows whose name holds this; several with commas")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what was started is ended
    load, commit, file = round(os.getloadavg()[0], 1), product_commit(), KEPT["after"]

    def keep(figures: list[Measured]) -> None:
        write_measurement(file, Measurement(commit, load, tuple(figures)).over(read_measurement(file)))

    with tempfile.TemporaryDirectory(prefix="cbot-faults-", ignore_cleanup_errors=True) as home:
        measured = _measured(given.only, Path(home), keep)
    print(table(None, Measurement(commit, load, tuple(measured))), flush=True)
    before, after = (read_measurement(KEPT[name]) for name in ("before", "after"))
    write_table(PAGE, before, after)


def _measured(only: str, home: Path, keep: Callable[[list[Measured]], None]) -> list[Measured]:
    wanted = [part.strip() for part in only.split(",") if part.strip()]
    emulators = SharedEmulators(home)
    chosen = [row for row in all_rows(emulators) if not wanted or any(part in row.name for part in wanted)]
    for number in range(len(chosen)):
        (home / str(number)).mkdir()
    try:
        return asyncio.run(measure(chosen, home, keep))
    finally:
        emulators.end()


if __name__ == "__main__":
    main()
