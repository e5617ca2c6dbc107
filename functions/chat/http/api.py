"""What every handler is given, and the two questions that each begins with: who calls, and about what."""

from dataclasses import dataclass

from starlette.requests import Request

from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.conversation_lifecycle import ConversationLifecycle
from functions.chat.use_cases.danger import DangerReports
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.export_limits import ExportLimits
from functions.chat.use_cases.review import StaffReviews
from functions.chat.use_cases.rights_audit_log import RightsAuditLog
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId, MessageId, as_message_id
from shared.engine.model_health import ModelHealth
from shared.engine.read_limits import ReadLimits
from shared.engine.turns import Turns
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import AppCheck, Caller, Identity
from shared.safety.screening import Screening
from shared.web.problems import ProblemTexts
from shared.web.requests import app_check_token, bearer_token, path_id

PATH_PATTERNS = {
    "conversation_id": "[A-Za-z0-9_-]{1,64}",
    "message_id": "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
}
"""What the ids in addresses look like; anything else is nobody's."""
READING = ("GET", "HEAD")


@dataclass(frozen=True)
class ChatApi:
    """The parts behind the endpoints.

    Attributes:
        screening: Reads messages with the safety rules.
        version: Of the build, for `/healthz`.
        model_health: What this instance has seen of the language model.
        origins: Web origins that may call from a browser.
        app_check: Known apps only may call; None lets any.
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
    clock: Clock
    screening: Screening
    texts: ProblemTexts
    version: str
    model_health: ModelHealth
    origins: tuple[str, ...] = ()
    app_check: AppCheck | None = None


async def caller_of(api: ChatApi, request: Request) -> Caller:
    """Return the verified caller, see `known_caller`.

    Raises:
        TooManyRequests: They read too much. What is sent is never refused here: it may tell of a danger.
    """
    caller = await known_caller(api, request)
    if request.method in READING:
        api.reads.take(caller.user_id)
    return caller


async def known_caller(api: ChatApi, request: Request) -> Caller:
    """Return the verified caller, who calls with a verified app where that is asked for."""
    if api.app_check is not None:
        await api.app_check.verify(app_check_token(request))
    return await api.identity.verify(bearer_token(request))


def conversation_of(request: Request) -> ConversationId:
    """Return the conversation that the address names."""
    return ConversationId(path_id(request, "conversation_id", PATH_PATTERNS["conversation_id"]))


def message_of(request: Request) -> MessageId:
    """Return the message that the address names."""
    return as_message_id(path_id(request, "message_id", PATH_PATTERNS["message_id"]))
