"""The user wants to go on talking: undoes a closing and adds a task for the wish. Rules only."""

from functions.chat.danger.safety_gate import concerned
from functions.chat.findings import Findings, after
from functions.chat.flows.counseling.part_check import part_transition
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.lifecycle import leaving_for_closing, part_before_closing
from shared.domain.counseling.review import required_task_waits
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun
from shared.domain.counseling.session import Session, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import MoreWanted, WentBack, WrapUpDeclined
from shared.domain.counseling.task import Part, TaskKind, TaskOrigin, part_covered
from shared.domain.event import Event
from shared.engine.flow import Turn

AGENT = "going_on"


def go_on(turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content) -> Findings:
    """Undo or decline a closing that the user does not want; not in danger, under 14 or with a concern in this turn."""
    if session.ended or session.risk.follow_through or session.under_14 or concerned(found):
        return Findings()
    declined = bool(found.of(WrapUpDeclined))
    if session.current_part is Part.CLOSING or leaving_for_closing(session):
        wanted = _wants_back(session, message, declined=declined)
        return _back(turn, session, content) if wanted else Findings()
    events: tuple[Event[Session], ...] = ()
    if _suggested(session) and message.wants_more:
        events, declined = (WrapUpDeclined(),), True
        session = after(session, events, turn.now)
    exploring = session.current_part is Part.EXPLORATION and not required_task_waits(session)
    if exploring and _goes_on(session, message, declined=declined):
        events += (_more(turn, session, content),)
    return Findings(events=events)


def taken_up_now(found: Findings) -> bool:
    """Return whether this message started the task in progress; it then shows no progress on it."""
    return bool(found.of(WentBack, MoreWanted, SafetyPlanBegun))


def _goes_on(session: Session, message: UserMessage, *, declined: bool) -> bool:
    """Return whether the user declines a proposal, or declined one before and wants more or tells more without a task.

    A return to a covered task without a proposal is left to the Task Selector.
    """
    if session.wrap_up is None or session.wrap_up.stage is not WrapUpStage.DECLINED:
        return False
    if declined or message.wants_more:
        return True
    if session.task_in_progress is not None:
        return False
    words = message.words
    return not (words.is_backchannel or words.asks_to_end or words.says_task_done)


def _suggested(session: Session) -> bool:
    return session.wrap_up is not None and session.wrap_up.stage is WrapUpStage.SUGGESTED


def _wants_back(session: Session, message: UserMessage, *, declined: bool) -> bool:
    """Return whether the user asks to go on talking, or declines the end when Part 3 is covered.

    Wishes for the next session are part of the closing and do not count.
    """
    if message.wants_to_stay:
        return True
    if message.wants_more:
        task = session.task_in_progress
        return declined or task is None or task.kind is not TaskKind.NEXT_SESSION
    to_the_end = session.wrap_up is not None and session.wrap_up.aim is WrapUpAim.END
    covered = session.current_part is Part.CLOSING and part_covered(session.tasks, Part.CLOSING)
    return declined and to_the_end and covered


def _back(turn: Turn[Session], session: Session, content: Content) -> Findings:
    before, following = session.current_part, part_before_closing(session)
    moved = before is Part.CLOSING
    records = (part_transition(turn, session, following, "the user wants to go on"),) if moved else ()
    turn.scope.ledger.ruled(AGENT, int(following), "the user wants to go on")
    went = WentBack(seq=turn.seq)
    return Findings(events=(went, _more(turn, went.apply(session, turn.now), content)), records=records)


def _more(turn: Turn[Session], session: Session, content: Content) -> MoreWanted:
    task = content.more_talk(session.locale, session.register_)
    return MoreWanted(task=task.model_copy(update={"created_at": turn.now, "origin": TaskOrigin.FEEDBACK}))
