"""What all flows of a counselling conversation share: the client's view, and the background work that is due."""

from collections.abc import Sequence

from shared.content.crisis_protocol import resources
from shared.contracts.chat import ResourceView, RiskView, StateSnapshot, TaskView, WrapUpView
from shared.contracts.tasks import TaskKind, TaskPayload
from shared.domain.counseling.due import fell_due
from shared.domain.counseling.lifecycle import Work, due_work, overdue_work
from shared.domain.counseling.session import Session
from shared.domain.safety.levels import RiskLevel
from shared.engine.flow import House
from shared.ports.conversation_store import View

PREVIEW = 80
"""Characters of the last message in a list of conversations."""


class CounselingHouse(House[Session]):
    """Draws views of sessions."""

    def view(self, state: Session) -> View:
        """See the engine's `House`."""
        last = state.recent[-1].text if state.recent else ""
        return View(
            conversation_id=state.conversation_id,
            user_id=state.user_id,
            title=state.title,
            status=state.status.value,
            part=int(state.current_part),
            progress=state.progress,
            last_message=last if len(last) <= PREVIEW else last[: PREVIEW - 1] + "…",
            created_at=state.created_at,
            updated_at=state.updated_at,
            expire_at=state.expire_at,
            state_snapshot=snapshot(state).model_dump(mode="json"),
        )

    def due(self, state: Session) -> Sequence[TaskPayload]:
        """See the engine's `House`; a task is named by the turn at which its work fell due (`due_work`)."""
        return _tasks(state, due_work(state))

    def overdue(self, state: Session) -> Sequence[TaskPayload]:
        """See the engine's `House`."""
        return _tasks(state, overdue_work(state))


def _tasks(state: Session, works: Sequence[Work]) -> tuple[TaskPayload, ...]:
    return tuple(
        TaskPayload(
            conversation_id=state.conversation_id,
            kind=TaskKind(work.value),
            seq=fell_due(state, work),
            state_version=state.state_version,
        )
        for work in works
    )


def snapshot(state: Session) -> StateSnapshot:
    """Return what a client shows of a session."""
    task = state.task(state.current_task)
    wrap_up = state.wrap_up
    return StateSnapshot(
        status=state.status.value,
        part=state.current_part.value,
        task=TaskView(id=task.id, title=task.title) if task else None,
        module=state.current_module,
        progress=state.progress,
        plan_status=state.plan_status.value,
        wrap_up=WrapUpView(stage=wrap_up.stage.value, aim=wrap_up.aim.value) if wrap_up else None,
        risk=_risk(state),
    )


def _risk(state: Session) -> RiskView:
    level = state.risk.level
    shown = (
        resources(state.locale, minor=state.age_band == "14_18", imminent=level is RiskLevel.IMMINENT)
        if level >= RiskLevel.CONCERN
        else ()
    )
    return RiskView(
        level=level.name.lower(),
        resources=tuple(ResourceView(name=line.name, number=line.number, hours=line.hours) for line in shown),
    )
