"""The endpoints of `chat`."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http import (
    booking_endpoints,
    consents,
    conversations,
    document_endpoints,
    measure_endpoints,
    review,
    rights,
    safety_plan_endpoints,
    turns,
)
from functions.chat.http.api import ChatApi
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
from shared.domain.errors import (
    BudgetSpent,
    ConsentRequired,
    DailyLimitReached,
    EmptyText,
    ExportsUsedUp,
    Forbidden,
    GuardianRequired,
    LeaseLost,
    MessageIdConflict,
    NotFound,
    Overloaded,
    SessionEnded,
    SessionOpen,
    ShuttingDown,
    TextTooLong,
    TooManyRequests,
    TurnPending,
)
from shared.web.answers import answer
from shared.web.endpoint import Endpoint, Operation

ALL = "/api/conversations"
ONE = "/api/conversations/{conversation_id}"
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
    """Report liveness, and the model's health as this instance knows it."""
    api.model.look_again()
    seen = api.model.health.status
    return answer(Health(version=api.version, model=seen.state.value, model_reason=seen.reason))


OPERATIONS: tuple[Operation[ChatApi], ...] = (
    Operation(
        Endpoint(
            "POST",
            ALL,
            "create_conversation",
            "Open a conversation",
            request=CreateConversation,
            response=ConversationCreated,
            status=201,
            errors=(NotFound, ConsentRequired, GuardianRequired, TooManyRequests, Overloaded),
        ),
        conversations.create,
    ),
    Operation(
        Endpoint(
            "GET",
            ALL,
            "list_conversations",
            "List the caller's conversations, the newest first",
            query=ConversationsQuery,
            response=ConversationPage,
        ),
        conversations.list_own,
    ),
    Operation(
        Endpoint("GET", ONE, "get_conversation", "Show a conversation", response=ConversationView), conversations.get
    ),
    Operation(
        Endpoint(
            "DELETE",
            ONE,
            "delete_conversation",
            "Delete a conversation and all that hangs on it; 202 where it is hidden and the rest takes longer",
            status=204,
            also={202: ErasureAccepted},
        ),
        rights.delete_conversation,
    ),
    Operation(
        Endpoint(
            "GET",
            f"{ONE}/messages",
            "list_messages",
            "Show the history, in order",
            query=MessagesQuery,
            response=MessagePage,
        ),
        conversations.messages,
    ),
    Operation(
        Endpoint(
            "POST",
            f"{ONE}/chat",
            "chat",
            "Send a message and get its reply; the same message id always gets the same reply",
            request=ChatRequest,
            response=ChatReply,
            errors=(EmptyText, TextTooLong, *_OF_TURNS),
            stream=True,
        ),
        turns.chat,
    ),
    Operation(
        Endpoint(
            "GET",
            f"{ONE}/turns/{{message_id}}",
            "get_turn",
            "Get the reply to a message again; as a stream, wait for it or replay it",
            response=ChatReply,
            also={202: TurnReceived},
            errors=_OF_TURNS,
            stream=True,
        ),
        turns.turn,
    ),
    Operation(
        Endpoint("POST", f"{ONE}/end", "end_conversation", "End a conversation; may be repeated", response=Ended),
        conversations.end,
    ),
    Operation(
        Endpoint(
            "POST",
            f"{ONE}/satisfaction",
            "rate_conversation",
            "Rate an ended conversation; 200 where the comment tells of a danger, with who can help",
            request=Satisfaction,
            status=204,
            also={200: HelpNamed},
            errors=(SessionOpen, ConsentRequired),
        ),
        conversations.rate,
    ),
    measure_endpoints.TAKE,
    Operation(
        Endpoint(
            "GET",
            f"{ONE}/export",
            "export_conversation",
            "Get everything stored about a conversation",
            response=ConversationExport,
            errors=(ExportsUsedUp,),
        ),
        rights.export_conversation,
    ),
    Operation(
        Endpoint("GET", "/api/me", "get_me", "Show what is kept of the caller beside conversations", response=Me),
        rights.me,
    ),
    Operation(
        Endpoint(
            "DELETE",
            "/api/me",
            "delete_me",
            "Delete everything of the caller; 202 where it is hidden and the rest takes longer",
            status=204,
            also={202: ErasureAccepted},
        ),
        rights.delete_me,
    ),
    Operation(
        Endpoint(
            "GET",
            "/api/me/export",
            "export_me",
            "Get everything stored about the caller",
            response=PersonExport,
            errors=(ExportsUsedUp,),
        ),
        rights.export_me,
    ),
    *safety_plan_endpoints.OPERATIONS,
    *booking_endpoints.OPERATIONS,
    *document_endpoints.OPERATIONS,
    Operation(
        Endpoint(
            "GET", "/api/me/consents", "get_my_consents", "Show how the caller's consents stand", response=MyConsents
        ),
        consents.mine,
    ),
    Operation(
        Endpoint(
            "PUT",
            "/api/me/consents",
            "change_my_consents",
            "Give or withdraw consents, for all conversations of the caller; what was withdrawn stops all processing",
            request=ChangeConsents,
            response=MyConsents,
            errors=(ConsentRequired,),
        ),
        consents.change,
    ),
    measure_endpoints.MINE,
    measure_endpoints.TEXTS,
    Operation(
        Endpoint(
            "GET",
            "/api/consents",
            "list_consents",
            "Show what a person is asked to agree to, with the version of each text",
            query=ConsentsQuery,
            response=ConsentTexts,
            auth=False,
        ),
        consents.texts,
    ),
    Operation(
        Endpoint(
            "GET",
            QUEUE,
            "list_reviews",
            "For reviewers: list flagged sessions, the most pressing first",
            query=ReviewQuery,
            response=ReviewPage,
            errors=(Forbidden,),
        ),
        review.queue,
    ),
    Operation(
        Endpoint(
            "GET",
            f"{QUEUE}/{{conversation_id}}",
            "get_review",
            "For reviewers: look at a flagged session; every look is audited",
            query=LookQuery,
            response=ReviewDetail,
            errors=(Forbidden,),
        ),
        review.look,
    ),
    Operation(
        Endpoint(
            "POST",
            f"{QUEUE}/{{conversation_id}}/seen",
            "mark_reviewed",
            "For reviewers: mark a flagged session as seen, with a note",
            request=MarkSeen,
            response=ReviewEntry,
            errors=(Forbidden, EmptyText),
        ),
        review.mark_seen,
    ),
    Operation(
        Endpoint("GET", "/healthz", "healthz", "Liveness, version, model", response=Health, auth=False),
        healthz,
    ),
    # Cloud Run reserves paths that end in z: https://cloud.google.com/run/docs/known-issues
    Operation(Endpoint("GET", "/api/health", "health", "The same, in the cloud", response=Health, auth=False), healthz),
)
