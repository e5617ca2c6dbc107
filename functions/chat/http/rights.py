"""Handlers of the users' rights: export and deletion of their data, and consents."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from functions.chat.http.api import ChatApi, caller_of, conversation_of
from functions.chat.use_cases.export import export_person
from functions.chat.use_cases.retrieval import export, me_view, own_view
from shared.contracts.retrieval import ChangeConsents, ConsentsQuery, ConsentTexts, ConsentTextView, ErasureAccepted
from shared.locale import Locale
from shared.ports.identity import Caller
from shared.web.answers import NO_STORE, answer, nothing
from shared.web.negotiation import locale_of
from shared.web.requests import read_body, read_query


async def export_conversation(api: ChatApi, request: Request) -> Response:
    """Get everything stored about a conversation."""
    caller = await caller_of(api, request)
    conversation_id = conversation_of(request)
    await own_view(api.store, caller, conversation_id)
    with api.exports.places.place(caller.user_id):
        usage = await api.exports.entry(caller.user_id)
        file = await export(api.store, conversation_id, api.clock.now())
        await api.rights_audit_log.exported(conversation_id, usage)
    return answer(file, headers={"Content-Disposition": f'attachment; filename="cbot-{conversation_id}.json"'})


async def delete_conversation(api: ChatApi, request: Request) -> Response:
    """Delete a conversation and all that hangs on it; 202 where it is hidden and the rest takes longer."""
    caller = await caller_of(api, request)
    return erased(whole=await api.erasure_requests.conversation(caller, conversation_of(request)))


async def get_me(api: ChatApi, request: Request) -> Response:
    """Show what is kept of the caller beside conversations."""
    caller = await caller_of(api, request)
    return answer(me_view(caller, await api.service.profile(caller)))


async def export_me(api: ChatApi, request: Request) -> Response:
    """Get everything stored about the caller.

    If the store fails after the answer has begun, the answer ends early and is incomplete JSON.
    """
    caller = await caller_of(api, request)
    pieces = _exported(api, caller)
    first = await anext(pieces)
    headers = {**NO_STORE, "Content-Disposition": 'attachment; filename="cbot-me.json"'}
    return StreamingResponse(_from(first, pieces), headers=headers, media_type="application/json")


async def delete_me(api: ChatApi, request: Request) -> Response:
    """Delete everything of the caller; 202 where it is hidden and the rest takes longer."""
    caller = await caller_of(api, request)
    return erased(whole=await api.erasure_requests.everything(caller))


def erased(*, whole: bool) -> Response:
    """Answer 204 if nothing is left, 202 if it is hidden and still being deleted."""
    return nothing() if whole else answer(ErasureAccepted(), 202)


async def _exported(api: ChatApi, caller: Caller) -> AsyncGenerator[str, None]:
    """Yield the pieces; the user's next export must wait for the last one."""
    with api.exports.places.place(caller.user_id):
        usage = await api.exports.entry(caller.user_id)
        pieces = export_person(api.store, api.bookings.appointments, caller, api.clock.now())
        first = await anext(pieces)
        await api.rights_audit_log.exported(usage=usage)
        yield first
        async for piece in pieces:
            yield piece


async def _from(first: str, rest: AsyncGenerator[str, None]) -> AsyncIterator[str]:
    async with aclosing(rest):
        yield first
        async for piece in rest:
            yield piece


async def list_consents(api: ChatApi, request: Request) -> Response:
    """Show what a person is asked to agree to, with the version of each text."""
    locale = Locale(read_query(request, ConsentsQuery).locale)
    operator = api.consents.texts.operator(locale, api.consents.operator)
    shown = tuple(
        ConsentTextView(
            id=text.id,
            version=text.version,
            required=text.required,
            title=text.title.at(locale),
            text=text.words(locale, operator),
        )
        for text in api.consents.texts.consents
    )
    return answer(ConsentTexts(consents=shown))


async def get_my_consents(api: ChatApi, request: Request) -> Response:
    """Show how the caller's consents stand."""
    caller = await caller_of(api, request)
    return answer(await api.consents.state(caller, locale_of(request)))


async def change_my_consents(api: ChatApi, request: Request) -> Response:
    """Give or withdraw consents, for all conversations of the caller; what was withdrawn stops all processing."""
    caller = await caller_of(api, request)
    return answer(await api.consents.change(caller, await read_body(request, ChangeConsents), locale_of(request)))
