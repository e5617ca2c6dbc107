"""Handlers of consents: their texts, their state, giving and withdrawing."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, caller_of
from shared.contracts.retrieval import ChangeConsents, ConsentsQuery, ConsentTexts, ConsentTextView
from shared.locale import Locale
from shared.web.answers import answer
from shared.web.negotiation import locale_of
from shared.web.requests import read_body, read_query


async def texts(api: ChatApi, request: Request) -> Response:
    """Show the texts that users consent to; needs no authentication."""
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


async def mine(api: ChatApi, request: Request) -> Response:
    """Show the state of the caller's consents."""
    caller = await caller_of(api, request)
    return answer(await api.consents.state(caller, locale_of(request)))


async def change(api: ChatApi, request: Request) -> Response:
    caller = await caller_of(api, request)
    return answer(await api.consents.change(caller, await read_body(request, ChangeConsents), locale_of(request)))
