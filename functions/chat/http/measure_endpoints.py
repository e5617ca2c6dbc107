"""The endpoints of the self-report measures."""

from functions.chat.http import measures
from functions.chat.http.api import ChatApi
from shared.contracts.measures import MeasuresQuery, MeasureTakenView, MeasureTexts, MyMeasures, TakeMeasure
from shared.domain.errors import AnswersDoNotFit, ConsentRequired, GuardianRequired, MeasureClosed
from shared.web.endpoint import Endpoint, Operation

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
    measures.take,
)

MINE: Operation[ChatApi] = Operation(
    Endpoint(
        "GET",
        "/api/me/measures",
        "list_my_measures",
        "Show the caller's results of the measures over time, the oldest first",
        response=MyMeasures,
    ),
    measures.mine,
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
    measures.texts,
)
