"""What a model wrote, without the sentences that speak to a model: they would be repeated to each later one."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.safety.text_rules import TextRules

log = logging.getLogger(__name__)


@dataclass
class InstructionFilter:
    """Sifts what one agent wrote before it is kept.

    Attributes:
        dropped: Sentences and items left out so far.
    """

    rules: TextRules
    agent: str
    conversation: str
    dropped: int = 0

    def text(self, text: str) -> str:
        """Return a text without such sentences; empty when nothing else was in it."""
        left = self.rules.without_instructions(text)
        self.dropped += left.dropped
        return left.text

    def items(self, items: Iterable[str]) -> tuple[str, ...]:
        """Return the items in which there is no such sentence: of a goal or a remark no half is kept."""
        given = tuple(items)
        kept = tuple(item for item in given if not self.rules.instructive(item))
        self.dropped += len(given) - len(kept)
        return kept

    def tell(self, seq: int) -> None:
        """Log how much was left out, if anything was."""
        if self.dropped:
            log_event(
                log,
                LogEvent.INSTRUCTIVE,
                agent=self.agent,
                conversation=self.conversation,
                seq=seq,
                instructive=self.dropped,
            )
