"""Builds the directive: all that is decided about the reply before the Counselor speaks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from functions.chat.danger.questions import step_ask, time_to_offer
from functions.chat.findings import Findings
from functions.chat.flows.counseling.detectors import task_completion, user_state
from functions.chat.flows.counseling.misread import newest_reply
from functions.chat.flows.counseling.plan_of_reply import Clarification, Directive
from functions.chat.flows.counseling.prompting import persona_hint
from functions.chat.flows.counseling.purpose import Purpose, purpose_of
from functions.chat.legacy.asked_before import fresh
from functions.chat.legacy.asking import (
    feeling_first,
    holds_questions,
    intake_rests,
    next_ask,
    process_waits,
    resists,
    skips_a_question,
    wants_no_questions,
)
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.content.schemas.messages import Messages
from shared.domain.counseling.directive import Ask, CarriedGist, Stance
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY, last_chance
from shared.domain.counseling.module import Module
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanStepGiven, SafetyPlanStepPassed
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold, WrapUpPassed, WrapUpUnclear
from shared.domain.counseling.short_answers import QUIET_AFTER, QUIET_AFTER_UNSURE
from shared.domain.counseling.sources import Source
from shared.domain.counseling.task import CompletionRule, Part, Task
from shared.domain.counseling.task_events import SlotContradicted, SlotDeclined, SlotFilled, SlotTakenBack
from shared.domain.errors import ModelBlocked, ModelEmpty
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import Slot, SlotKind, SlotValue
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.flow import Turn
from shared.engine.prose import excerpt
from shared.lexicon.session_words import questions_of
from shared.services.counseling.prompt_slots import declined_labels, in_words, slots_for_prompt

_FREE = (Stance.WORK, Stance.GATHER, Stance.ACCOMPANY)
"""Stances without a question of their own: in them a safety plan may be offered."""
_READERS = (task_completion.AGENT, user_state.AGENT)
"""Agents that read a message. If the first was asked, only it counts, because it reads the values."""
_REFUSED = (ModelBlocked.code, ModelEmpty.code)
_LONGEST_WORDS = 40
"""Maximum characters of the user's words that a question repeats; longer ones are replaced by the value."""
_QUOTING = {(True, True): "words", (True, False): "only_before", (False, True): "only_now", (False, False): "neither"}
"""The question which of two values holds, by whether what was said before, and later, has content to be quoted."""


@dataclass(frozen=True)
class Holds:
    """Why nothing, or no slot, is asked for.

    Attributes:
        misread: The user says that the last reply misread them.
        skipped: The reply asks nothing at all: the user skips its question, or has said little for some turns.
        resisted: The user refused the talk shortly before, and has told nothing since.
        feeling: The reply receives a feeling or a hard fact, and opens no Part.
        answered: Fixed words answer what the user asks of the AI: no safety plan is offered behind them.
        process: The task to explain how the talk goes waits.
        all: The rules ask for nothing.
        slots: No slot is asked for: also behind a danger, a disclosure or the direct question, at a new feeling, if the
            user has no answer to what was asked, wants no questions, if they ask something themselves, wish to stop,
            choose neither to stay nor to end, say no to the way of the talk or tell how they would like it.
    """

    misread: bool
    skipped: bool
    resisted: bool
    feeling: bool
    answered: bool
    process: bool
    all: bool
    slots: bool


@dataclass(frozen=True)
class Question:
    """What the rules ask; at most one of these, but an `ask` that repeats an unread message's question.

    Attributes:
        ask: A slot, or a step of the safety plan.
        contradiction: Which of two values holds.
        parse_error: The message could not be read and is asked for again.
        offers_plan: A safety plan is offered.
        ruled: It is asked in these words, with an `ask` for its slot.
    """

    ask: Ask | None = None
    contradiction: Clarification | None = None
    parse_error: bool = False
    offers_plan: bool = False
    ruled: str | None = None


LOW_SCORE = 7.0
"""Supervision below this score goes into the prompt."""
URGENT_SCORE = 5.0
"""Supervision below this score is emphasised: the rubric's cap for a broken register or restriction."""
STALE_AFTER = 2 * SUPERVISE_EVERY
"""Turns after which a supervision no longer counts."""
MOST_REMARKS, LONGEST_REMARK = 3, 200
"""Maximum improvements in a prompt and maximum characters of each."""


