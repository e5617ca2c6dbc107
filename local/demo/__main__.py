"""`python -m local.demo`: scripted clients talk whole sessions, whose transcripts are printed and written as pages."""

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from local.demo.client import CLIENTS, Client, chosen, clients
from local.demo.pages import write_pages
from local.demo.session import DemoFailed, play
from local.demo.stage import stage
from local.demo.text import as_text
from local.demo.transcript import Transcript, transcript
from shared.domain.errors import CBotError

PAGES = Path("build/demo")
NOT_ENDED = 1
WRONG_CONFIG = 2


@dataclass(frozen=True)
class _Wanted:
    clients: tuple[Client, ...]
    html: Path
    only_list: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the sessions.

    Returns:
        0 when all reached their end, 1 when one did not, 2 when a file or an argument is wrong; why is said on stderr.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    try:
        wanted = _wanted(arguments)
        if wanted.only_list:
            for client in wanted.clients:
                print(f"{client.name:<20} {client.title}")
            return 0
        return asyncio.run(_play_all(wanted))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return NOT_ENDED if isinstance(error, DemoFailed) else WRONG_CONFIG
    except KeyboardInterrupt:
        return NOT_ENDED


def _wanted(arguments: Sequence[str] | None) -> _Wanted:
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--client", nargs="+", default=[], metavar="NAME", help="whose sessions; all by default")
    parser.add_argument("--html", type=Path, default=PAGES, metavar="DIR", help=f"for the pages; {PAGES} by default")
    parser.add_argument("--folder", type=Path, default=CLIENTS, metavar="DIR", help="of clients; the demo's by default")
    parser.add_argument("--list", action="store_true", help="list the clients and end")
    given = parser.parse_args(arguments)
    return _Wanted(chosen(clients(given.folder), given.client), given.html, given.list)


async def _play_all(wanted: _Wanted) -> int:
    told: list[Transcript] = []
    async with stage() as here:
        for number, client in enumerate(wanted.clients, 1):
            began = time.monotonic()
            told.append(transcript(await play(client, here.http, here.store)))
            print(as_text(told[-1]), flush=True)
            took = f"{told[-1].turns} turns, {time.monotonic() - began:.1f} s"
            _progress(f"{number}/{len(wanted.clients)} {client.name}: {took}")
    _progress(f"written: {write_pages(told, wanted.html)}")
    failed = [one for one in told if one.problem]
    for one in failed:
        _progress(f"{one.name} did not reach its end: {one.problem}")
    return NOT_ENDED if failed else 0


def _progress(line: str) -> None:
    print(f"demo: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
