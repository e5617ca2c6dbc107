"""What is mended in the form of a reply."""

from enum import StrEnum


class Mended(StrEnum):
    """Recorded in the turn's ledger."""

    MARKS = "marks"
    """Headings, emphasis, code and quotation marks of Markdown were removed."""
    LIST = "list"
    """List items became sentences."""
    EMOJI = "emoji"
    """Emoji were removed."""
