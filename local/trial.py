"""What the page of a start without a key asks: the stories to choose from, and where a conversation stands in one."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from cases.story import STORIES, load_stories
from local.gemini.story_answers import Places
from local.trial_stories import client_lines, next_line, offers
from shared.model import Model

SETTLED_WITHIN_S = 30.0
"""How long the next line waits for a plan or a review at most, seconds: some 15 at the demo's pace."""


class _Talk(Model):
    """Where a conversation stands.

    Attributes:
        story: The one that is played, if any.
        said: All that the user has sent, oldest first.
    """

    story: str | None = None
    said: tuple[str, ...] = ()


async def _at_once() -> None:
    """Wait for nothing: where the background work runs is not known."""


def trial_routes(settle: Callable[[], Awaitable[None]] = _at_once) -> list[Route]:
    """Return the routes; they are no part of the product's API.

    Args:
        settle: Waits until the background work is done.
    """

    async def settled(_request: Request) -> JSONResponse:
        """Answer once the background work is done, or has taken too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLED_WITHIN_S):
                await settle()
        return JSONResponse({})

    return [
        Route("/trial/stories", _stories, methods=["GET"]),
        Route("/trial/talk", _talk, methods=["POST"]),
        Route("/trial/settled", settled, methods=["GET"]),
    ]


async def _stories(_request: Request) -> JSONResponse:
    told = [
        {
            "id": one.id,
            "locale": one.locale.value,
            "title": one.title,
            "sentence": one.sentence,
            "session_type": one.session_type.value,
        }
        for one in await run_in_threadpool(offers)
    ]
    return JSONResponse({"stories": told})


async def _talk(request: Request) -> JSONResponse:
    """Return the client's next line, if any, and whether the simulator knows the newest message from a story."""
    try:
        talk = _Talk.model_validate_json(await request.body())
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))
        return _refused(400, "invalid_request", f"{where}: {problem['msg']}" if where else problem["msg"])
    try:
        lines: Sequence[str] = await run_in_threadpool(client_lines, talk.story) if talk.story else ()
    except KeyError:
        return _refused(404, "not_found", f"there is no story {talk.story!r}")
    places = await run_in_threadpool(_places)
    return JSONResponse({"next": next_line(lines, talk.said), "read": places.find(talk.said) is not None})


@cache
def _places() -> Places:
    """Return where the simulator finds a line: in the product's stories, and in those of CBOT_SIMULATOR_STORIES."""
    more = os.environ.get("CBOT_SIMULATOR_STORIES")
    return Places(story for folder in (STORIES, *([Path(more)] if more else [])) for story in load_stories(folder))


def _refused(status: int, code: str, detail: str) -> JSONResponse:
    return JSONResponse(
        {"status": status, "code": code, "detail": detail}, status, media_type="application/problem+json"
    )
