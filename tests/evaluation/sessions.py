"""The sessions in which agents are asked about written cases."""

from functions.chat.flows.counseling.opening import open_session
from shared.content.catalogue import content
from shared.contracts.chat import CreateConversation
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Task, TaskKind
from shared.domain.ids import ConversationId, ModuleId, UserId
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from tests.evaluation.agent_cases import locale_of
from tests.support.chat_client import CONSENTS

SECONDS = 60.0
"""For one answer, re-ask included."""


def scope_of(case_id: str, runner: AgentRunner) -> Scope:
    """Return the scope of one question to a model."""
    return Scope(locale=locale_of(case_id), deadline=runner.clock.monotonic() + SECONDS * runner.patience)


def opened(case_id: str, runner: AgentRunner) -> Session:
    """Return a session that was just opened."""
    asked = {"age_band": "adult", "consents": CONSENTS, "locale": locale_of(case_id).value}
    request = CreateConversation.model_validate(asked)
    state, _ = open_session(content(), ConversationId(case_id), UserId("evaluation"), request, runner.clock.now())
    return state


def exploring(title: str, **more: object) -> Task:
    """Return a task of Part 2."""
    plain = {"part": Part.EXPLORATION, "kind": TaskKind.EXPLORATION, "module_id": ModuleId("questioning_technique")}
    return Task.model_validate({**plain, "title": title, "description": title, "completion_criteria": title, **more})
