"""Google Cloud's store and queues, or their emulators, as the environment says."""

from collections.abc import Mapping

from shared.adapters.cloud_tasks import CloudTasksQueue, Route, connect, queue_path
from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.documents.checkpoints import DocumentCheckpoints
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.passage_vectors import DocumentPassageVectors
from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.system_clock import SystemClock
from shared.config.platform import FirestoreSettings, QueueSettings
from shared.config.settings import ModelAccess
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session import Session
from shared.observability.trace_context import outgoing_headers


def session_store(environment: Mapping[str, str]) -> DocumentConversationStore[Session]:
    """Return the conversations in Firestore; nothing connects before the first call.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    return DocumentConversationStore(_database(environment), Session)


def appointments(environment: Mapping[str, str]) -> DocumentAppointments:
    """Return the booked sessions in Firestore; nothing connects before the first call.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    return DocumentAppointments(_database(environment))


def checkpoints(environment: Mapping[str, str]) -> DocumentCheckpoints:
    """Return the unfinished searches in Firestore; nothing connects before the first call.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    return DocumentCheckpoints(_database(environment))


def passage_vectors(environment: Mapping[str, str]) -> DocumentPassageVectors:
    """Return the vectors of uploads in Firestore; nothing connects before the first call.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    return DocumentPassageVectors(_database(environment))


def task_queue(environment: Mapping[str, str]) -> CloudTasksQueue:
    """Return the queues; nothing connects before the first task.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    settings = QueueSettings.read(environment)
    return connect(
        routes(settings),
        settings.service_account,
        SystemClock(),
        emulator=settings.emulator,
        headers=outgoing_headers,
        patience=ModelAccess.read(environment).patience,
    )


def _database(environment: Mapping[str, str]) -> FirestoreDocumentDatabase:
    settings = FirestoreSettings.read(environment)
    return FirestoreDocumentDatabase(FirestoreConnection(settings.project, settings.database, settings.emulator))


def routes(settings: QueueSettings) -> dict[JobKind, Route]:
    """Return which queue and which function each kind of task goes to; a token is meant for the function's address."""

    def route(queue: str, url: str) -> Route:
        return Route(queue=queue_path(settings.project, settings.location, queue), url=url, audience=url)

    chat = route(settings.chat_queue, settings.answer_url)
    manager = route(settings.session_manager_queue, settings.session_manager_url)
    return {
        JobKind.SUPERVISE: route(settings.supervisor_queue, settings.supervisor_url),
        JobKind.PLAN: route(settings.planner_queue, settings.planner_url),
        JobKind.REVIEW: manager,
        JobKind.SUMMARIZE: manager,
        JobKind.CLOSE: manager,
        JobKind.ANSWER: chat,
        JobKind.ERASE: chat,
        JobKind.WITHDRAW: chat,
        JobKind.REMIND: chat,
    }
