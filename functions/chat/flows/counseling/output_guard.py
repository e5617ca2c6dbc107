"""Composes the output guard of a turn, and notes what it did."""

from typing import Any

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompt_leak_rule import guard_rules_with_prompt
from shared.content.catalogue import Content
from shared.content.guard_endings import tells_of_others
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.prompts.catalogue import Prompt
from shared.safety.levels import CrisisOutcome
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import Guarded, OutputGuard
from shared.safety.output_guard.situation import Situation
from shared.services.output_guard import AGENT, reply_guard

GUARDED = "guarded"
"""The flag, for clients: the reply was ended by a rule. What for stands in the record alone."""

_OF_OTHERS = (CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW)


def guard_of(progress: Progress, content: Content, prompt: Prompt[Any], *, noticed: bool) -> OutputGuard:
    """Return the guard of this turn's reply.

    Args:
        progress: The turn's.
        content: What the prompt is filled with.
        prompt: The speaker's, which is not to be repeated.
        noticed: A rule has said in this turn that it is an AI.
    """
    turn, state = progress.turn, progress.state
    known = Situation(
        noticed=noticed,
        record=state.carried is not None,
        in_danger=state.risk.follow_through,
        hurt=bool(state.risk.hurt_by),
    )
    return reply_guard(
        turn,
        state,
        guard_rules_with_prompt(content, prompt, state.locale),
        known,
        of_others=lambda: state.risk.outcome in _OF_OTHERS or tells_of_others(turn.text),
    )


def note_guarded(progress: Progress, guarded: Guarded) -> bool:
    """Enter what the guard did in the record; return whether it ended the reply."""
    ledger = progress.turn.scope.ledger
    if guarded.category is not None:
        ledger.ruled(AGENT, guarded.category.value, guarded.rule)
        progress.flags.append(GUARDED)
        if guarded.category is not Category.REGISTER:  # a slip of register is no reason to read somebody's counselling
            rules = (guarded.category.value,)
            progress.note(FlaggedForReview(reason=FlagReason.GUARD, seq=progress.turn.seq, rules=rules))
        return True
    if guarded.left_out:
        ledger.ruled(AGENT, Category.REPEATED.value, "a rule has said the same")
    return False