class _OfTheTask(TypedDict):
    task_id: TaskId | None
    task_title: str | None
    task_target: str | None
    restrictions: str | None
    execution_guide: str


class _OfTheModule(TypedDict):
    module_id: ModuleId
    module_name: str
    module_summary: tuple[str, ...]
    module_examples: tuple[str, ...]
    module_changed: bool
    module_change_reason: str | None


class _Supervision(NamedTuple):
    """The supervisor's improvements, and whether they are urgent."""

    improvements: tuple[str, ...] = ()
    urgent: bool = False


def draw_up(turn: Turn[Session], message: UserMessage, state: Session, found: Findings, content: Content) -> Directive:
    purpose = purpose_of(turn, message, state, found, content)
    holds = holds_of(turn, message, state, found, purpose, content)
    question = question_of(turn, state, found, purpose, holds, content)
    if question.offers_plan or (holds.process and purpose.stance is Stance.WORK):
        purpose = purpose.letting_lead()
    supervision = _supervision(state, turn.seq)
    return Directive(
        stance=purpose.stance,
        part=state.current_part,
        **_of_the_task(purpose, state),
        **_of_the_module(turn, state, purpose, content),
        ask=question.ask,
        known=slots_for_prompt(state, content.messages(state.locale, state.register_), tuple(turn.state.user_info)),
        declined=declined_labels(state),
        part_changed=_announces_part(state, purpose, holds, question),
        part2_goal=state.part2_goal if state.current_part is Part.EXPLORATION else None,
        persona=persona_hint(content, state),
        supervision=supervision.improvements,
        supervision_urgent=supervision.urgent,
        concern=purpose.concern,
        heed=purpose.heed,
        parse_error=question.parse_error,
        contradiction=question.contradiction,
        ruled=question.ruled,
        misread=holds.misread,
        skipped=holds.skipped,
        resisted=holds.resisted,
        offers_plan=question.offers_plan,
        proposes=purpose.proposes,
        carried=_gist_carried(state),
        end_cause=purpose.end_cause,
    )


def _of_the_task(purpose: Purpose, state: Session) -> _OfTheTask:
    task = purpose.task
    return {
        "task_id": task.id if task else None,
        "task_title": task.title if task else None,
        "task_target": task.target if task else None,
        "restrictions": task.restrictions if task else None,
        "execution_guide": state.execution_guide if task else "",
    }


def _of_the_module(turn: Turn[Session], state: Session, purpose: Purpose, content: Content) -> _OfTheModule:
    module = _module(content.modules(state.locale), state)
    without_examples = purpose.concern or purpose.stance is Stance.CARE
    return {
        "module_id": module.id,
        "module_name": module.name,
        "module_summary": module.summary,
        "module_examples": () if without_examples else module.examples.get(state.register_, ()),
        "module_changed": turn.state.seq > 0 and state.current_module != turn.state.current_module,
        "module_change_reason": content.state_words(state.locale).module_change(state.module_change_code or ""),
    }


def _announces_part(state: Session, purpose: Purpose, holds: Holds, question: Question) -> bool:
    """Return whether the reply introduces a new Part; nothing more pressing takes its place."""
    pressing = purpose.safety_first or question.parse_error or holds.misread or holds.feeling or question.offers_plan
    return state.current_part != state.announced_part and not pressing and purpose.stance is not Stance.CARE


def _module(modules: Sequence[Module], state: Session) -> Module:
    return next((module for module in modules if module.id == state.current_module), modules[0])


def _supervision(state: Session, seq: int) -> _Supervision:
    newest = state.supervision_log[-1] if state.supervision_log else None
    if newest is None or seq - newest.seq > STALE_AFTER:
        return _Supervision()
    gist = newest.data
    total = gist.get("total")
    score = float(total) if isinstance(total, int | float) else 10.0
    if score >= LOW_SCORE and not gist.get("needs_improvement"):
        return _Supervision()
    improvements = gist.get("improvements")
    texts = [excerpt(str(text), LONGEST_REMARK) for text in improvements] if isinstance(improvements, list) else []
    return _Supervision(tuple(texts[:MOST_REMARKS]), score < URGENT_SCORE)


