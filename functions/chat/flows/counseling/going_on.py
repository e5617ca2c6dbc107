"""The user wants to go on: back to where the talk was, with a task for what they want. Rules only."""

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.safety_gate import concerned
from shared.content.catalogue import Content
from shared.domain.counseling.lifecycle import leaving_for_closing, part_before_closing, transition_id
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.review import required_task_waits
from shared.domain.counseling.session import WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import MoreWanted, WentBack, WrapUpDeclined
from shared.domain.counseling.task import Part, TaskKind, TaskOrigin, part_covered

AGENT = "going_on"


def go_on(progress: Progress, content: Content) -> None:
    """Take back a closing that the user does not want, or not yet; in danger nothing changes but by their safety."""
    state = progress.state
    if state.ended or state.risk.follow_through or state.under_14 or concerned(progress):
        return
    if state.current_part is Part.CLOSING or leaving_for_closing(state):
        if _wants_back(progress, content):
            _go_back(progress, content)
        return
    if _suggested(progress) and content.session_words.wants_more(progress.turn.text):
        progress.note(WrapUpDeclined())
    if state.current_part is Part.EXPLORATION and not required_task_waits(state) and _goes_on(progress, content):
        _take_up(progress, content)


def declined(progress: Progress) -> bool:
    """Tell whether this turn said no to a proposal to close."""
    return any(isinstance(event, WrapUpDeclined) for event in progress.events)


def taken_up_now(progress: Progress) -> bool:
    """Tell whether the task at work was begun by this very message, which so shows nothing of it yet."""
    return any(isinstance(event, WentBack | MoreWanted) for event in progress.events)


def _goes_on(progress: Progress, content: Content) -> bool:
    """Tell whether the user says no to a proposal, or later wants more, or tells more while no task is worked on.

    Who was asked nothing yet may come back to a task that was covered: the selector sees to that.
    """
    state, text, lexicon = progress.state, progress.turn.text, content.lexicon
    if state.wrap_up is None or state.wrap_up.stage is not WrapUpStage.DECLINED:
        return False
    if declined(progress) or content.session_words.wants_more(text):
        return True
    if state.task_in_progress is not None:
        return False
    return not (lexicon.is_backchannel(text) or lexicon.asks_to_end(text) or lexicon.says_task_done(text))


def _suggested(progress: Progress) -> bool:
    wrap_up = progress.state.wrap_up
    return wrap_up is not None and wrap_up.stage is WrapUpStage.SUGGESTED


def _wants_back(progress: Progress, content: Content) -> bool:
    """Tell whether the user wants to go on talking: by saying so, or by a no to the end with all of Part 3 covered.

    What they would take up next time is asked for in the closing itself, and is no wish to go on now.
    """
    state, words = progress.state, content.session_words
    if words.wants_to_stay(progress.turn.text):
        return True
    if words.wants_more(progress.turn.text):
        task = state.task_in_progress
        return declined(progress) or task is None or task.kind is not TaskKind.NEXT_SESSION
    to_the_end = state.wrap_up is not None and state.wrap_up.aim is WrapUpAim.END
    covered = state.current_part is Part.CLOSING and part_covered(state.tasks, Part.CLOSING)
    return declined(progress) and to_the_end and covered


def _go_back(progress: Progress, content: Content) -> None:
    turn, state = progress.turn, progress.state
    before, after = state.current_part, part_before_closing(state)
    if before is Part.CLOSING:
        progress.records.append(
            PartTransition(
                record_id=transition_id(state, before, after),
                created_at=turn.now,
                expire_at=turn.state.expire_at,
                from_part=before,
                to_part=after,
                seq=turn.seq,
                reason="the user wants to go on",
            )
        )
    progress.note(WentBack(seq=turn.seq))
    turn.scope.ledger.ruled(AGENT, int(after), "the user wants to go on")
    _take_up(progress, content)


def _take_up(progress: Progress, content: Content) -> None:
    """Begin the task for what the user wants to talk about; Part 1 has its own."""
    state = progress.state
    task = content.more_talk(state.locale, state.register_)
    progress.note(
        MoreWanted(task=task.model_copy(update={"created_at": progress.turn.now, "origin": TaskOrigin.FEEDBACK}))
    )
