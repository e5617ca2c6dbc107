"""Reads a reply while it is written, and lets out only what will not have to be unsaid.

It goes letter by letter, so the result does not depend on the pieces in which a model's words arrive.
"""

from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.held import Held
from shared.safety.output_guard.rules import GuardRule, GuardRules
from shared.safety.output_guard.situation import Situation

LONGEST_WHOLE = 64
"""Letters up to which a sentence that is not the first is shown as a whole, so that a cut falls between two.

A longer one goes out by words, as the first does, so that nobody waits for it. One long Korean sentence has as many.
"""


class Watch:
    """Reads one reply.

    Attributes:
        rule: The rule that cut it, once one has.
        kept: What was let out or may be.
    """

    def __init__(self, rules: GuardRules, situation: Situation) -> None:
        self.rule: GuardRule | None = None
        self.kept = ""
        self.left_out = 0
        self._situation = situation
        self._triggers = rules.triggers(situation)
        self._held = Held(self._triggers)
        self._eager = not situation.noticed

    @property
    def caught(self) -> bool:
        """Whether the rest of the reply is of no use."""
        return self.rule is not None

    @property
    def trails_off(self) -> bool:
        """Whether the cut fell within a sentence of which something is out."""
        return self.caught and self._held.let_out > 0

    def take(self, text: str) -> str:
        """Take the next piece; return what may be shown now."""
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
        """Judge what is left; return what of it may be shown."""
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
        """Decide on the sentence, which is over, and begin the next."""
        held = self._held
        rule = held.first_hit(self._situation)
        if rule is not None and rule.category is not Category.REPEATED:
            self.rule = rule
            return
        if rule is None or held.let_out:
            self._let_out(len(held.sentence.raw))
        else:
            self.left_out += 1
        self._eager = False
        self._held = Held(self._triggers)

    def _judge_line(self) -> None:
        """Stop at a line that would not do as a sentence; if it would, the next line may still go on with it."""
        rule = self._held.first_hit(self._situation)
        if rule is not None and rule.category is not Category.REPEATED:
            self.rule = rule

    def _let_out(self, until: int) -> None:
        held = self._held
        if until > held.let_out:
            fresh = held.sentence.raw[held.let_out : until]
            self.kept += fresh if self.kept else fresh.lstrip()
            held.let_out = until
