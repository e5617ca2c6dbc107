"""Handlers of conversations: open, list, read, end, rate."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, caller_of, conversation_of
from functions.chat.use_cases.conversation_lifecycle import comment_of, rating_id
from functions.chat.use_cases.retrieval import conversation_view, history, own_conversations, own_view
from shared.contracts.chat import CreateConversation
from shared.contracts.rating import HelpNamed, Satisfaction
from shared.contracts.retrieval import ConversationsQuery, MessagesQuery
from shared.locale import Locale
from shared.safety.screening import ends_of
from shared.web.answers import answer, nothing
from shared.web.danger import DangerNotice, note_danger
from shared.web.negotiation import locale_of
from shared.web.requests import fitted, read_body, read_json, read_query
from shared.web.text import clean


async def create_conversation(api: ChatApi, request: Request) -> Response:
    """Open a conversation."""
    caller = await caller_of(api, request)
    wanted = await read_body(request, CreateConversation)
    if wanted.document_id is not None:
        await api.documents.read(caller, wanted.document_id, Locale(wanted.locale))
    created = await api.service.create(caller, wanted)
    return answer(created, 201, {"Location": f"/api/conversations/{created.conversation_id}"})


async def list_conversations(api: ChatApi, request: Request) -> Response:
    """List the caller's conversations, the newest first."""
    caller = await caller_of(api, request)
    return answer(await own_conversations(api.store, caller, read_query(request, ConversationsQuery)))


async def get_conversation(api: ChatApi, request: Request) -> Response:
    """Show a conversation."""
    caller = await caller_of(api, request)
    return answer(conversation_view(await own_view(api.store, caller, conversation_of(request))))


async def list_messages(api: ChatApi, request: Request) -> Response:
    """Show the history, in order."""
    caller = await caller_of(api, request)
    conversation_id = conversation_of(request)
    query = read_query(request, MessagesQuery)
    await own_view(api.store, caller, conversation_id)
    return answer(await history(api.store, conversation_id, query))


async def end_conversation(api: ChatApi, request: Request) -> Response:
    """End a conversation; may be repeated."""
    caller = await caller_of(api, request)
    return answer(await api.service.end(caller, conversation_of(request)))


async def rate_conversation(api: ChatApi, request: Request) -> Response:
    """Rate an ended conversation; 200 where the comment tells of a danger, with who can help.

    The comment is screened before other fields are validated: whether the rating is accepted or refused, the answer
    names sources of help, and an accepted one flags the session for reviewers.
    """
    caller = await caller_of(api, request)
    body = await read_json(request)
    screened = api.screening.screen(ends_of(clean(body.text("comment"))))
    danger = DangerNotice(screened.needs)
    if screened.pressing:
        note_danger(request.scope, danger)
    conversation_id = conversation_of(request)
    if screened.pressing:
        danger = await api.dangers.danger(caller, conversation_id, screened)
        note_danger(request.scope, danger)
    state = await api.service.rate(caller, conversation_id, comment_of(fitted(body, Satisfaction)))
    if not screened.pressing:
        return nothing()
    await api.dangers.after_end(conversation_id, rating_id(state), screened)
    message, resources = api.texts.help(danger, locale_of(request))
    return answer(HelpNamed(message=message, resources=resources))
