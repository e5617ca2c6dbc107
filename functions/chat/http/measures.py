"""Handlers of the self-report measures."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, caller_of, conversation_of
from shared.contracts.measures import MeasuresQuery, MeasureTexts, MeasureView, TakeMeasure
from shared.locale import Locale, Register
from shared.web.answers import answer
from shared.web.danger import DangerNotice, note_danger
from shared.web.requests import read_body, read_query


async def list_measures(api: ChatApi, request: Request) -> Response:
    """Show the self-report measures in their validated wording."""
    locale = Locale(read_query(request, MeasuresQuery).locale)
    written = api.measures.content.measures
    shown = tuple(
        MeasureView(
            id=measure.id.value,
            name=measure.at(locale).name,
            instruction=measure.at(locale).instruction,
            items=tuple(item.text for item in measure.at(locale).items),
            answers=measure.at(locale).answers,
            source=measure.source,
            wording=measure.at(locale).wording,
            licence=measure.licence,
        )
        for measure in written.measures
    )
    return answer(MeasureTexts(about=written.about.at(locale, Register.FORMAL), measures=shown))


async def take_measure(api: ChatApi, request: Request) -> Response:
    """Answer a measure before the first message or after the end; help comes with an answer of self-harm.

    A refusal of an answer about self-harm names sources of help, too.
    """
    caller = await caller_of(api, request)
    given = await read_body(request, TakeMeasure)
    if needs := api.measures.needs(given):
        note_danger(request.scope, DangerNotice(needs))
    return answer(await api.measures.take(caller, conversation_of(request), given))


async def list_my_measures(api: ChatApi, request: Request) -> Response:
    """Show the caller's results of the measures over time, the oldest first."""
    caller = await caller_of(api, request)
    return answer(await api.measures.mine(caller))
