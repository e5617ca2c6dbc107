"""The output guard of an answer whose every sentence has a checked source.

What an agreement says of secrecy, of an end or of whom someone tells is no claim of the speaker's: those rules do not
apply, and the words of what was read count as said by the user. All other rules do, for uploads may hold anything.
"""

from dataclasses import replace
from functools import cache

from functions.chat.flows.agreement.question import Question
from shared.content.catalogue import Content
from shared.domain.agreement.citing import Sources
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation
from shared.services.output_guard import reply_guard

OF_DOCUMENTS = frozenset({Category.SECRECY, Category.ENDING, Category.ACTED, Category.MEMORY})
"""Categories of claims that a document may make."""


def answer_guard(question: Question, sources: Sources, content: Content, *, noticed: bool) -> OutputGuard:
    """Return the guard of an answer from these sources."""
    turn = question.turn
    rules = _rules_for_documents(content)
    guard = reply_guard(turn, turn.state, content.safe_endings, rules, Situation(noticed=noticed))
    read = "\n".join(f"{one.passage.title}\n{one.passage.text}" for one in sources.all)
    guard.situation = replace(guard.situation, said=f"{guard.situation.said}\n{read}")
    return guard


def verbatim(guard: OutputGuard) -> OutputGuard:
    """Return the guard for a document's own words, whose register is not ours."""
    guard.situation = replace(guard.situation, register=None)
    return guard


@cache
def _rules_for_documents(content: Content) -> GuardRules:
    rules = content.guard_rules
    return GuardRules(
        rules=tuple(rule for rule in rules.rules if rule.category not in OF_DOCUMENTS), shared=rules.shared
    )
