"""Filters the texts of a closing: calm, the user's own goals, and true on any day."""

import re
from collections.abc import Sequence
from typing import Protocol

from functions.session_manager.facts import sentences, wishes_not
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.locale import Locale
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation
from shared.services.counseling.evidence import is_verbatim_quote

GOAL_SLOT = "session_goal"
"""Slot of the user's goal in every template (`shared/content/data/tasks.yaml`)."""
MOST_GOALS, GOAL_LENGTH = 3, 120
SHORTEST_QUOTE = 4
"""Minimum letters of a quote for a goal: a bare "네" to the counsellor's words is no wish."""

_OF_A_REPLY = frozenset({Category.REGISTER, Category.ENDING, Category.REPEATED, Category.MEMORY})
"""Categories that are wrong only in a reply: a closing may say that the session is over and what was said in it."""
_GUARD = Situation(record=True, languages=frozenset(Locale))
_LETTERS = re.compile(r"[\W_]+")
_RELATIVE = re.compile(
    r"오늘(?!날)|어제|내일|이번(?: ?(?:에|엔|주|시간|상담|회기))|(?<!그)(?<!그 )"
    r"다음(?: ?(?:번|주|달|시간|상담|회기)|에|엔)|지난 ?(?:번|주|달|시간|상담|회기)|"
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this) (?:time|week|month|session))\b",
    re.IGNORECASE,
)
"""Time words that are wrong on another day."""


class VoicedGoal(Protocol):
    """A goal and the user's words for it."""

    @property
    def goal(self) -> str:
        """The goal."""

    @property
    def quote(self) -> str:
        """The user's words."""


def dated(text: str) -> bool:
    """Return whether a text says "today", "next time" or the like."""
    return bool(_RELATIVE.search(text))


def undated(text: str) -> str:
    """Return a text without its dated sentences."""
    return " ".join(sentence for sentence in sentences(text) if not dated(sentence))


class ClosingWords:
    """Filters the texts of a closing by the service's rules."""

    def __init__(self, content: Content) -> None:
        self._rules, self._guard_rules, self._lexicon = content.text_rules, content.guard_rules, content.lexicon
        self._words = content.session_words

    def calm(self, text: str) -> str:
        """Return a text without alarming sentences and without what the output guard would cut; may be empty."""
        if not self._rules.alarming(text):
            return self.sayable(text)
        left = " ".join(sentence for sentence in sentences(text) if not self._rules.alarming(sentence))
        return "" if self._rules.alarming(left) else self.sayable(left)

    def sayable(self, text: str) -> str:
        """Return a text without the sentences that the output guard would cut from a reply."""
        if self._fit_to_say(text):
            return text.strip()
        left = " ".join(sentence for sentence in sentences(text) if self._fit_to_say(sentence))
        return left if self._fit_to_say(left) else ""

    def own_goal(self, session: Session) -> str:
        """Return the goal that the user stated when asked; empty if it is alarming."""
        voiced = session.user_info.get(GOAL_SLOT)
        goal = " ".join(voiced.split()) if isinstance(voiced, str) else ""
        return "" if self._rules.alarming(goal) else goal

    def kept_goals(self, proposed: Sequence[VoicedGoal], words: str, own: str) -> tuple[str, ...]:
        """Return at most three goals: the stated `own` first, then the proposed ones.

        A proposed goal needs a quote from the user's `words`; a quote from `own` adds nothing.
        """
        voiced = (each for each in proposed if self._voiced(each, words) and not is_verbatim_quote(each.quote, own))
        goals = (" ".join(goal.split())[:GOAL_LENGTH] for goal in (own, *(each.goal for each in voiced)))
        return tuple(dict.fromkeys(goal for goal in goals if goal))[:MOST_GOALS]

    def _fit_to_say(self, text: str) -> bool:
        found = OutputGuard(self._guard_rules, _GUARD, str).over(text).category
        return found is None or found in _OF_A_REPLY

    def _voiced(self, each: VoicedGoal, words: str) -> bool:
        """Return whether the quote is the user's, no negated wish, and shares a content word with the goal.

        "그렇게 해 보고 싶어요" says nothing, as a quote or as a goal.
        """
        if len(_LETTERS.sub("", each.quote)) < SHORTEST_QUOTE or not is_verbatim_quote(each.quote, words):
            return False
        if any(map(self._words.only_agrees, (each.goal, each.quote))):
            return False
        if wishes_not(each.quote) or self._rules.alarming(each.goal, each.quote):
            return False
        goal, quote = map(self._lexicon.read, (each.goal, each.quote))
        return bool(goal.content_words & quote.content_words)
