"""Whether a background job is still due when it arrives: late, doubled and overtaken ones find out here."""

from shared.domain.counseling.lifecycle import REVIEW_EVERY, SUMMARIZE_EVERY, SUPERVISE_EVERY, Work
from shared.domain.counseling.session import Session


def heard_upto(session: Session, seq: int) -> int:
    """Return how many messages of the user stand up to a turn: every turn bears one."""
    return max(0, session.message_count - max(0, session.seq - seq))


def still_due(session: Session, work: Work, seq: int) -> bool:
    """Tell whether work that was found due at turn `seq` is to be done now.

    An ended session takes its closing work and nothing else.
    """
    if work is Work.CLOSE:
        return session.ended and session.message_count > 0
    if session.ended or seq > session.seq:
        return False
    marks = session.watermarks
    done, every = {
        Work.SUPERVISE: (marks.supervised, SUPERVISE_EVERY),
        Work.REVIEW: (marks.reviewed, REVIEW_EVERY),
        Work.SUMMARIZE: (marks.summarized, SUMMARIZE_EVERY),
    }[work]
    return heard_upto(session, seq) - done >= every
