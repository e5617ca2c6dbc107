"""Checks a reply while it streams and releases only text that will not have to be taken back.

It works letter by letter, so the result does not depend on the chunks of the stream.
"""

import re

from shared.safety.output_guard.categories import DROPPED
from shared.safety.output_guard.held import Held
from shared.safety.output_guard.rules import GuardRule, GuardRules
from shared.safety.output_guard.situation import Situation

_CONTRAST = re.compile(r"(?:다만|하지만|그렇지만|그런데|but|however),?\s+", re.IGNORECASE)
"""Joins a sentence to one before it that is left out."""
LONGEST_WHOLE = 64
"""Letters up to which a sentence after the first is shown only as a whole, so that a cut falls between two sentences.
Longer ones are shown word by word, like the first, so that the user does not wait."""


class Watch:
    """Checks one reply.

    Attributes:
        rule: The rule that cut it, or None.
        kept: Text that was or may be released.
    """

    def __init__(self, rules: GuardRules, situation: Situation) -> None:
        self.rule: GuardRule | None = None
        self.kept = ""
        self.left_out = 0
        self._situation = situation
        self._triggers = rules.triggers(situation)
        self._held = Held(self._triggers)
        self._eager = not (situation.noticed or situation.demanded)  # what is dropped must not be shown before

    @property
    def caught(self) -> bool:
        """Whether a rule cut the reply."""
        return self.rule is not None

    @property
    def trails_off(self) -> bool:
        """Whether the cut is inside a sentence that was partly shown."""
        return self.caught and self._held.let_out > 0

    def take(self, text: str) -> str:
        """Add the next piece; return the text that may be shown now."""
        before = len(self.kept)
        for char in text:
            if self.caught:
                break
            if self._held.sentence.ends_before(char):
                self._judge()
            elif char == "\n" and self._held.sentence.may_end_here():
                self._judge_line()
            if not self.caught:
                self._add(char)
        return self.kept[before:]

    def end(self) -> str:
        """Check the rest; return its text that may be shown."""
        before = len(self.kept)
        if not self.caught and self._held.sentence.raw.strip():
            self._judge()
        return self.kept[before:]

    def _add(self, char: str) -> None:
        held = self._held
        letter = held.sentence.add(char)
        if letter:
            held.follow(letter)
        if letter and (self._eager or len(held.sentence.folded) > LONGEST_WHOLE):
            self._let_out(held.sentence.fit_to_show(held.held_from()))

    def _judge(self) -> None:
        """Decide on the finished sentence and start the next."""
        held = self._held
        rule = held.first_hit(self._situation)
        if rule is not None and rule.category not in DROPPED:
            self.rule = rule
            return
        if rule is None or held.let_out:
            self._let_out(len(held.sentence.raw))
        else:
            self.left_out += 1
        self._eager = False
        self._held = Held(self._triggers)

    def _judge_line(self) -> None:
        """Stop at a line that fails as a sentence; else the sentence may go on in the next line."""
        rule = self._held.first_hit(self._situation)
        if rule is not None and rule.category not in DROPPED:
            self.rule = rule

    def _let_out(self, until: int) -> None:
        held = self._held
        if until > held.let_out:
            fresh = held.sentence.raw[held.let_out : until]
            self.kept += fresh if self.kept else self._opening(fresh)
            held.let_out = until

    def _opening(self, fresh: str) -> str:
        """Return the first words shown; without a contrast to a sentence that was left out."""
        fresh = fresh.lstrip()
        joined = _CONTRAST.match(fresh) if self.left_out else None
        return fresh if joined is None else fresh[joined.end() :][:1].upper() + fresh[joined.end() + 1 :]
