"""Which tasks a turn covers, by the slots' gate, the user's words, the checker's signs or the task's bound."""

from typing import assert_never

from functions.chat.findings import Findings
from functions.chat.flows.counseling.detectors.task_completion import Checked
from functions.chat.flows.counseling.part_check import has_said_all
from functions.chat.legacy.user_message import UserMessage
from shared.domain.conversation import Role
from shared.domain.counseling.lifecycle import last_chance, turns_exhausted, unexplained
from shared.domain.counseling.readings import before, newly_named
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import CompletionRule, Part, SufficientReason, Task
from shared.domain.counseling.task_events import TaskCovered, TaskSignSeen, TaskTurnSpent, WordsSetAside
from shared.domain.event import Event
from shared.domain.slots import gate_open
from shared.lexicon.lexicon import Lexicon
from shared.lexicon.words import Words

EVIDENCE_LENGTH = 300
"""Maximum characters of stored evidence."""
_HELD_AT_A_FEELING = (SufficientReason.JUDGED, SufficientReason.BOUNDED)
"""Reasons that do not close a task in the turn of a new feeling, which is received first."""
LONGEST_HELD = 2
"""Turns after its bound for which new feelings keep a task open."""


def cover_tasks(message: UserMessage, session: Session, checked: Checked, seq: int, lexicon: Lexicon) -> Findings:
    """Return the tasks covered now, and the sign that this turn gives for the current one.

    A judged task needs signs from several turns, each with a word that the ones before lack. Circular talk covers no
    task but at its bound, or if nothing is left to say. One that a new feeling or a hard fact kept open is covered in
    the next turn.
    """
    if checked.held or session.risk.last_seq == seq:  # the model may have found the danger
        return Findings()
    circular = session.user_state.circular
    judged = "" if circular else checked.evidence
    current = checked.current
    # A turn in which the user jumps to another topic is not spent on the task.
    jumps = session.user_state.topic_changed
    spent = (TaskTurnSpent(task_id=current.id),) if current is not None and not jumps else ()
    # In Part 2 the words with which they jump show nothing of the task that they leave, in a later turn either.
    leaves = message.words.changes_topic and session.current_part is Part.EXPLORATION
    aside = (WordsSetAside(seq=seq),) if leaves else ()
    sign: tuple[Event[Session], ...] = ()
    if current is not None and judged and _adds_a_word(judged, session, current, lexicon):
        sign = (TaskSignSeen(task_id=current.id, seq=checked.said_seq),)
        current = current.with_sign(checked.said_seq)
    signed = not (circular or checked.turned_away)
    covered = (
        (task, reason)
        for task in session.tasks
        if (reason := _covered(message, session, task, current, signed=signed))
        if not (reason in _HELD_AT_A_FEELING and _feels_anew(message, session, task, seq))
    )
    events = (
        TaskCovered(
            task_id=task.id, reason=reason, evidence=_evidence(message.text, session, task, reason, judged), seq=seq
        )
        for task, reason in covered
    )
    return Findings(events=(*spent, *aside, *sign, *events))


def _adds_a_word(evidence: str, state: Session, task: Task, lexicon: Lexicon) -> bool:
    signs = [one.text for one in state.recent if one.role is Role.USER and one.seq in task.signs]
    known = frozenset().union(*(lexicon.read(text).content_words for text in signs))
    return not signs or bool(lexicon.read(evidence).content_words - known)


def _covered(
    message: UserMessage, state: Session, task: Task, current: Task | None, *, signed: bool
) -> SufficientReason | None:
    if task.part != state.current_part or task.covered or task.parked:
        return None
    circular = state.user_state.circular
    if not circular and gate_open(task.required_slots, state.user_info, state.declined_slots):
        return SufficientReason.GATE
    if current is None or task.id != current.id:
        return None
    if _is_answered(message.words, task, circular=circular):
        return SufficientReason.REPLY
    if (message.words.says_task_done or has_said_all(message, state)) and not circular:
        return SufficientReason.EXPLICIT
    if signed and task.completion_rule is CompletionRule.JUDGED and len(current.signs) >= current.min_turns:
        return SufficientReason.JUDGED
    waits = state.user_state.topic_changed or (unexplained(state, task) and not last_chance(state, task))
    return SufficientReason.BOUNDED if turns_exhausted(current) and not waits else None


def _is_answered(words: Words, task: Task, *, circular: bool) -> bool:
    """Return whether the message is the reply that the task waits for; a plain no to "is anything left?" always is."""
    if task.completion_rule is CompletionRule.NOTHING_LEFT:
        return words.has_nothing_to_say
    return task.completion_rule is CompletionRule.REPLY and not circular


def _feels_anew(message: UserMessage, state: Session, task: Task, seq: int) -> bool:
    """Return whether this turn brings a new feeling or a hard fact; past its bound a task waits for few of them."""
    late = task.turns_spent + 1 >= task.max_turns + LONGEST_HELD
    told = message.tells_hard_fact or newly_named(state.user_state, before(state.readings, seq))
    return told and not late


def _evidence(text: str, state: Session, task: Task, reason: SufficientReason, judged: str) -> str:
    """Return the user's words that show that the task is covered; empty if it ran out of turns."""
    match reason:
        case SufficientReason.GATE:
            given = state.user_info
            words = "; ".join(f"{slot.label}: {given[slot.name]}" for slot in task.required_slots if slot.name in given)
        case SufficientReason.JUDGED:
            words = judged or _signed_words(state, task)
        case SufficientReason.REPLY | SufficientReason.EXPLICIT:
            words = text
        case SufficientReason.BOUNDED:
            words = ""
        case _:
            assert_never(reason)
    return words[:EVIDENCE_LENGTH]


def _signed_words(state: Session, task: Task) -> str:
    said = (one.text for one in reversed(state.recent) if one.role is Role.USER and one.seq in task.signs)
    return next(said, "")
