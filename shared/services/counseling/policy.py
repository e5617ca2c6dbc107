"""Service policy of counselling conversations: the client's view and the due background work."""

import re
from collections.abc import Sequence
from typing import get_args
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from shared.content.booking import BookingVoice
from shared.content.catalogue import Content
from shared.contracts.booking import BookingCard
from shared.contracts.chat import (
    AskView,
    ClosingView,
    MeasuresOffered,
    ResourceView,
    RiskView,
    ServiceName,
    StateSnapshot,
    TaskView,
    WrapUpView,
)
from shared.contracts.measures import ResultView
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.consents import refused
from shared.domain.conversation import Role
from shared.domain.counseling.due import fell_due
from shared.domain.counseling.lifecycle import Work, due_work, overdue_work
from shared.domain.counseling.measure_events import offered, open_moment, open_until
from shared.domain.counseling.measures import MeasureResult
from shared.domain.counseling.session import Session, WrapUpStage
from shared.engine.flow import ServicePolicy
from shared.lexicon.session_words import questions_of
from shared.locale import Locale
from shared.ports.conversation_documents import View
from shared.safety.follow_through import needs_now
from shared.safety.levels import RiskLevel
from shared.services.booking import card_of

LONGEST = {Locale.KO: 32, Locale.EN: 56}
"""Maximum characters of a title: two lines of the list."""
_SENTENCE = re.compile(r".+?[.?!…](?=\s|$)|.+")
_COUNSELING = "counseling"
PREVIEW = 80
"""Maximum characters of the last message in a list of conversations."""


class CounselingPolicy(ServicePolicy[Session]):
    def __init__(self, content: Content) -> None:
        self._content = content

    def view(self, state: Session) -> View:
        last = state.recent[-1].text if state.recent else ""
        return View(
            conversation_id=state.conversation_id,
            user_id=state.user_id,
            title=title_of(state),
            status=state.status.value,
            part=int(state.current_part),
            progress=state.progress,
            last_message=last if len(last) <= PREVIEW else last[: PREVIEW - 1] + "…",
            created_at=state.created_at,
            updated_at=state.updated_at,
            expire_at=state.expire_at,
            state_snapshot=self.snapshot(state).model_dump(mode="json"),
            closing=_closing(state),
            measures=tuple(result_view(result).model_dump(mode="json") for result in state.measures),
        )

    def due(self, state: Session) -> Sequence[TaskPayload]:
        """See `ServicePolicy`; a task is named by the turn at which its work fell due (`due_work`)."""
        return _tasks(state, due_work(state))

    def overdue(self, state: Session) -> Sequence[TaskPayload]:
        return _tasks(state, overdue_work(state))

    def snapshot(self, state: Session) -> StateSnapshot:
        """Return the session's state for clients."""
        task = state.task_in_progress
        return StateSnapshot(
            status=state.status.value,
            part=state.current_part.value,
            task=TaskView(id=task.id, title=task.title) if task else None,
            module=state.current_module,
            progress=state.progress,
            plan_status=state.plan_status.value,
            wrap_up=_wrap_up(state),
            risk=self._risk(state),
            asks=_asks(state),
            may_skip=_may_skip(state),
            measures=_measures(state),
            service=_service(state),
            document_id=state.agreement.document_id,
            booking=self._booking(state),
        )

    def _booking(self, state: Session) -> BookingCard | None:
        """Return the card of the request in work; None if booking waits for nothing."""
        current = state.booking.mid_flow or state.answered_by == "booking"
        if state.ended or not current or state.booking.batch_total == 0:
            return None
        calendar = self._content.booking_calendar
        zone = ZoneInfo(state.booking.zone or calendar.zone)
        today = state.updated_at.astimezone(zone).date()
        voice = BookingVoice(self._content.booking_replies, calendar, state.locale, state.register_, today, zone)
        return card_of(state.booking, voice)

    def _risk(self, state: Session) -> RiskView:
        level = state.risk.level
        shown = (
            self._content.crisis_replies.resources(state.locale, needs_now(state.risk), minor=state.minor)
            if level >= RiskLevel.CONCERN or state.risk.needs
            else ()
        )
        return RiskView(
            level=level.name.lower(),
            resources=tuple(ResourceView(name=line.name, number=line.number, hours=line.hours) for line in shown),
        )


