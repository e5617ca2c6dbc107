"""The entry point of the `supervisor` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response

from shared.loading import collection_paused

with collection_paused():
    from functions.supervisor.supervise import supervise as judge_turns
    from functions.supervisor.wiring import COMPOSITION
    from shared.contracts.tasks import JobKind
    from shared.web.background import AtLast, handle_task


@functions_framework.aio.http
async def supervise(request: Request) -> Response:
    """Handle a task of Cloud Tasks."""
    parts = COMPOSITION.serving()
    work = partial(judge_turns, parts.context)
    return await handle_task(request, work, {JobKind.SUPERVISE}, parts.invoker_auth, AtLast(parts.context.give_up))
