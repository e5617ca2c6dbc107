"""Tells the planner that Part 2 is to be planned anew: what each agent finds, one document a turn at most."""

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.content.schemas.state_words import STRONG_RESISTANCE, StateWords
from shared.domain.counseling.readings import PERSISTING_WITHIN, before, resisting
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import ReplanAsked, StateFeedbackGiven
from shared.domain.counseling.state_feedback import StateKind, worth_telling
from shared.domain.counseling.user_state import Resistance, UserState


def tell_of_state(progress: Progress, content: Content, *, served: bool) -> None:
    """Tell the planner of the user's state where it is a reason to plan anew; the Task Selector's own word goes first.

    Args:
        progress: The turn.
        content: The words.
        served: A task was found that takes up what the user turned to.
    """
    state, seq = progress.state, progress.turn.seq
    kind = None if has_planner_feedback(progress) else worth_telling(state, seq, served=served)
    if kind is None:
        return
    reason = _reason(kind, state, seq, content.state_words(state.locale))
    ask_planner(progress, FeedbackSource.USER_STATE, kind.value, reason)
    progress.note(StateFeedbackGiven(kind=kind.value, seq=seq))


def ask_planner(progress: Progress, source: FeedbackSource, kind: str, reason: str) -> None:
    """Leave the document that sets the planner to work."""
    turn = progress.turn
    progress.note(ReplanAsked())
    record = feedback(progress.state, source, kind=kind, reason=reason, seq=turn.seq, at=turn.now)
    progress.records.append(record)


def has_planner_feedback(progress: Progress) -> bool:
    """Tell whether the planner was told something in this turn."""
    return any(isinstance(record, PlannerFeedback) for record in progress.records)


def _reason(kind: StateKind, state: Session, seq: int, words: StateWords) -> str:
    now, earlier = state.user_state, before(state.readings, seq)
    refused = kind is StateKind.RESISTANCE and now.resistance is Resistance.STRONG
    return words.feedback(
        STRONG_RESISTANCE if refused else kind,
        emotion=words.emotion(now.emotion),
        intensity=now.intensity,
        before=_feeling(earlier[-1] if earlier else UserState(), words),
        count=resisting(state.readings),
        within=min(PERSISTING_WITHIN, len(state.readings)),
    )


def _feeling(state: UserState, words: StateWords) -> str:
    return f"{words.emotion(state.emotion)} {state.intensity}/10"
