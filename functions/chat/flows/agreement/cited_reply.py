"""The guard of an answer: sources are checked first, then the output guard reads what is left."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared.domain.agreement.citing import Checked, CitationCheck
from shared.engine.reply_guard import Guard, ReplyWatch
from shared.safety.output_guard.guard import Guarded


@dataclass
class _Watch:
    inner: ReplyWatch
    check: CitationCheck

    @property
    def caught(self) -> bool:
        return self.inner.caught

    def take(self, text: str) -> str:
        return self.inner.take(self.check.take(text))


@dataclass
class CitedGuard:
    """Shows a sentence once it is complete and its sources hold.

    Attributes:
        checked: The check of the whole reply.
    """

    inner: Guard
    new_check: Callable[[], CitationCheck]
    checked: Checked = field(default_factory=Checked)

    def watch(self) -> ReplyWatch:
        return _Watch(self.inner.watch(), self.new_check())

    def over(self, text: str) -> Guarded:
        check = self.new_check()
        check.take(text)
        check.end()
        self.checked = check.result
        return self.inner.over(self.checked.text)
