"""Dependencies of the handlers, and their common steps: authenticate the caller, read ids from the path."""

from dataclasses import dataclass

from starlette.requests import Request

from functions.chat.use_cases.bookings import Bookings
from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.conversation_lifecycle import ConversationLifecycle
from functions.chat.use_cases.danger import DangerReports
from functions.chat.use_cases.documents import Documents
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.export import ExportLimits
from functions.chat.use_cases.measures import Measures
from functions.chat.use_cases.review import StaffReviews
from functions.chat.use_cases.rights_audit_log import RightsAuditLog
from functions.chat.use_cases.safety_plans import SafetyPlans
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId, MessageId, as_message_id
from shared.engine.read_limits import ReadLimits
from shared.engine.turns import Turns
from shared.engine.watched_model import WatchedModel
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import AppCheck, Caller, Identity
from shared.safety.screening import Screening
from shared.web.problems import ProblemTexts
from shared.web.requests import app_check_token, bearer_token, path_id

PATH_PATTERNS = {
    "booking_id": "[0-9a-f]{24}",
    "conversation_id": "[A-Za-z0-9_-]{1,64}",
    "document_id": "[A-Za-z0-9_-]{1,64}",
    "passage_id": r"[a-z]{1,40}(-[0-9]{1,9}){1,9}",
    "message_id": "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
}
"""Patterns of ids in paths; anything else is not found."""
READING = ("GET", "HEAD")


@dataclass(frozen=True)
class ChatApi:
    """Dependencies of the endpoints.

    Attributes:
        screening: Screens messages with the safety rules.
        version: Version of the build, for `/healthz`.
        model: The language models, and what this instance knows of them.
        origins: Web origins that may call from a browser.
        app_check: Verifies the calling app; None accepts any.
    """

    store: ConversationStore[Session]
    turns: Turns[Session]
    identity: Identity
    service: ConversationLifecycle
    consents: ConsentChanges
    erasure_requests: ErasureRequests
    rights_audit_log: RightsAuditLog
    exports: ExportLimits
    reads: ReadLimits
    reviews: StaffReviews
    dangers: DangerReports
    measures: Measures
    safety_plans: SafetyPlans
    bookings: Bookings
    documents: Documents
    clock: Clock
    screening: Screening
    texts: ProblemTexts
    version: str
    model: WatchedModel
    origins: tuple[str, ...] = ()
    app_check: AppCheck | None = None


async def caller_of(api: ChatApi, request: Request) -> Caller:
    """Return the verified caller, see `known_caller`.

    Raises:
        TooManyRequests: The caller reads too much. Messages are never refused here, since they may tell of a danger.
    """
    caller = await known_caller(api, request)
    if request.method in READING:
        api.reads.take(caller.user_id)
    return caller


async def known_caller(api: ChatApi, request: Request) -> Caller:
    """Verify the app, if required, and return the verified caller."""
    if api.app_check is not None:
        await api.app_check.verify(app_check_token(request))
    return await api.identity.verify(bearer_token(request))


def conversation_of(request: Request) -> ConversationId:
    return ConversationId(path_id(request, "conversation_id", PATH_PATTERNS["conversation_id"]))


def booking_of(request: Request) -> str:
    """Return the booking id of the path."""
    return path_id(request, "booking_id", PATH_PATTERNS["booking_id"])


def message_of(request: Request) -> MessageId:
    return as_message_id(path_id(request, "message_id", PATH_PATTERNS["message_id"]))
