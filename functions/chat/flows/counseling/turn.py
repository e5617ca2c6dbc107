"""One counselling turn: safety gate → Part check → detect → select → counsel (domain.md, "One turn")."""

import asyncio
from collections.abc import Awaitable, Callable

from functions.chat.flows.counseling import safety_gate
from functions.chat.flows.counseling.counselor import apologize, counsel
from functions.chat.flows.counseling.detectors.slot_reading import note_declined_by_client
from functions.chat.flows.counseling.detectors.task_completion import check_task, cover_tasks
from functions.chat.flows.counseling.detectors.user_state import read_user
from functions.chat.flows.counseling.directive import draw_up
from functions.chat.flows.counseling.farewell import farewell
from functions.chat.flows.counseling.going_on import go_on
from functions.chat.flows.counseling.honesty import append_disclosure
from functions.chat.flows.counseling.part_check import check_part
from functions.chat.flows.counseling.planner_feedback import tell_of_state
from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.risk_detection import detect_risk, heed_hints
from functions.chat.flows.counseling.selectors.module_selector import select_module
from functions.chat.flows.counseling.selectors.task_selector import select_task
from functions.chat.flows.counseling.wrap_up import read_answer
from shared.content.catalogue import Content
from shared.contracts.events import Token
from shared.domain.counseling.session import Session
from shared.engine.flow import Outcome, Turn

AgeHeard = Callable[[Session], Awaitable[None]]
"""Is told of a session in whose turn the user stated to be under 14, or corrected it, before the turn's commit."""


async def nobody(_state: Session) -> None:
    """Let nobody else know."""


class CounselingFlow:
    """The turn. What it stands on is content and who is to know of an age; everything else comes with the turn."""

    def __init__(self, content: Content, age_heard: AgeHeard = nobody) -> None:
        """Take the service's content, and whom to tell of an age."""
        self._content = content
        self._age_heard = age_heard

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        """Run one turn; every agent sees the turn's one snapshot."""
        progress = Progress(turn, self._content.screening)
        outcome = await self._run(progress)
        if progress.state.under_14 is not turn.state.under_14:
            await self._age_heard(progress.state)
        return outcome

    async def _run(self, progress: Progress) -> Outcome[Session]:
        content = self._content

        detect_risk(progress)
        note_declined_by_client(progress)
        if danger := safety_gate.needs_protocol(progress):
            return progress.outcome(append_disclosure(progress, content, safety_gate.answer(progress, danger)))

        if not safety_gate.concerned(progress):
            await read_answer(progress, content)
        if progress.state.ended:
            return progress.outcome(self._farewell(progress))
        if _asks_to_leave(progress, content):
            return progress.outcome(append_disclosure(progress, content, safety_gate.ask_whether_to_leave(progress)))
        if progress.state.under_14:
            return progress.outcome(append_disclosure(progress, content, safety_gate.answer_under_14(progress)))

        go_on(progress, content)
        checked, _ = await asyncio.gather(check_task(progress, content), read_user(progress, content))
        if danger := safety_gate.needs_protocol(progress):
            return progress.outcome(append_disclosure(progress, content, safety_gate.answer(progress, danger)))

        cover_tasks(progress, checked, content.lexicon)
        check_part(progress, content)
        served = await select_task(progress, content.lexicon)
        tell_of_state(progress, content, served=served)
        await select_module(progress, content)

        directive = draw_up(progress, content)
        reply = await counsel(progress, directive, content)
        return progress.outcome(reply, directive.for_record())

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        """Answer a turn that broke; the crisis rules hold even then."""
        progress = Progress(turn, self._content.screening)
        detect_risk(progress)
        heed_hints(progress)
        note_declined_by_client(progress)
        if danger := safety_gate.needs_protocol(progress):
            return progress.outcome(append_disclosure(progress, self._content, safety_gate.answer(progress, danger)))
        if progress.state.under_14:
            return progress.outcome(append_disclosure(progress, self._content, safety_gate.answer_under_14(progress)))
        return progress.outcome(apologize(progress, self._content))

    def _farewell(self, progress: Progress) -> str:
        turn, state = progress.turn, progress.state
        turn.scope.ledger.ruled("counselor", None, "the user ended the session")
        safety_gate.note_leaving(progress)
        reply = farewell(self._content, state)
        turn.scope.emit(Token(text=reply))
        return reply


def _asks_to_leave(progress: Progress, content: Content) -> bool:
    """Whether somebody whom no Counselor asks wants to stop: in a follow-through, or under 14.

    A concern is asked about first; in a follow-through it is not new, and this question comes with the resources.
    """
    state = progress.state
    unasked = state.risk.follow_through or (state.under_14 and not safety_gate.concerned(progress))
    return unasked and content.lexicon.asks_to_end(progress.turn.text)
