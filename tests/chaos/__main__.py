"""`python -m tests.chaos`: clients talk while parts are killed, stopped and started; then every promise is checked."""

import argparse
import asyncio
import signal
import sys
import tempfile
from pathlib import Path

from tests.chaos.findings import Record, report
from tests.chaos.run import chaos, emulated_for
from tests.chaos.schedule import Schedule, schedule

QUIET_S = 240.0
"""Longer than a model rests, and then the longest wait for the next delivery of a task."""


async def _run(plan: Schedule, home: Path) -> Record:
    async with emulated_for(plan, home) as (emulated, simulator):
        return await chaos(plan, emulated, simulator, QUIET_S)


def main() -> int:
    """Run; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--show", action="store_true", help="print what would be done, and do nothing")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what was started is ended
    plan = schedule(given.seed, given.minutes * 60)
    if given.show:
        print("\n".join(map(str, plan.disturbances)))
        return 0
    with tempfile.TemporaryDirectory(prefix="cbot-chaos-", ignore_cleanup_errors=True) as home:
        record = asyncio.run(_run(plan, Path(home)))
    print(report(record, given.seed, given.minutes), flush=True)
    return 1 if record.found else 0


if __name__ == "__main__":
    sys.exit(main())
