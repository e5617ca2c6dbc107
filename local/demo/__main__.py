"""`python -m local.demo`: the stories are played; a summary is printed, the transcripts written."""

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from pathlib import Path

from cases.story import STORIES, Story, load_stories
from local.demo.pages import write_pages
from local.demo.session import Played, play
from local.demo.stage import Stage, embedded
from local.demo.summary import as_summary
from local.demo.transcript import Transcript, transcript
from local.trial_stories import playable
from shared.domain.errors import CBotError, ConfigError

PAGES = Path("build/demo")
EMULATED_PAGES = Path("build/demo-emulators")
NOT_SHOWN = 1
WRONG_CONFIG = 2


@dataclass(frozen=True)
class _Wanted:
    stories: tuple[Story, ...]
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
            for story in wanted.stories:
                print(f"{story.id:<20} {story.title}")
            return 0
        return asyncio.run(_play_all(wanted))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return WRONG_CONFIG if isinstance(error, ConfigError) else NOT_SHOWN
    except (KeyboardInterrupt, asyncio.CancelledError):
        return NOT_SHOWN


def _wanted(arguments: Sequence[str] | None) -> _Wanted:
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--story", nargs="+", default=[], metavar="ID", help="which; all by default")
    parser.add_argument("--emulators", action="store_true", help="on the Firestore and Cloud Tasks emulators")
    parser.add_argument(
        "--html", type=Path, metavar="DIR", help=f"for the pages; {PAGES} by default, {EMULATED_PAGES} on the emulators"
    )
    parser.add_argument(
        "--folder", type=Path, default=STORIES, metavar="DIR", help="of stories; cases/stories by default"
    )
    parser.add_argument("--list", action="store_true", help="list the stories and end")
    given = parser.parse_args(arguments)
    pages = given.html or (EMULATED_PAGES if given.emulators else PAGES)
    return _Wanted(chosen(given.folder, given.story), pages, given.emulators, given.list)


def chosen(folder: Path = STORIES, names: Sequence[str] = ()) -> tuple[Story, ...]:
    """Return the stories of these names, all by default, without those that go on from an earlier session's record.

    Raises:
        ConfigError: A name is unknown.
    """
    known = {story.id: story for story in playable(load_stories(folder))}
    if unknown := [name for name in names if name not in known]:
        raise ConfigError(f"there is no story {unknown[0]!r}; there are {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(names or known))


async def _play_all(wanted: _Wanted) -> int:
    told: list[Transcript] = []
    began = time.monotonic()
    async with _stage(on_emulators=wanted.on_emulators) as here, aclosing(_each(wanted.stories, here)) as sessions:
        async for played in sessions:
            told.append(transcript(played))
            took = f"{told[-1].turns} turns, at {time.monotonic() - began:.1f} s"
            _progress(f"{len(told)}/{len(wanted.stories)} {told[-1].name}: {took}")
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


async def _each(wanted: Sequence[Story], here: Stage) -> AsyncGenerator[Played, None]:
    """Play in parallel, as many as the stage allows, and yield the sessions in order."""
    room = asyncio.Semaphore(here.at_once)

    async def one(story: Story) -> Played:
        async with room:
            return await play(story, here)

    under_way = [asyncio.create_task(one(story)) for story in wanted]
    try:
        for playing in under_way:
            yield await playing
    finally:
        for playing in under_way:
            playing.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def _progress(line: str) -> None:
    print(f"demo: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
