"""Completions: the turn records them in the session, and the next background job writes their documents (ADR 0019)."""

from datetime import datetime

from pydantic import Field

from shared.domain.counseling.records import Completion
from shared.domain.counseling.session import NEWEST_LOG_ENTRIES, LogEntry, Session
from shared.domain.event import Event

MOST_UNWRITTEN = 200
"""Most unwritten completions kept in the session. Each is 1 KB at most and a Firestore document 1 MiB: the oldest is
dropped so that the conversation can go on if no job runs for long."""


class CompletionsWritten(Event[Session]):
    """The documents of all completions up to turn `upto` are stored, in the same commit as this event."""

    upto: int = Field(ge=1)

    def apply(self, state: Session, at: datetime) -> Session:
        if self.upto <= (state.watermarks.completions or 0):
            return state
        return _kept(state, state.completion_log, self.upto)


def noted(session: Session, entry: LogEntry) -> Session:
    """Return the session with a completion in its log.

    The first one sets the watermark. In sessions without a watermark the turns wrote the documents themselves.
    """
    written = session.watermarks.completions
    return _kept(session, (*session.completion_log, entry), entry.seq - 1 if written is None else written)


def completions_due(session: Session) -> tuple[Completion, ...]:
    """Return the documents that are not stored yet, in the order of the turns."""
    written = session.watermarks.completions
    return () if written is None else tuple(_document(session, e) for e in session.completion_log if e.seq > written)


def _document(session: Session, entry: LogEntry) -> Completion:
    return Completion.model_validate(
        {
            "record_id": f"{entry.seq}-{entry.data['task']}",
            "created_at": entry.at,
            "expire_at": session.expire_at,
            "task_id": entry.data["task"],
            "reason": entry.data["reason"],
            "evidence": entry.data["evidence"],
            "seq": entry.seq,
        }
    )


def _kept(session: Session, log: tuple[LogEntry, ...], written: int) -> Session:
    """Keep the newest few entries and all entries without a stored document."""
    unwritten = sum(entry.seq > written for entry in log)
    keep = max(NEWEST_LOG_ENTRIES, min(unwritten, MOST_UNWRITTEN))
    marks = session.watermarks.model_copy(update={"completions": written})
    return session.model_copy(update={"completion_log": log[-keep:], "watermarks": marks})
