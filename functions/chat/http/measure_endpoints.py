"""The endpoints of the self-report measures."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, caller_of, conversation_of
from shared.contracts.measures import (
    MeasuresQuery,
    MeasureTakenView,
    MeasureTexts,
    MeasureView,
    MyMeasures,
    TakeMeasure,
)
from shared.domain.errors import AnswersDoNotFit, ConsentRequired, GuardianRequired, MeasureClosed
from shared.locale import Locale, Register
from shared.web.answers import answer
from shared.web.danger import DangerNotice, note_danger
from shared.web.endpoint import Endpoint, Operation
from shared.web.requests import read_body, read_query


async def texts(api: ChatApi, request: Request) -> Response:
    """Show the wording of the measures; needs no authentication."""
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


async def take(api: ChatApi, request: Request) -> Response:
    """Take the answers to a measure; a refusal of an answer about self-harm names sources of help, too."""
    caller = await caller_of(api, request)
    given = await read_body(request, TakeMeasure)
    if needs := api.measures.needs(given):
        note_danger(request.scope, DangerNotice(needs))
    return answer(await api.measures.take(caller, conversation_of(request), given))


async def mine(api: ChatApi, request: Request) -> Response:
    """Show the caller's results."""
    caller = await caller_of(api, request)
    return answer(await api.measures.mine(caller))


ONE = "/api/conversations/{conversation_id}/measures"

TAKE: Operation[ChatApi] = Operation(
    Endpoint(
        "POST",
        ONE,
        "take_measure",
        "Answer a measure before the first message or after the end; help comes with an answer of self-harm",
        request=TakeMeasure,
        response=MeasureTakenView,
        errors=(AnswersDoNotFit, MeasureClosed, ConsentRequired, GuardianRequired),
    ),
    take,
)

MINE: Operation[ChatApi] = Operation(
    Endpoint(
        "GET",
        "/api/me/measures",
        "list_my_measures",
        "Show the caller's results of the measures over time, the oldest first",
        response=MyMeasures,
    ),
    mine,
)

TEXTS: Operation[ChatApi] = Operation(
    Endpoint(
        "GET",
        "/api/measures",
        "list_measures",
        "Show the self-report measures in their validated wording",
        query=MeasuresQuery,
        response=MeasureTexts,
        auth=False,
    ),
    texts,
)
