"""What of a closing may be read by its user and in the next session: what is calm, theirs, and true at any time."""

import re
from collections.abc import Sequence
from typing import Protocol

from functions.session_manager.facts import sentences, wishes_not
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation
from shared.services.counseling.evidence import is_verbatim_quote

GOAL_SLOT = "session_goal"
"""The slot in which every template keeps the user's goal (`shared/content/data/tasks_*.yaml`)."""
MOST_GOALS, GOAL_LENGTH = 3, 120
SHORTEST_QUOTE = 4
"""Letters of a quote that holds a wish: a bare "네" to the counsellor's words is none. Own threshold."""

_OF_A_REPLY = frozenset({Category.REGISTER, Category.ENDING, Category.REPEATED, Category.MEMORY})
"""What is wrong in a reply alone: a closing may say that the session is over and what was talked of."""
_GUARD = Situation(record=True)
_LETTERS = re.compile(r"[\W_]+")
_RELATIVE = re.compile(
    r"오늘(?!날)|어제|내일|이번(?: ?(?:에|엔|주|시간|상담|회기))|(?<!그)(?<!그 )"
    r"다음(?: ?(?:번|주|달|시간|상담|회기)|에|엔)|지난 ?(?:번|주|달|시간|상담|회기)|"
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this) (?:time|week|month|session))\b",
    re.IGNORECASE,
)
"""Words of time that are wrong as soon as they are read on another day."""


class VoicedGoal(Protocol):
    """A goal with the words that it was voiced in."""

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
    """Return a text without the sentences that are true on their own day only."""
    return " ".join(sentence for sentence in sentences(text) if not dated(sentence))


class ClosingWords:
    """Keeps what may be read of a closing, by the service's rules."""

    def __init__(self, content: Content) -> None:
        """Take the rules."""
        self._rules, self._guard_rules, self._lexicon = content.text_rules, content.guard_rules, content.lexicon

    def calm(self, text: str) -> str:
        """Return a text without what alarms: its user reads it, and so does the greeting that they come back to."""
        if not self._rules.alarming(text):
            return self.sayable(text)
        left = " ".join(sentence for sentence in sentences(text) if not self._rules.alarming(sentence))
        return "" if self._rules.alarming(left) else self.sayable(left)

    def sayable(self, text: str) -> str:
        """Return a text without the sentences that the output guard would have cut from a reply."""
        if self._fit_to_say(text):
            return text.strip()
        left = " ".join(sentence for sentence in sentences(text) if self._fit_to_say(sentence))
        return left if self._fit_to_say(left) else ""

    def own_goal(self, session: Session) -> str:
        """Return the goal that the user put into words when asked for it; a wish to die is none."""
        voiced = session.user_info.get(GOAL_SLOT)
        goal = " ".join(voiced.split()) if isinstance(voiced, str) else ""
        return "" if self._rules.alarming(goal) else goal

    def kept_goals(self, proposed: Sequence[VoicedGoal], words: str, own: str) -> tuple[str, ...]:
        """Return the user's goals, at most three: the one they gave as such first, then what they really voiced.

        Args:
            proposed: What a model found.
            words: What the user said.
            own: The goal that they gave; what the model found in the same words adds nothing to it.
        """
        voiced = (each for each in proposed if self._voiced(each, words) and not is_verbatim_quote(each.quote, own))
        goals = (" ".join(goal.split())[:GOAL_LENGTH] for goal in (own, *(each.goal for each in voiced)))
        return tuple(dict.fromkeys(goal for goal in goals if goal))[:MOST_GOALS]

    def _fit_to_say(self, text: str) -> bool:
        found = OutputGuard(self._guard_rules, _GUARD, str).over(text).category
        return found is None or found in _OF_A_REPLY

    def _voiced(self, each: VoicedGoal, words: str) -> bool:
        """Whether a goal is about what its quote wishes for."""
        if len(_LETTERS.sub("", each.quote)) < SHORTEST_QUOTE or not is_verbatim_quote(each.quote, words):
            return False
        if wishes_not(each.quote) or self._rules.alarming(each.goal, each.quote):
            return False
        return bool(self._lexicon.content_words(each.goal) & self._lexicon.content_words(each.quote))
