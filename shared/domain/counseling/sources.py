"""Where a fact comes from: the turn in which the user said it, and their words."""

from pydantic import Field

from shared.domain.ids import ConversationId
from shared.domain.slots import SlotValue
from shared.model import Model

LONGEST_QUOTE = 200
"""Maximum characters of a stored quote."""


class Source(Model):
    """The user's words for a fact.

    Attributes:
        quote: Verbatim and bounded.
        conversation_id: The earlier conversation in which it was said; None for the session that holds the source.
    """

    seq: int = Field(ge=0)
    quote: str
    conversation_id: ConversationId | None = None

    def said_in(self, conversation_id: ConversationId) -> "Source":
        """Return it for use outside its session; a source that names a conversation keeps it."""
        return self if self.conversation_id else self.model_copy(update={"conversation_id": conversation_id})


class SourcedText(Source):
    """A sentence or a goal, and the user's words that it rests on."""

    text: str


class Contradiction(Model):
    """A value that differs from the one that the user gave before, said without words of correction.

    Attributes:
        value: The newer value; the earlier one holds until the user decides.
        asked_seq: The turn whose reply asked which one holds; each slot is asked about once.
        settled: The user answered, or the slot got a corrected value.
    """

    value: SlotValue
    source: Source
    asked_seq: int | None = None
    settled: bool = False


def bounded_quote(text: str, held: str = "") -> str:
    """Return at most `LONGEST_QUOTE` characters of a text, around the words `held` if it has them."""
    if len(text) <= LONGEST_QUOTE:
        return text.strip()
    place = max(0, text.casefold().find(held.casefold()))
    start = max(0, min(place - (LONGEST_QUOTE - len(held)) // 2, len(text) - LONGEST_QUOTE))
    return text[start : start + LONGEST_QUOTE].strip()
