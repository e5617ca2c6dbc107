"""Handlers of turns: send a message, fetch its reply again."""

from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, caller_of, conversation_of, known_caller, message_of
from functions.chat.use_cases.danger import danger_in
from shared.contracts.chat import ChatRequest
from shared.contracts.events import Done, Failed
from shared.contracts.retrieval import TurnReceived
from shared.domain.conversation import ConversationState
from shared.domain.errors import NotFound, SessionEnded
from shared.domain.ids import as_message_id
from shared.engine.admission import Incoming
from shared.engine.event_stream import EventStream
from shared.ports.identity import Caller
from shared.safety.screening import ends_of
from shared.web.answers import answer
from shared.web.danger import DangerNotice, danger_of, note_danger
from shared.web.negotiation import locale_of, wants_stream
from shared.web.problems import problem_of_failed, problem_response
from shared.web.requests import fitted, read_json
from shared.web.sse import stream_response
from shared.web.text import clean, clean_message


async def chat(api: ChatApi, request: Request) -> Response:
    """Send a message and get its reply; the same message id always gets the same reply.

    Its text is screened before other fields are validated, and the turn gets the result. Not screened are only: unknown
    callers (401, 403), bodies that are no JSON or too large (400, 413, 415) and wrong queries (422).
    """
    caller = await caller_of(api, request)
    body = await read_json(request)
    screened = api.screening.screen(ends_of(clean(body.text("text"))))
    if screened.pressing:
        note_danger(request.scope, DangerNotice(screened.needs))
    conversation_id = conversation_of(request)
    if screened.pressing:
        note_danger(request.scope, await api.dangers.danger(caller, conversation_id, screened))

    def heed(state: ConversationState) -> None:
        if not screened.pressing and (danger := danger_in(state)):
            note_danger(request.scope, danger)

    given = fitted(body, ChatRequest)
    message = Incoming(
        user_id=caller.user_id,
        conversation_id=conversation_id,
        message_id=as_message_id(given.message_id),
        text=clean_message(given.text),
        screened=screened,
        declines=given.declines,
        document_id=given.document_id,
        on_state=heed,
    )
    await _check_document(api, request, caller, message)
    try:
        stream = await api.turns.submit(message)
    except SessionEnded:
        if screened.pressing:
            await api.dangers.after_end(conversation_id, message.message_id, screened)
        raise
    return await _told(api, request, stream)


async def _check_document(api: ChatApi, request: Request, caller: Caller, message: Incoming) -> None:
    """Check the document that a message names; a message that was received before is answered whatever became of it.

    Raises:
        NotFound: It does not exist, was erased, or belongs to another user.
    """
    if message.document_id is None:
        return
    try:
        await api.documents.read(caller, message.document_id, locale_of(request))
    except NotFound:
        with suppress(NotFound):
            await api.turns.attach(*message.key, wait=False)
            return
        raise


async def get_turn(api: ChatApi, request: Request) -> Response:
    """Get the reply to a message again; as a stream, wait for it or replay it.

    The message is screened again, since it may get no reply this time either. The request does not count as a read: a
    reply to a danger must be available, and resending the message does not count either.
    """
    caller = await known_caller(api, request)
    conversation_id, message_id = conversation_of(request), message_of(request)
    if danger := await api.dangers.waiting(caller, conversation_id, message_id):
        note_danger(request.scope, danger)
    stream = await api.turns.attach(caller.user_id, conversation_id, message_id, wait=wants_stream(request))
    if stream is None:
        return answer(TurnReceived(message_id=message_id), 202)
    return await _told(api, request, stream)


async def _told(api: ChatApi, request: Request, stream: EventStream) -> Response:
    if wants_stream(request):
        return stream_response(request, stream, api.texts)
    match await stream.end():
        case Done(result=result):
            return answer(result)
        case Failed() as failed:
            locale = locale_of(request)
            danger = danger_of(request.scope)
            return problem_response(problem_of_failed(failed, api.texts, locale, danger), locale)
