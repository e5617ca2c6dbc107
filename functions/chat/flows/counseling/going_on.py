"""The user wants to go on: back to where the talk was, with a task for what they want. Rules only."""

from functions.chat.flows.counseling.findings import Findings, after
from functions.chat.flows.counseling.part_check import part_transition
from functions.chat.flows.counseling.safety_gate import concerned
from shared.content.catalogue import Content
from shared.domain.counseling.lifecycle import leaving_for_closing, part_before_closing
from shared.domain.counseling.review import required_task_waits
from shared.domain.counseling.session import Session, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import MoreWanted, WentBack, WrapUpDeclined
from shared.domain.counseling.task import Part, TaskKind, TaskOrigin, part_covered
from shared.domain.event import Event
from shared.engine.flow import Turn

AGENT = "going_on"


def go_on(turn: Turn[Session], session: Session, found: Findings, content: Content) -> Findings:
    """Take back a closing that the user does not want, or not yet; in danger nothing changes but by their safety."""
    if session.ended or session.risk.follow_through or session.under_14 or concerned(found):
        return Findings()
    declined = bool(found.of(WrapUpDeclined))
    if session.current_part is Part.CLOSING or leaving_for_closing(session):
        wanted = _wants_back(session, turn.text, content, declined=declined)
        return _back(turn, session, content) if wanted else Findings()
    events: tuple[Event[Session], ...] = ()
    if _suggested(session) and content.session_words.wants_more(turn.text):
        events, declined = (WrapUpDeclined(),), True
        session = after(session, events, turn.now)
    exploring = session.current_part is Part.EXPLORATION and not required_task_waits(session)
    if exploring and _goes_on(session, turn.text, content, declined=declined):
        events += (_more(turn, session, content),)
    return Findings(events=events)


def taken_up_now(found: Findings) -> bool:
    """Return whether the task at work was begun by this message, which so shows nothing of it yet."""
    return bool(found.of(WentBack, MoreWanted))


def _goes_on(session: Session, text: str, content: Content, *, declined: bool) -> bool:
    """Whether the user says no to a proposal, or later wants more, or tells more while no task is worked on.

    A user who was asked nothing yet may come back to a task that was covered: the selector sees to that.
    """
    lexicon = content.lexicon
    if session.wrap_up is None or session.wrap_up.stage is not WrapUpStage.DECLINED:
        return False
    if declined or content.session_words.wants_more(text):
        return True
    if session.task_in_progress is not None:
        return False
    return not (lexicon.is_backchannel(text) or lexicon.asks_to_end(text) or lexicon.says_task_done(text))


def _suggested(session: Session) -> bool:
    return session.wrap_up is not None and session.wrap_up.stage is WrapUpStage.SUGGESTED


def _wants_back(session: Session, text: str, content: Content, *, declined: bool) -> bool:
    """Whether the user wants to go on talking: by saying so, or by a no to the end with all of Part 3 covered.

    What they would take up next time is asked for in the closing itself, and is no wish to go on now.
    """
    words = content.session_words
    if words.wants_to_stay(text):
        return True
    if words.wants_more(text):
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
    """Return the task for what the user wants to talk about."""
    task = content.more_talk(session.locale, session.register_)
    return MoreWanted(task=task.model_copy(update={"created_at": turn.now, "origin": TaskOrigin.FEEDBACK}))
