"""Converts a flagged session to wire models for reviewers."""

from collections.abc import Sequence
from typing import Literal

from shared.contracts.measures import ReviewedResult
from shared.contracts.review import FlagView, JudgedReplies, NoteView, ReviewedMessage, ReviewEntry
from shared.domain.conversation import Message
from shared.domain.counseling.measures import MeasureResult
from shared.domain.counseling.records import Supervision
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import Flag, ReviewerNote, ReviewStatus, StaffReview
from shared.safety.levels import RiskLevel
from shared.services.counseling.policy import result_view

_RISK: dict[RiskLevel, Literal["none", "concern", "crisis", "imminent"]] = {
    RiskLevel.NONE: "none",
    RiskLevel.CONCERN: "concern",
    RiskLevel.CRISIS: "crisis",
    RiskLevel.IMMINENT: "imminent",
}


def entry_view(state: Session, mark: StaffReview) -> ReviewEntry:
    return ReviewEntry(
        conversation_id=state.conversation_id,
        status=mark.status,
        priority=mark.priority,
        flags=tuple(_flag_view(flag) for flag in mark.flags),
        waiting_since=mark.opened_at if mark.status is ReviewStatus.OPEN else None,
        newest_seq=mark.newest_seq,
        seen_upto=mark.seen_upto,
        seen_at=mark.seen_at,
        age_group="under_14" if state.under_14 else "minor" if state.minor else "adult",
        ended=state.ended,
        after_end=state.ended and mark.newest_seq > state.seq,
        follow_through=state.risk.follow_through,
    )


def risk_of(state: Session) -> Literal["none", "concern", "crisis", "imminent"]:
    """Return the session's risk level."""
    return _RISK[state.risk.level]


def message_views(messages: Sequence[Message], mark: StaffReview) -> tuple[ReviewedMessage, ...]:
    """Return messages, marking those of flagged turns."""
    flagged = {seq for flag in mark.flags for seq in flag.seqs}
    return tuple(
        ReviewedMessage(
            seq=message.seq,
            role=message.role,
            text=message.text,
            created_at=message.created_at,
            flagged=message.seq in flagged,
        )
        for message in messages
    )


def judgement_view(found: Supervision) -> JudgedReplies:
    return JudgedReplies(seq=found.seq, total=found.total, scores=found.scores, improvements=found.improvements)


def note_view(found: ReviewerNote) -> NoteView:
    return NoteView(
        by=found.by, at=found.created_at, upto_seq=found.upto_seq, note=found.note, cleared_risk=found.cleared_risk
    )


def measure_view(found: MeasureResult) -> ReviewedResult:
    return ReviewedResult(**result_view(found).model_dump(), self_harm=found.highest_self_harm)


def _flag_view(flag: Flag) -> FlagView:
    return FlagView(
        reason=flag.reason,
        count=flag.count,
        rules=flag.rules,
        seqs=flag.seqs,
        first_at=flag.first_at,
        last_at=flag.last_at,
    )
