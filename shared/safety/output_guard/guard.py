"""The output guard of a reply: what is shown while it streams, and the final text."""

from collections.abc import Callable

from shared.model import Model
from shared.safety.output_guard.categories import FAULTS, Category
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation
from shared.safety.output_guard.watch import Watch

_TRAILS_OFF = "…"


class Guarded(Model):
    """A checked reply.

    Attributes:
        text: The clean part, with a safe ending if the rest was cut; empty if faults of form left nothing of a reply in
            danger: that is no reply, and no ending stands for one.
        category: Why it was cut, or None.
        rule: Id of the rule that cut it.
        left_out: Categories of the sentences that were left out, the reply going on.
    """

    text: str
    category: Category | None = None
    rule: str = ""
    left_out: tuple[Category, ...] = ()


class OutputGuard:
    """Checks the replies of one conversation's turn.

    Attributes:
        situation: Facts of the conversation that rules depend on.
    """

    def __init__(self, rules: GuardRules, situation: Situation, ending: Callable[[Category], str]) -> None:
        """Create the guard.

        Args:
            rules: The guard rules.
            situation: Facts of the conversation that rules depend on.
            ending: Returns the ending of a reply that was cut.
        """
        self.situation = situation
        self._rules = rules
        self._ending = ending

    def watch(self) -> Watch:
        return Watch(self._rules, self.situation)

    def over(self, text: str) -> Guarded:
        """Return a checked whole reply; it begins with the text that a watch released."""
        watch = self.watch()
        watch.take(text)
        watch.end()
        faults = [category for category in watch.left_out if category in FAULTS]
        if watch.rule is None and (watch.kept or not faults):
            return Guarded(text=watch.kept, left_out=watch.left_out)
        category, rule = (faults[0], "") if watch.rule is None else (watch.rule.category, watch.rule.id)
        if self.situation.in_danger and not watch.kept and category in FAULTS:
            return Guarded(text="", category=category, rule=rule or category.value, left_out=watch.left_out)
        trails_off = watch.trails_off and not watch.kept.endswith(_TRAILS_OFF)
        between = f"{_TRAILS_OFF} " if trails_off else " "
        closed = f"{watch.kept}{between}{self._ending(category)}" if watch.kept else self._ending(category)
        return Guarded(text=closed, category=category, rule=rule or category.value, left_out=watch.left_out)
