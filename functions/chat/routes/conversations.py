"""Handlers of conversations: open, list, read, end, rate."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.routes.api import ChatApi, caller_of, conversation_of
from functions.chat.routes.reading import conversation_view, history, own_conversations, own_view
from shared.contracts.chat import CreateConversation, Satisfaction
from shared.contracts.retrieval import ConversationsQuery, MessagesQuery
from shared.web.answers import answer, nothing
from shared.web.requests import read_body, read_query


async def create(api: ChatApi, request: Request) -> Response:
    """Open a conversation."""
    caller = await caller_of(api, request)
    created = await api.service.create(caller, await read_body(request, CreateConversation))
    return answer(created, 201, {"Location": f"/api/conversations/{created.conversation_id}"})


async def list_own(api: ChatApi, request: Request) -> Response:
    """List the caller's conversations."""
    caller = await caller_of(api, request)
    return answer(await own_conversations(api.store, caller, read_query(request, ConversationsQuery)))


async def get(api: ChatApi, request: Request) -> Response:
    """Show one conversation."""
    caller = await caller_of(api, request)
    return answer(conversation_view(await own_view(api.store, caller, conversation_of(request))))


async def messages(api: ChatApi, request: Request) -> Response:
    """Show the history."""
    caller = await caller_of(api, request)
    conversation_id = conversation_of(request)
    query = read_query(request, MessagesQuery)
    await own_view(api.store, caller, conversation_id)
    return answer(await history(api.store, conversation_id, query))


async def end(api: ChatApi, request: Request) -> Response:
    """End a conversation."""
    caller = await caller_of(api, request)
    return answer(await api.service.end(caller, conversation_of(request)))


async def rate(api: ChatApi, request: Request) -> Response:
    """Rate an ended conversation."""
    caller = await caller_of(api, request)
    conversation_id = conversation_of(request)
    await api.service.rate(caller, conversation_id, await read_body(request, Satisfaction))
    return nothing()