def _gist_carried(state: Session) -> CarriedGist | None:
    """Return summary, goals and next plan in Part 1, only the goals in Part 3, None in Part 2."""
    carried = state.carried
    if carried is None or state.current_part is Part.EXPLORATION:
        return None
    if state.current_part is Part.CLOSING:
        return CarriedGist(goals=carried.goals) if carried.goals else None
    return CarriedGist(summary=carried.summary, goals=carried.goals, next_plan=carried.next_plan)


def holds_of(
    turn: Turn[Session], message: UserMessage, state: Session, found: Findings, purpose: Purpose, content: Content
) -> Holds:
    """Return what keeps the rules from asking in this turn."""
    misread = bool(found.of(MisreadTold)) and not purpose.concern
    building = state.safety_plan.stage is PlanStage.BUILDING
    way = _declines_the_way(state, found)
    skipped = not (purpose.safety_first or building or way) and _skipped(turn, message, state, found)
    no_rest = {"risk": state.risk.model_copy(update={"over_seq": None})}
    rested = state.model_copy(update=no_rest) if purpose.begun else state
    resisted = resists(turn, message, state, found, content)
    everything = purpose.safety_first or misread or skipped or resisted or holds_questions(turn, rested)
    # A warning sign that was asked for is no new feeling.
    feeling = feeling_first(turn, message, state) and not found.of(SafetyPlanBegun, SafetyPlanStepGiven)
    unsure = message.words.is_unsure and not building
    # A question of the user's own, or what they ask of the AI, is answered first; a value is an answer ("민지요?").
    asks = questions_of(message.text) or message.demands or content.session_words.asks_of_counselling(message.text)
    wonders = bool(asks) and not (building or found.of(SlotFilled))
    grave = bool(found.of(RiskRaised)) or turn.state.risk.asked_seq == turn.state.seq
    unanswered = bool(found.of(WrapUpPassed, WrapUpUnclear))
    first_heard = message.wishes_to_stop or _answers_the_way(turn.state, content) or unanswered
    waits = feeling and not (purpose.task is not None and last_chance(state, purpose.task))
    rests = purpose.task is not None and intake_rests(state, purpose.task, turn.seq)
    quiet = not building and wants_no_questions(turn, message, content)
    slots = everything or waits or unsure or wonders or grave or first_heard or way or quiet or rests
    return Holds(
        misread=misread,
        skipped=skipped,
        resisted=resisted,
        feeling=feeling,
        answered=bool(message.demands),
        process=process_waits(turn, message, state, content),
        all=everything,
        slots=slots,
    )


def question_of(
    turn: Turn[Session], state: Session, found: Findings, purpose: Purpose, holds: Holds, content: Content
) -> Question:
    """Return what the rules ask in this turn."""
    if found.of(SlotTakenBack) and purpose.stance in _FREE and not purpose.safety_first:
        return _asked_anew(state, found)
    if holds.all:
        return Question()
    again = next_ask(state, purpose.task, turn.seq, again=True)
    if _unclear(turn, state, found, purpose.stance, again):
        return Question(ask=_asked_again(again, turn.state.last_asked), parse_error=True)
    if purpose.stance in _FREE and not holds.answered and time_to_offer(turn.seq, state):
        return Question(offers_plan=True)
    if _declines_the_way(state, found):
        wordings = content.messages(state.locale, state.register_).variants("ask_way")
        return Question(ruled=fresh(wordings, state))
    if holds.slots or holds.process:
        return Question()
    contradiction = _next_clarification(state, purpose.stance, content)
    if contradiction is not None:
        return Question(contradiction=contradiction)
    return Question(ask=_next_question(state, purpose.task, turn.seq, content))


def _skipped(turn: Turn[Session], message: UserMessage, state: Session, found: Findings) -> bool:
    quiet_after = QUIET_AFTER_UNSURE if message.words.is_unsure else QUIET_AFTER
    if found.of(SlotDeclined) or state.short_answers >= quiet_after:
        return True
    return not found.of(SlotFilled) and skips_a_question(message, turn.state)


def _declines_the_way(state: Session, found: Findings) -> bool:
    """Return whether the user says no to the way in which the talk goes; how they would like it is asked first."""
    agreements = {slot.name for task in state.tasks for slot in task.slots if slot.agrees}
    said_no = any(event.slot in agreements and event.value is False for event in found.of(SlotFilled))
    return said_no or any(event.slot in agreements for event in found.of(SlotDeclined))


