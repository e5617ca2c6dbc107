"""Builds the output guard of a reply; every service uses one."""

from collections.abc import Callable
from dataclasses import replace

from shared.content.guard_endings import SafeEndings
from shared.domain.conversation import Role, S
from shared.engine.flow import Turn
from shared.locale import Locale
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.form import languages_of
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation

AGENT = "output_guard"
"""Agent name in the turn record; the log takes the category from there."""


def reply_guard(
    turn: Turn[S],
    state: S,
    endings: SafeEndings,
    rules: GuardRules,
    known: Situation,
    *,
    of_others: Callable[[], bool] = lambda: False,
) -> OutputGuard:
    """Return the guard of a turn's reply.

    Args:
        turn: The turn.
        state: The conversation in this turn.
        endings: Endings for a reply that is cut.
        rules: What a reply must not say.
        known: The situation; register, languages and the user's words are added here.
        of_others: Called when the reply is cut: whether the dialogue is about another person's danger.
    """
    said = [message.text for message in state.recent if message.role is Role.USER]
    replies = [message.text for message in state.recent if message.role is not Role.USER]
    last = "\n".join((*said[-1:], *replies[-1:], turn.text))
    words = "\n".join((*said, turn.text))
    spoken = next(filter(None, map(languages_of, (turn.text, *reversed(said)))), frozenset[Locale]())
    situation = replace(
        known,
        register=state.register_ if state.locale is Locale.KO else None,
        languages=spoken | {state.locale},
        said=words,
        medicine=Category.MEDICATION in known.explained or rules.tells_of_medicine(last),
        means=rules.tells_of_means(last),
    )

    def ending(category: Category) -> str:
        said = category in known.explained or (known.noticed and category is Category.HUMAN)
        return endings.ending(None if said else category, state.locale, state.register_, turn.seq, others=of_others())

    return OutputGuard(rules, situation, ending)
