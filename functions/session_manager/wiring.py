"""The composition root of `session_manager`: the only module here that would name adapters and config."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.content.catalogue import content
from shared.domain.counseling.session import Session
from shared.domain.errors import ConfigError
from shared.engine.runner import AgentRunner
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.language_model import LanguageModel, ModelSettings
from shared.ports.task_queue import TaskQueue
from shared.services.counseling.house import CounselingHouse
from shared.services.counseling.workbench import CounselingBench
from shared.web.background import TASK_ATTEMPTS
from shared.web.composition import Composition


@dataclass(frozen=True)
class SessionManagerParts:
    """The built function.

    Attributes:
        max_attempts: After so many a task's failure is recorded instead of tried again.
    """

    bench: CounselingBench
    max_attempts: int = TASK_ATTEMPTS


def compose(
    *,
    store: ConversationStore[Session],
    queue: TaskQueue,  # noqa: ARG001 - every background function is composed from the same platform
    model: LanguageModel,
    settings: Mapping[str, ModelSettings],
    clock: Clock,
    ids: IdSource,  # noqa: ARG001 - the same
) -> SessionManagerParts:
    """Build the function over a platform; `settings` are the language model's for each agent by name."""
    bench = CounselingBench(
        store=store, house=CounselingHouse(), runner=AgentRunner(model, settings, clock), content=content()
    )
    return SessionManagerParts(bench=bench)


def from_environment() -> SessionManagerParts:
    """Build from the environment.

    Raises:
        ConfigError: Always, until the platform's adapters are there.
    """
    raise ConfigError(
        "no store for this platform yet: the adapters of Firestore and Cloud Tasks come with the deployment; "
        "`make run` uses the local ones"
    )


COMPOSITION = Composition(from_environment)
"""Built at the first request, or installed by the local server."""
