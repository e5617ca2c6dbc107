"""Handlers of a person's rights over what is stored about them: take it along, have it deleted."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.routes.api import ChatApi, caller_of, conversation_of
from functions.chat.routes.reading import export, me_view, own_view
from shared.web.answers import answer, nothing


async def export_conversation(api: ChatApi, request: Request) -> Response:
    """Give out everything stored about a conversation, as a file."""
    caller = await caller_of(api, request)
    conversation_id = conversation_of(request)
    await own_view(api.store, caller, conversation_id)
    file = await export(api.store, conversation_id, api.clock.now())
    return answer(file, headers={"Content-Disposition": f'attachment; filename="cbot-{conversation_id}.json"'})


async def delete_conversation(api: ChatApi, request: Request) -> Response:
    """Delete a conversation and all that hangs on it, and what the profile holds of it.

    The profile comes first, so that a deletion that broke off is made good by its repetition, and once more behind the
    rest: a closing may have come between, and none comes any more.
    """
    caller = await caller_of(api, request)
    conversation_id = conversation_of(request)
    await api.service.forget(caller, conversation_id)
    await own_view(api.store, caller, conversation_id)
    await api.store.erase(conversation_id)
    await api.service.forget(caller, conversation_id)
    return nothing()


async def me(api: ChatApi, request: Request) -> Response:
    """Show what is kept of the caller beside their conversations."""
    caller = await caller_of(api, request)
    return answer(me_view(caller, await api.service.profile(caller)))


async def delete_me(api: ChatApi, request: Request) -> Response:
    """Delete everything of the caller."""
    caller = await caller_of(api, request)
    await api.store.erase_user(caller.user_id)
    return nothing()
