"""The endpoints of `chat`."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http import bookings, conversations, documents, measures, review, rights, safety_plans, turns
from functions.chat.http.api import ChatApi
from shared.contracts.booking import BookingList
from shared.contracts.chat import (
    ChatReply,
    ChatRequest,
    ConversationCreated,
    ConversationPage,
    ConversationView,
    CreateConversation,
    Ended,
    Health,
    MessagePage,
)
from shared.contracts.documents import DocumentQuery, DocumentView, MyDocuments, PassageView, UploadForm
from shared.contracts.measures import MeasuresQuery, MeasureTakenView, MeasureTexts, MyMeasures, TakeMeasure
from shared.contracts.person_export import PersonExport
from shared.contracts.rating import HelpNamed, Satisfaction
from shared.contracts.retrieval import (
    ChangeConsents,
    ConsentsQuery,
    ConsentTexts,
    ConversationExport,
    ConversationsQuery,
    ErasureAccepted,
    Me,
    MessagesQuery,
    MyConsents,
    TurnReceived,
)
from shared.contracts.review import LookQuery, MarkSeen, ReviewDetail, ReviewEntry, ReviewPage, ReviewQuery
from shared.contracts.safety_plan import ChangeSafetyPlan, SafetyPlanView
from shared.domain.errors import (
    FILE_PROBLEMS,
    AnswersDoNotFit,
    BudgetSpent,
    ConsentRequired,
    DailyLimitReached,
    DocumentLimitReached,
    EmptyText,
    ExportsUsedUp,
    Forbidden,
    GuardianRequired,
    LeaseLost,
    MeasureClosed,
    MessageIdConflict,
    NotFound,
    Overloaded,
    SessionEnded,
    SessionOpen,
    ShuttingDown,
    TextTooLong,
    TooManyRequests,
    TurnPending,
    UploadsUsedUp,
)
from shared.web.answers import answer
from shared.web.endpoint import Endpoint

ALL = "/api/conversations"
ONE = "/api/conversations/{conversation_id}"
BOOKING = "/api/bookings/{booking_id}"
DOCUMENT = "/api/documents/{document_id}"
QUEUE = "/api/review"
_OF_TURNS = (
    NotFound,
    MessageIdConflict,
    SessionEnded,
    ConsentRequired,
    TooManyRequests,
    Overloaded,
    DailyLimitReached,
    BudgetSpent,
    ShuttingDown,
    TurnPending,
    LeaseLost,
)


async def healthz(api: ChatApi, _request: Request) -> Response:
    """Liveness, version, model."""
    api.model.look_again()
    seen = api.model.health.status
    return answer(Health(version=api.version, model=seen.state.value, model_reason=seen.reason))


async def health(api: ChatApi, request: Request) -> Response:
    """The same, in the cloud."""
    return await healthz(api, request)


ENDPOINTS: tuple[Endpoint[ChatApi], ...] = (
    Endpoint(
        "POST",
        ALL,
        conversations.create_conversation,
        request=CreateConversation,
        response=ConversationCreated,
        status=201,
        errors=(NotFound, ConsentRequired, GuardianRequired, TooManyRequests, Overloaded),
    ),
    Endpoint("GET", ALL, conversations.list_conversations, query=ConversationsQuery, response=ConversationPage),
    Endpoint("GET", ONE, conversations.get_conversation, response=ConversationView),
    Endpoint("DELETE", ONE, rights.delete_conversation, status=204, also={202: ErasureAccepted}),
    Endpoint("GET", f"{ONE}/messages", conversations.list_messages, query=MessagesQuery, response=MessagePage),
    Endpoint(
        "POST",
        f"{ONE}/chat",
        turns.chat,
        request=ChatRequest,
        response=ChatReply,
        errors=(EmptyText, TextTooLong, *_OF_TURNS),
        stream=True,
    ),
    Endpoint(
        "GET",
        f"{ONE}/turns/{{message_id}}",
        turns.get_turn,
        response=ChatReply,
        also={202: TurnReceived},
        errors=_OF_TURNS,
        stream=True,
    ),
    Endpoint("POST", f"{ONE}/end", conversations.end_conversation, response=Ended),
    Endpoint(
        "POST",
        f"{ONE}/satisfaction",
        conversations.rate_conversation,
        request=Satisfaction,
        status=204,
        also={200: HelpNamed},
        errors=(SessionOpen, ConsentRequired),
    ),
    Endpoint(
        "POST",
        f"{ONE}/measures",
        measures.take_measure,
        request=TakeMeasure,
        response=MeasureTakenView,
        errors=(AnswersDoNotFit, MeasureClosed, ConsentRequired, GuardianRequired),
    ),
    Endpoint("GET", f"{ONE}/export", rights.export_conversation, response=ConversationExport, errors=(ExportsUsedUp,)),
    Endpoint("GET", "/api/me", rights.get_me, response=Me),
    Endpoint("DELETE", "/api/me", rights.delete_me, status=204, also={202: ErasureAccepted}),
    Endpoint("GET", "/api/me/export", rights.export_me, response=PersonExport, errors=(ExportsUsedUp,)),
    Endpoint("GET", "/api/safety-plan", safety_plans.get_safety_plan, response=SafetyPlanView),
    Endpoint(
        "PUT",
        "/api/safety-plan",
        safety_plans.change_safety_plan,
        request=ChangeSafetyPlan,
        response=SafetyPlanView,
        errors=(ConsentRequired, GuardianRequired),
    ),
    Endpoint("DELETE", "/api/safety-plan", safety_plans.delete_safety_plan, status=204),
    Endpoint("GET", "/api/bookings", bookings.list_bookings, response=BookingList),
    Endpoint("GET", f"{BOOKING}.ics", bookings.get_booking_file, media=bookings.CALENDAR),
    Endpoint("DELETE", BOOKING, bookings.cancel_booking, status=204),
    Endpoint(
        "POST",
        "/api/documents",
        documents.upload_document,
        form=UploadForm,
        response=DocumentView,
        status=201,
        errors=(
            *FILE_PROBLEMS,
            ConsentRequired,
            GuardianRequired,
            DocumentLimitReached,
            UploadsUsedUp,
            TooManyRequests,
            Overloaded,
        ),
    ),
    Endpoint("GET", "/api/documents", documents.list_documents, response=MyDocuments),
    Endpoint("GET", DOCUMENT, documents.get_document, query=DocumentQuery, response=DocumentView),
    Endpoint(
        "GET", f"{DOCUMENT}/passages/{{passage_id}}", documents.get_passage, query=DocumentQuery, response=PassageView
    ),
    Endpoint("DELETE", DOCUMENT, documents.delete_document, status=204, also={202: ErasureAccepted}),
    Endpoint("GET", "/api/me/consents", rights.get_my_consents, response=MyConsents),
    Endpoint(
        "PUT",
        "/api/me/consents",
        rights.change_my_consents,
        request=ChangeConsents,
        response=MyConsents,
        errors=(ConsentRequired,),
    ),
    Endpoint("GET", "/api/me/measures", measures.list_my_measures, response=MyMeasures),
    Endpoint("GET", "/api/measures", measures.list_measures, query=MeasuresQuery, response=MeasureTexts, auth=False),
    Endpoint("GET", "/api/consents", rights.list_consents, query=ConsentsQuery, response=ConsentTexts, auth=False),
    Endpoint("GET", QUEUE, review.list_reviews, query=ReviewQuery, response=ReviewPage, errors=(Forbidden,)),
    Endpoint(
        "GET",
        f"{QUEUE}/{{conversation_id}}",
        review.get_review,
        query=LookQuery,
        response=ReviewDetail,
        errors=(Forbidden,),
    ),
    Endpoint(
        "POST",
        f"{QUEUE}/{{conversation_id}}/seen",
        review.mark_reviewed,
        request=MarkSeen,
        response=ReviewEntry,
        errors=(Forbidden, EmptyText),
    ),
    Endpoint("GET", "/healthz", healthz, response=Health, auth=False),
    # Cloud Run reserves paths that end in z: https://cloud.google.com/run/docs/known-issues
    Endpoint("GET", "/api/health", health, response=Health, auth=False),
)
