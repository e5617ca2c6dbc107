"""Answers the task completion checker and the user state detector by the message analyst, as a turn does by default."""

from dataclasses import replace
from typing import Any

from functions.chat.flows.counseling.detectors import first_look
from functions.chat.flows.counseling.detectors.message_analysis import ANALYST, AnalysisInput, MessageAnalysis
from functions.chat.flows.counseling.detectors.task_completion import CHECKER, CompletionInput
from functions.chat.flows.counseling.detectors.user_state import DETECTOR, UserStateInput
from functions.chat.flows.counseling.selectors.limited_answers import limit_items
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope


class OneCallRunner(AgentRunner):
    """Asks the analyst instead of the two; a case that is written for one of them leaves the other's part empty."""

    async def ask(self, agent: Any, given: Any, scope: Scope, check: Any = None, partial: Any = None) -> Any:
        if agent is not CHECKER and agent is not DETECTOR:
            return await super().ask(agent, given, scope, check, partial)
        about = given if isinstance(given, CompletionInput) else _about_the_topic(given)
        readings = given.readings if isinstance(given, UserStateInput) else ()
        asked = AnalysisInput.model_validate({**dict(about), "readings": readings})
        words = (*first_look.WORDS, *(f"{first_look.VALUE}{slot.name}" for slot in about.slots))
        analyst = replace(ANALYST, answers=limit_items(MessageAnalysis, "look", words))
        answer = await super().ask(analyst, asked, scope)
        if answer is ANALYST.safe_default:
            scope.ledger.decided_with(ANALYST.name, agent.name, agent.safe_default)
            return agent.safe_default
        part = answer.completion() if agent is CHECKER else answer.reading()
        scope.ledger.decided_with(ANALYST.name, agent.name, part)
        return part


def _about_the_topic(given: UserStateInput) -> CompletionInput:
    nothing = {"task_target": "", "completion_criteria": "", "judged": True, "slots": (), "given": ()}
    shown = {"task_title": given.topic, "last_question": None, "lines": given.lines, "text": given.text}
    return CompletionInput.model_validate(nothing | shown)