def result_view(result: MeasureResult) -> ResultView:
    """Return a measure's result for its user."""
    return ResultView(
        measure=result.measure.value,
        moment=result.moment.value,
        total=result.total,
        highest=result.highest,
        at=result.at,
    )


def _measures(state: Session) -> MeasuresOffered | None:
    moment, left = open_moment(state), offered(state)
    if moment is None or not left or _service(state) != "counseling":
        return None
    return MeasuresOffered(moment=moment.value, left=tuple(one.value for one in left), until=open_until(state))


def _tasks(state: Session, works: Sequence[Work]) -> tuple[TaskPayload, ...]:
    """Return the work's tasks; none while a consent is withdrawn."""
    if refused(state.consents):
        return ()
    return tuple(
        TaskPayload(
            conversation_id=state.conversation_id,
            kind=JobKind(work.value),
            seq=fell_due(state, work),
            state_version=state.state_version,
        )
        for work in works
    )


def _closing(state: Session) -> dict[str, JsonValue] | None:
    """Return the closing, with the stand-in summary until the final one is written; None if there is no closing."""
    if not state.closing_made:
        return None
    standing_in = state.stand_in_summary is not None
    closing = ClosingView(
        summary=state.stand_in_summary or state.summary_text,
        goals=state.goals,
        next_session=state.next_session,
        made_by_rule=state.closing_by_rule,
        to_follow=standing_in,
    )
    return closing.model_dump(mode="json")


def _asks(state: Session) -> AskView | None:
    """Return the slot that the newest reply asked for; None once it is answered, in danger and after the end."""
    if state.ended or state.risk.follow_through or state.last_asked is None:
        return None
    answered = state.last_asked in state.user_info or state.last_asked in state.declined_slots
    slots = (slot for task in state.tasks for slot in task.slots)
    slot = None if answered else next((slot for slot in slots if slot.name == state.last_asked), None)
    return AskView(slot=slot.name, label=slot.label) if slot else None


def _may_skip(state: Session) -> bool:
    """Return whether the newest reply asks something that may be skipped, so not about danger or whether to close."""
    newest = state.recent[-1] if state.recent else None
    asked = (
        newest is not None
        and _service(state) == "counseling"
        and newest.role is Role.COUNSELOR
        and bool(questions_of(newest.text))
    )
    proposed = _wrap_up(state)
    open_ = proposed is not None and proposed.stage == WrapUpStage.PROPOSED.value
    return asked and not (open_ or state.ended or state.in_danger or state.under_14)


def _service(state: Session) -> ServiceName:
    """Return the service of the newest reply, at first that of the opening; the counselling if it is not known here."""
    name = state.answered_by or state.flow
    return next((one for one in get_args(ServiceName) if one == name), "counseling")


def _wrap_up(state: Session) -> WrapUpView | None:
    """Return the proposal; None once another turn followed it, since an answer is no longer read."""
    found = state.wrap_up
    if found is None or (found.stage is WrapUpStage.PROPOSED and found.seq != state.seq):
        return None
    return WrapUpView(stage=found.stage.value, aim=found.aim.value)


def title_of(session: Session) -> str:
    """Return the closing's first sentence, or its first goal if code made the closing; another service has its name.

    Empty without a closing, and after a danger: somebody may look over the user's shoulder.
    """
    if session.flow != _COUNSELING:
        return session.title
    if not session.closing_made or session.risk.level > RiskLevel.NONE or session.risk.found:
        return ""
    if session.closing_by_rule or session.stand_in_summary is not None:
        return shortened(next(iter(session.goals), ""), LONGEST[session.locale])
    first = _SENTENCE.search(session.summary_text)
    return shortened(first[0], LONGEST[session.locale]) if first else ""


def shortened(text: str, longest: int) -> str:
    """Return a text on one line without its full stop, cut between words."""
    line = " ".join(text.split()).rstrip(".")
    if len(line) <= longest:
        return line
    whole = line[:longest].rsplit(" ", 1)[0]
    return f"{whole.rstrip(',')}…"
