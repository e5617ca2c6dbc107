"""The output guard of a reply: what may be shown while it is written, and how it stands at last."""

from collections.abc import Callable

from shared.model import Model
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation
from shared.safety.output_guard.watch import Watch

_TRAILS_OFF = "…"


class Guarded(Model):
    """A reply as it may stand.

    Attributes:
        text: What was clean, with a safe ending where the rest was cut.
        category: Why it was cut, or None.
        rule: The id of the rule that cut it.
        left_out: Sentences that were left out because a rule had said the same.
    """

    text: str
    category: Category | None = None
    rule: str = ""
    left_out: int = 0


class OutputGuard:
    """The guard of one reply's conversation."""

    def __init__(self, rules: GuardRules, situation: Situation, ending: Callable[[Category], str]) -> None:
        """Take the rules, what they must know, and the words that end a reply that was cut."""
        self._rules = rules
        self._situation = situation
        self._ending = ending

    def watch(self) -> Watch:
        """Return a new reading, for one stream."""
        return Watch(self._rules, self._situation)

    def over(self, text: str) -> Guarded:
        """Return a whole reply as it may stand; it begins with whatever a watch let out of it."""
        watch = self.watch()
        watch.take(text)
        watch.end()
        if watch.rule is None:
            return Guarded(text=watch.kept, left_out=watch.left_out)
        category = watch.rule.category
        trails_off = watch.trails_off and not watch.kept.endswith(_TRAILS_OFF)
        between = f"{_TRAILS_OFF} " if trails_off else " "
        closed = f"{watch.kept}{between}{self._ending(category)}" if watch.kept else self._ending(category)
        return Guarded(text=closed, category=category, rule=watch.rule.id, left_out=watch.left_out)