def _asked_anew(state: Session, found: Findings) -> Question:
    wrong = {event.slot for event in found.of(SlotTakenBack)}
    slot = next((slot for task in state.tasks for slot in task.slots if slot.name in wrong), None)
    if slot is None or slot.name in state.user_info:
        return Question()
    wording = fresh(slot.questions, state)
    return Question(ask=Ask(slot=slot.name, question=wording), ruled=wording)


def _answers_the_way(before: Session, content: Content) -> bool:
    """Return whether the newest reply asked how the user would like to talk; the answer is received first."""
    wordings = content.messages(before.locale, before.register_).variants("ask_way")
    return any(wording in newest_reply(before) for wording in wordings)


def _next_question(state: Session, task: Task | None, seq: int, content: Content) -> Ask | None:
    if task is not None and task.completion_rule is CompletionRule.STEPS:
        return step_ask(state, task, content)
    return next_ask(state, task, seq)


def _unclear(turn: Turn[Session], session: Session, found: Findings, stance: Stance, ask: Ask | None) -> bool:
    """Return whether the reply says so: never twice in a row, nor if the slot's error explains the failure."""
    if stance not in _FREE or session.repeat_asked_seq == turn.state.seq:
        return False
    if ask is not None and ask.error is not None:
        return False
    return _unread(turn, found)


def _asked_again(ask: Ask | None, last_asked: str | None) -> Ask | None:
    return ask if ask is not None and ask.slot == last_asked else None


def _unread(turn: Turn[Session], found: Findings) -> bool:
    """Return whether the message was not read: no rule found a value, and the model that reads it failed."""
    if found.of(
        SlotFilled, SlotContradicted, SlotTakenBack, SafetyPlanBegun, SafetyPlanStepGiven, SafetyPlanStepPassed
    ):
        return False
    readers = {run.agent: run for run in turn.scope.ledger.runs if run.agent in _READERS}
    checked = readers.get(task_completion.AGENT)
    if checked is not None and checked.decided_by is not DecidedBy.RULE:
        return _lost(checked)
    return any(_lost(run) for run in readers.values())


def _lost(run: AgentRun) -> bool:
    """Return whether the model failed; a message that the provider refused does not count, since it would be again."""
    return run.decided_by is DecidedBy.SAFE_DEFAULT and not (run.error or "").startswith(_REFUSED)


def _next_clarification(state: Session, stance: Stance, content: Content) -> Clarification | None:
    """Return the question about the oldest contradiction that was not asked about; None if there is none."""
    if stance not in _FREE:
        return None
    slots = {slot.name: slot for task in state.tasks for slot in task.slots}
    for name, found in state.contradictions.items():
        if found.settled or found.asked_seq is not None or name not in slots or name not in state.user_info:
            continue
        before = (state.user_info[name], state.info_sources.get(name))
        return Clarification(
            slot=name, question=_question_of_two(state, slots[name], before, (found.value, found.source), content)
        )
    return None


def _question_of_two(
    state: Session,
    slot: Slot,
    before: tuple[SlotValue, Source | None],
    now: tuple[SlotValue, Source | None],
    content: Content,
) -> str:
    messages = content.messages(state.locale, state.register_)
    if slot.kind is SlotKind.NAME:
        carried = before[1] is None or before[1].conversation_id is not None
        key = "carried_name" if carried and state.carried is not None else "name"
        return messages.contradiction(key, label=slot.label, before=str(before[0]), now=str(now[0]))
    first, later = (_words(*each, messages, content) for each in (before, now))
    if first == later:
        first, later = (in_words(each[0], messages) for each in (before, now))
    key = _QUOTING[_has_content(first, content), _has_content(later, content)]
    return messages.contradiction(key, label=slot.label, before=first, now=later)


def _has_content(said: str, content: Content) -> bool:
    words = content.lexicon.read(said)
    return not words.is_backchannel and (bool(words.content_words) or " " in words.said.strip())


def _words(value: SlotValue, source: Source | None, messages: Messages, content: Content) -> str:
    said = " ".join(source.quote.split()).rstrip(" .!?…~") if source else ""
    rules = content.text_rules
    fit = said and len(said) <= _LONGEST_WORDS and not rules.alarming(said) and not rules.instructive(said)
    return said if fit else in_words(value, messages)
