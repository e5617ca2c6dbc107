"""When background work fell due, and whether a late, duplicate or overtaken task is still due.

`lifecycle.due_work` decides which work is due after a turn.
"""

from shared.domain.counseling.lifecycle import (
    PLAN_EVERY,
    REVIEW_AFTER_REPLAN,
    REVIEW_EVERY,
    SUMMARIZE_EVERY,
    SUPERVISE_EVERY,
    Work,
    awaits_closing,
    awaits_planner,
    plan_asked_seq,
    plan_covered_seq,
    plan_covered_unseen,
    review_brought_forward,
)
from shared.domain.counseling.session import Session

_JUDGEMENTS = (Work.SUPERVISE, Work.REVIEW)


def heard_upto(session: Session, seq: int) -> int:
    """Return the number of the user's messages up to a turn: every turn has one."""
    return max(0, session.message_count - max(0, session.seq - seq))


def fell_due(session: Session, work: Work) -> int:
    """Return the turn at which due work fell due: the end of its newest whole period after the watermark.

    The value stays the same until the next period ends, so a task name that contains it is used once per period. The
    closing work has 0. A review that a re-plan or a covered plan brings forward keeps its turn until it is made or its
    period ends.
    """
    if work is Work.CLOSE:
        return 0
    if work is Work.PLAN:
        first = plan_asked_seq(session) + 1
        fell = first + max(0, session.seq - first) // PLAN_EVERY * PLAN_EVERY
        return min(fell, session.seq) if session.ended else fell
    done, every = _period(session, work)
    waiting = max(0, session.message_count - done)
    if work is Work.REVIEW and waiting < every and (early := _early_review(session)) is not None:
        return min(session.seq, early)
    return max(0, session.seq - waiting % every)


def still_due(session: Session, work: Work, seq: int) -> bool:
    """Tell whether work that fell due at turn `seq` is still to be done.

    Judgements (supervision, review) are wanted even if a later one was faster (`overtaken`); their records ensure that
    each is made once. A summary contained in a later one is not wanted. An ended session takes only its closing work,
    and a user under 14 none.
    """
    if session.under_14:
        return False
    if work is Work.CLOSE:
        return awaits_closing(session)
    if work is Work.PLAN:
        return awaits_planner(session)
    if session.ended or seq > session.seq:
        return False
    if work is Work.REVIEW and (_behind_a_replan(session, seq) or _behind_a_covered_plan(session, seq)):
        return True
    done, every = _period(session, work)
    return heard_upto(session, seq) - (0 if work in _JUDGEMENTS else done) >= every


def overtaken(session: Session, work: Work, seq: int) -> bool:
    """Tell whether a later judgement is stored already, so that this one's changes are out of date."""
    done, _ = _period(session, work)
    return done > heard_upto(session, seq)


def _early_review(session: Session) -> int | None:
    """Return the turn to which a review is brought forward; the later one if both causes hold."""
    changed = session.replanned_seq
    causes = [
        changed + REVIEW_AFTER_REPLAN if changed is not None and review_brought_forward(session) else None,
        plan_covered_seq(session) if plan_covered_unseen(session) else None,
    ]
    return max((seq for seq in causes if seq is not None), default=None)


def _behind_a_covered_plan(session: Session, seq: int) -> bool:
    covered = plan_covered_seq(session)
    return covered is not None and seq >= covered


def _behind_a_replan(session: Session, seq: int) -> bool:
    return session.replanned_seq is not None and seq - session.replanned_seq >= REVIEW_AFTER_REPLAN


def _period(session: Session, work: Work) -> tuple[int, int]:
    """Return the message count up to which the work is done, and the length of its period in messages."""
    marks = session.watermarks
    return {
        Work.SUPERVISE: (marks.supervised, SUPERVISE_EVERY),
        Work.REVIEW: (marks.reviewed, REVIEW_EVERY),
        Work.SUMMARIZE: (marks.summarized, SUMMARIZE_EVERY),
    }[work]
