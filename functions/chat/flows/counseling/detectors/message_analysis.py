"""Reads the newest message: the task completion and the user's state, in one call or in two that run in parallel."""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from pydantic import Field, model_validator

from functions.chat.findings import Findings
from functions.chat.flows.counseling.detectors import first_look, task_completion, user_state
from functions.chat.flows.counseling.detectors.first_look import FirstLook, first
from functions.chat.flows.counseling.detectors.slot_reading import open_slots
from functions.chat.flows.counseling.detectors.task_completion import (
    CHECKER,
    MOST_FOUND,
    Checked,
    CompletionInput,
    OpenCheck,
    SlotFound,
    TaskCompletion,
    begin_check,
    finish_check,
)
from functions.chat.flows.counseling.detectors.user_state import (
    DETECTOR,
    UserStateInput,
    UserStateReading,
    begin_reading,
    finish_reading,
    level_of,
)
from functions.chat.flows.counseling.prompting import PROMPTS, limit_items
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import UserStateObserved
from shared.domain.counseling.task_events import SlotFilled
from shared.domain.counseling.user_state import EmotionChange, EmotionLabel, Resistance
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.engine.partial_json import intact
from shared.engine.runner import Partial
from shared.prompts.catalogue import Prompt

AGENT = "message_analyst"


class MessageAnalysis(AnswerSchema):
    """The answers of the checker and the detector in one.

    `look` comes first and holds everything that decides the reply, so that it can be acted on before the answer ends.
    """

    look: tuple[str, ...] = Field(
        description="What stands out in the newest message; or empty", max_length=first_look.MOST_IN_LOOK
    )
    slots: tuple[SlotFound, ...] = Field(
        description="Values the user gave in the newest message; or empty", max_length=MOST_FOUND
    )
    intensity: int = Field(ge=0, le=10)
    state_evidence: str = Field(description="The user's own words that show the state, verbatim; or empty")
    task_evidence: str = Field(description="The user's own words that show completion, verbatim; or empty")

    @model_validator(mode="before")
    @classmethod
    def _dangers_first(cls, data: Any) -> Any:
        look = data.get("look") if isinstance(data, dict) else None
        if not isinstance(look, list | tuple) or len(look) <= first_look.MOST_IN_LOOK:
            return data
        dangers = [word for word in first_look.PRESSING if word in look]
        return {**data, "look": list(dict.fromkeys((*dangers, *map(str, look))))}

    def completion(self) -> TaskCompletion:
        complete = first_look.COMPLETE in self.look
        return TaskCompletion(complete=complete, evidence=self.task_evidence, slots=self.slots)

    def reading(self) -> UserStateReading:
        look = self.look
        return UserStateReading(
            risk=first(first_look.DANGERS, look) or "none",
            violence=first_look.VIOLENCE.get(first(first_look.VIOLENCE, look) or "", "none"),
            by_family=first_look.BY_FAMILY in look,
            denies_danger=first_look.DENIES_DANGER in look,
            resistance=first_look.RESISTANCE.get(first(first_look.RESISTANCE, look) or "", Resistance.NONE),
            emotion=first_look.EMOTIONS.get(first(first_look.EMOTIONS, look) or "", EmotionLabel.NEUTRAL),
            intensity=first_look.intensity(look, self.intensity),
            emotion_change=first_look.CHANGES.get(first(first_look.CHANGES, look) or "", EmotionChange.NONE),
            topic_changed=first_look.TOPIC_CHANGED in look,
            circular=first_look.CIRCULAR in look,
            evidence=self.state_evidence,
        )


def expected_at_first(session: Session, text: str) -> MessageAnalysis:
    """Return the likeliest analysis before any is there: the user answers what was asked, and nothing stands out."""
    answered = (slot.name for slot in open_slots(session) if slot.name == session.last_asked)
    return expected_after(FirstLook(look=tuple(f"{first_look.VALUE}{name}" for name in answered)), text)


def expected_after(look: FirstLook, text: str) -> MessageAnalysis:
    """Return the analysis that a first look leads to, if the message itself is the evidence and holds the values."""
    intensity = first_look.intensity(look.look, None)
    known = {slot.name for slot in look.slots}
    told = (
        SlotFound(name=name, value=text, quote=text, corrects=False) for name in look.named_slots() if name not in known
    )
    return MessageAnalysis(
        look=look.look, slots=(*look.slots, *told), intensity=intensity, state_evidence=text, task_evidence=text
    )


