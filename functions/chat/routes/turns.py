"""Handlers of turns: send a message, ask for its reply again."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.routes.api import ChatApi, caller_of, conversation_of, message_of
from shared.content.first_reading import ends_of, read_first
from shared.contracts.chat import ChatRequest
from shared.contracts.events import Done, Failed
from shared.contracts.retrieval import TurnReceived
from shared.domain.errors import SessionEnded
from shared.domain.ids import MessageId
from shared.engine.admission import Incoming
from shared.engine.event_stream import EventStream
from shared.web.answers import answer
from shared.web.danger import danger_of, note_danger
from shared.web.negotiation import locale_of, wants_stream
from shared.web.problems import problem_of_failed, problem_response
from shared.web.requests import read_body
from shared.web.sse import stream_response
from shared.web.text import clean, clean_message


async def chat(api: ChatApi, request: Request) -> Response:
    """Take a message and answer it.

    Its safety reading comes before everything that may refuse it, and goes with it to its turn.
    """
    caller = await caller_of(api, request)
    conversation_id = conversation_of(request)
    body = await read_body(request, ChatRequest)
    reading = read_first(ends_of(clean(body.text)))
    if reading.pressing:
        note_danger(request.scope, await api.dangers.danger(caller, conversation_id, reading))
    text = clean_message(body.text)
    try:
        stream = await api.turns.submit(
            Incoming(caller.user_id, conversation_id, MessageId(body.message_id), text, reading)
        )
    except SessionEnded:
        if reading.pressing:
            await api.dangers.after_end(conversation_id, reading)
        raise
    return await _told(api, request, stream)


async def turn(api: ChatApi, request: Request) -> Response:
    """Return the reply to a message that was sent before; as a stream, wait for it or replay it."""
    caller = await caller_of(api, request)
    conversation_id, message_id = conversation_of(request), message_of(request)
    stream = await api.turns.attach(caller.user_id, conversation_id, message_id, wait=wants_stream(request))
    if stream is None:
        return answer(TurnReceived(message_id=message_id), 202)
    return await _told(api, request, stream)


async def _told(api: ChatApi, request: Request, stream: EventStream) -> Response:
    """Answer in the form that the caller accepts."""
    if wants_stream(request):
        return stream_response(request, stream, api.texts)
    match await stream.end():
        case Done(result=result):
            return answer(result)
        case Failed() as failed:
            locale = locale_of(request)
            danger = danger_of(request.scope)
            return problem_response(problem_of_failed(failed, api.texts, locale, danger), locale)
