"""Removes instructions to a model from a model's output, before later prompts repeat them."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.safety.text_rules import TextRules

log = logging.getLogger(__name__)


@dataclass
class InstructionFilter:
    """Filters the output of one agent before it is stored.

    Attributes:
        dropped: Sentences and items removed so far.
    """

    rules: TextRules
    agent: str
    conversation: str
    dropped: int = 0

    def text(self, text: str) -> str:
        """Return the text without instructive sentences; may be empty."""
        left = self.rules.without_instructions(text)
        self.dropped += left.dropped
        return left.text

    def items(self, items: Iterable[str]) -> tuple[str, ...]:
        """Return the items without instructive sentences; an item is kept or dropped whole."""
        given = tuple(items)
        kept = tuple(item for item in given if not self.rules.instructive(item))
        self.dropped += len(given) - len(kept)
        return kept

    def tell(self, seq: int) -> None:
        """Log the number of removals, if any."""
        if self.dropped:
            log_event(
                log,
                LogEvent.INSTRUCTIVE,
                agent=self.agent,
                conversation=self.conversation,
                seq=seq,
                instructive=self.dropped,
            )
