"""Builds the output guard of a turn and records what it did."""

from typing import Any

from functions.chat.danger.prompt_leak_rule import guard_rules_with_prompt
from functions.chat.findings import Findings
from functions.chat.legacy.asked_before import picking
from functions.chat.legacy.demands import explained, is_a_yes_a_lie
from functions.chat.legacy.user_message import UserMessage
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.profile import NAME_SLOT
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.engine.flow import Turn
from shared.prompts.catalogue import Prompt
from shared.safety.help_seeking import Circumstance
from shared.safety.levels import CrisisOutcome
from shared.safety.output_guard.categories import FAULTS, Category
from shared.safety.output_guard.guard import Guarded, OutputGuard
from shared.safety.output_guard.situation import Situation
from shared.services.output_guard import AGENT, reply_guard

GUARDED = "guarded"
"""Flag for clients: a rule ended the reply. Only the turn record says why."""

_NO_HOPE = (Category.HOPELESS, Category.ENCOURAGING, Category.DISCOURAGING)
_OF_FORM = FAULTS | {Category.REGISTER}
_OF_OTHERS = (CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW)


def guard_of(
    turn: Turn[Session], message: UserMessage, state: Session, content: Content, prompt: Prompt[Any], *, noticed: bool
) -> OutputGuard:
    """Return the guard of this turn's reply; `noticed` if this turn already discloses that CBot is an AI."""
    voice, in_danger = voice_of(state), state.risk.is_open
    known = Situation(
        noticed=noticed,
        demanded=is_a_yes_a_lie(message),
        decision_asked=content.session_words.asks_to_decide(message.text),
        explained=explained(message),
        record=state.carried is not None,
        in_danger=in_danger,
        despair=in_danger and _despairs(message, content),
        hurt=bool(state.risk.hurt_by),
        home=voice.hurt_at_home or voice.fears_home,
        called=in_danger and Circumstance.CONTACT in {*state.help_seeking.circumstances, *message.circumstances},
        name=str(state.user_info.get(NAME_SLOT) or ""),
    )
    return reply_guard(
        turn,
        state,
        content.safe_endings.picked_by(picking(state, turn.seq)),
        guard_rules_with_prompt(content, prompt, state.locale),
        known,
        of_others=lambda: state.risk.outcome in _OF_OTHERS or content.text_rules.tells_of_others(message.text),
    )


def _despairs(message: UserMessage, content: Content) -> bool:
    """Return whether the message is a danger, or says what no reply may agree with in one: that nothing helps."""
    if message.screened.crisis.outcome is not CrisisOutcome.NONE or message.screened.crisis.hints:
        return True
    as_reply = OutputGuard(content.guard_rules, Situation(record=True, in_danger=True), str)
    return as_reply.over(message.text).category in _NO_HOPE


def guarded_findings(turn: Turn[Session], guarded: Guarded) -> Findings:
    """Return what the guard did; with a flag only if it ended the reply."""
    ledger = turn.scope.ledger
    if guarded.category is None:
        if guarded.left_out:
            ledger.ruled(AGENT, guarded.left_out[0].value, "left out of the reply")
        return Findings()
    ledger.ruled(AGENT, guarded.category.value, guarded.rule)
    if guarded.category in _OF_FORM:  # no reason for staff to read a session
        return Findings(flags=(GUARDED,))
    flagged = FlaggedForReview(reason=FlagReason.GUARD, seq=turn.seq, rules=(guarded.category.value,))
    return Findings(events=(flagged,), flags=(GUARDED,))