class AnalysisInput(CompletionInput):
    """Prompt variables: those of the checker, and from the detector's the readings and unread messages before."""

    readings: tuple[StateReading, ...]
    unread: tuple[str, ...] = ()


def _keep_danger(given: AnalysisInput, answer: MessageAnalysis, beginning: str) -> MessageAnalysis:
    """Return the answer with the danger that an earlier one named before it broke; the higher counts."""
    begun = intact(beginning)
    words, evidence = begun.get("look"), str(begun.get("state_evidence", ""))
    danger = first(first_look.DANGERS, tuple(map(str, words)) if isinstance(words, list) else ()) or "none"
    known = answer.reading()
    said = (given.text, *given.unread)
    if level_of(danger, evidence, said) <= level_of(known.risk, known.evidence, said):
        return answer
    return answer.model_copy(update={"look": (danger, *answer.look), "state_evidence": evidence})


ANALYST = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 3, AnalysisInput),
    answers=MessageAnalysis,
    safe_default=MessageAnalysis(look=(), slots=(), intensity=0, state_evidence="", task_evidence=""),
    keep=_keep_danger,
)
_NO_TASK = CompletionInput(
    task_title="",
    task_target="",
    completion_criteria="",
    judged=False,
    slots=(),
    given=(),
    last_question=None,
    lines=(),
    text="",
)


@dataclass(frozen=True)
class Asking:
    """How the model is asked.

    Attributes:
        jointly: One call answers both, if the detector needs a model.
        partial: Receives what has arrived of a joint answer.
    """

    jointly: bool
    partial: Partial | None = None


async def analyse(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content, asking: Asking
) -> tuple[Checked, Findings]:
    """Return what the checker and the detector find."""
    check, reading = begin_check(turn, message, session, found, content), begin_reading(turn, message)
    if asking.jointly and isinstance(reading, UserStateInput):
        completion, state = await _together(turn, check, reading, asking.partial)
    else:
        completion, state = await asyncio.gather(_completion(turn, check), _state(turn, reading))
    observed = reading
    if isinstance(observed, UserStateInput):
        answered = bool(check.found.of(SlotFilled))
        observed = finish_reading(turn, message, session, state, content, answered=answered)
    if isinstance(check, Checked):
        return check, observed
    circular = any(one.user_state.circular for one in observed.of(UserStateObserved))
    return finish_check(turn, message, check, completion, content, circular=circular), observed


async def _completion(turn: Turn[Session], check: Checked | OpenCheck) -> TaskCompletion:
    if isinstance(check, Checked):
        return CHECKER.safe_default
    return await turn.runner.ask(CHECKER, check.given, turn.scope)


async def _state(turn: Turn[Session], reading: Findings | UserStateInput) -> UserStateReading:
    if isinstance(reading, Findings):
        return DETECTOR.safe_default
    return await turn.runner.ask(DETECTOR, reading, turn.scope)


async def _together(
    turn: Turn[Session], check: Checked | OpenCheck, reading: UserStateInput, partial: Partial | None
) -> tuple[TaskCompletion, UserStateReading]:
    about = check.given if isinstance(check, OpenCheck) else _NO_TASK
    given = AnalysisInput.model_validate(
        {
            **dict(about),
            "readings": reading.readings,
            "lines": reading.lines,
            "text": reading.text,
            "unread": reading.unread,
        }
    )
    names = [*(slot.name for slot in about.slots), *(known.name for known in about.given)]
    words = (*first_look.WORDS, *(f"{first_look.VALUE}{name}" for name in names))
    analyst = replace(ANALYST, answers=limit_items(MessageAnalysis, "look", words))
    answer = await turn.runner.ask(analyst, given, turn.scope, partial=partial)
    failed, ledger = answer is ANALYST.safe_default, turn.scope.ledger
    completion = CHECKER.safe_default if failed else answer.completion()
    state = DETECTOR.safe_default if failed else answer.reading()
    if isinstance(check, OpenCheck):
        ledger.decided_with(AGENT, task_completion.AGENT, completion)
    ledger.decided_with(AGENT, user_state.AGENT, state)
    return completion, state
