"""Composes the output guard of a turn, and notes what it did."""

from typing import Any

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.prompt_leak_rule import guard_rules_with_prompt
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.engine.flow import Turn
from shared.prompts.catalogue import Prompt
from shared.safety.levels import CrisisOutcome
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import Guarded, OutputGuard
from shared.safety.output_guard.situation import Situation
from shared.services.output_guard import AGENT, reply_guard

GUARDED = "guarded"
"""The flag, for clients: the reply was ended by a rule. What for stands in the record alone."""

_OF_OTHERS = (CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW)


def guard_of(
    turn: Turn[Session], state: Session, content: Content, prompt: Prompt[Any], *, noticed: bool
) -> OutputGuard:
    """Return the guard of this turn's reply.

    Args:
        turn: The turn.
        state: The session as the steps before leave it.
        content: What the prompt is filled with.
        prompt: The speaker's, which is not to be repeated.
        noticed: A rule has said in this turn that it is an AI.
    """
    known = Situation(
        noticed=noticed,
        record=state.carried is not None,
        in_danger=state.risk.follow_through,
        hurt=bool(state.risk.hurt_by),
    )
    return reply_guard(
        turn,
        state,
        content.safe_endings,
        guard_rules_with_prompt(content, prompt, state.locale),
        known,
        of_others=lambda: state.risk.outcome in _OF_OTHERS or content.text_rules.tells_of_others(turn.text),
    )


def guarded_findings(turn: Turn[Session], guarded: Guarded) -> Findings:
    """Return what the guard did, for the record: a flag where it ended the reply, and none where it did not."""
    ledger = turn.scope.ledger
    if guarded.category is None:
        if guarded.left_out:
            ledger.ruled(AGENT, Category.REPEATED.value, "a rule has said the same")
        return Findings()
    ledger.ruled(AGENT, guarded.category.value, guarded.rule)
    if guarded.category is Category.REGISTER:  # no reason for staff to read somebody's counselling
        return Findings(flags=(GUARDED,))
    flagged = FlaggedForReview(reason=FlagReason.GUARD, seq=turn.seq, rules=(guarded.category.value,))
    return Findings(events=(flagged,), flags=(GUARDED,))
