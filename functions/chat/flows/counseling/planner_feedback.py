"""Asks the planner to re-plan Part 2, at most once a turn."""

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.selectors.task_selector import Selection, ask_planner
from shared.content.catalogue import Content
from shared.content.schemas.state_words import STRONG_RESISTANCE, StateWords
from shared.domain.counseling.readings import PERSISTING_WITHIN, before, resisting
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import StateFeedbackGiven
from shared.domain.counseling.state_feedback import StateKind, worth_telling
from shared.domain.counseling.user_state import Resistance, UserState
from shared.engine.flow import Turn


def request_replan_for_state(turn: Turn[Session], session: Session, selection: Selection, content: Content) -> Findings:
    """Ask for a re-plan if the user's state calls for one; the Task Selector's own feedback goes first."""
    told = any(isinstance(record, PlannerFeedback) for record in selection.found.records)
    kind = None if told else worth_telling(session, turn.seq, served=selection.served)
    if kind is None:
        return Findings()
    reason = _reason(kind, session, turn.seq, content.state_words(session.locale))
    asked = ask_planner(turn, session, FeedbackSource.USER_STATE, kind.value, reason)
    return asked + Findings(events=(StateFeedbackGiven(kind=kind.value, seq=turn.seq),))


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
