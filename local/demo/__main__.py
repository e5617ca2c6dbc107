"""`python -m local.demo`: scripted clients talk whole sessions; a summary is printed, the transcripts written."""

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from pathlib import Path

from local.demo.client import CLIENTS, Client, chosen, clients
from local.demo.pages import write_pages
from local.demo.session import Played, play
from local.demo.stage import Stage, embedded
from local.demo.summary import as_summary
from local.demo.transcript import Transcript, transcript
from shared.domain.errors import CBotError, ConfigError

PAGES = Path("build/demo")
EMULATED_PAGES = Path("build/demo-emulators")
NOT_SHOWN = 1
WRONG_CONFIG = 2


@dataclass(frozen=True)
class _Wanted:
    clients: tuple[Client, ...]
    html: Path
    on_emulators: bool
    only_list: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the sessions.

    Returns:
        0 if all ended and showed what they should, and nothing happened that must not; 1 if not; 2 if a file or an
        argument is wrong or the emulators are missing. The reason is on stderr.
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
        return WRONG_CONFIG if isinstance(error, ConfigError) else NOT_SHOWN
    except (KeyboardInterrupt, asyncio.CancelledError):
        return NOT_SHOWN


def _wanted(arguments: Sequence[str] | None) -> _Wanted:
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--client", nargs="+", default=[], metavar="NAME", help="whose sessions; all by default")
    parser.add_argument("--emulators", action="store_true", help="on the Firestore and Cloud Tasks emulators")
    parser.add_argument(
        "--html", type=Path, metavar="DIR", help=f"for the pages; {PAGES} by default, {EMULATED_PAGES} on the emulators"
    )
    parser.add_argument("--folder", type=Path, default=CLIENTS, metavar="DIR", help="of clients; the demo's by default")
    parser.add_argument("--list", action="store_true", help="list the clients and end")
    given = parser.parse_args(arguments)
    pages = given.html or (EMULATED_PAGES if given.emulators else PAGES)
    return _Wanted(chosen(clients(given.folder), given.client), pages, given.emulators, given.list)


async def _play_all(wanted: _Wanted) -> int:
    told: list[Transcript] = []
    began = time.monotonic()
    async with _stage(on_emulators=wanted.on_emulators) as here, aclosing(_each(wanted.clients, here)) as sessions:
        async for client, played in sessions:
            told.append(transcript(client, played))
            took = f"{told[-1].turns} turns, at {time.monotonic() - began:.1f} s"
            _progress(f"{len(told)}/{len(wanted.clients)} {client.name}: {took}")
    index = write_pages(told, wanted.html)
    print(as_summary(told, index), flush=True)
    failures = [f"{one.name} {failure}" for one in told for failure in one.failures]
    for failure in failures:
        _progress(failure)
    return NOT_SHOWN if failures else 0


def _stage(*, on_emulators: bool) -> AbstractAsyncContextManager[Stage]:
    if not on_emulators:
        return embedded()
    # Imported here, since the emulators' parts import gRPC.
    from local.demo.emulated_stage import emulated  # noqa: PLC0415

    return emulated()


async def _each(wanted: Sequence[Client], here: Stage) -> AsyncGenerator[tuple[Client, tuple[Played, ...]], None]:
    """Run clients in parallel, as many as the stage allows, and yield their sessions in order."""
    room = asyncio.Semaphore(here.at_once)

    async def one(client: Client) -> tuple[Played, ...]:
        async with room:
            return await play(client, here)

    under_way = [asyncio.create_task(one(client)) for client in wanted]
    try:
        for client, playing in zip(wanted, under_way, strict=True):
            yield client, await playing
    finally:
        for playing in under_way:
            playing.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def _progress(line: str) -> None:
    print(f"demo: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
