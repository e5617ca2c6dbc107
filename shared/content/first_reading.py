"""Reads a message with the safety rules as it comes. CPU only: no model, no store, and nothing of it is kept."""

from shared.content.abuse_rules import abuse_rules
from shared.content.crisis_rules import crisis_rules
from shared.domain.first_reading import FirstReading
from shared.safety.abuse import detect_abuse
from shared.safety.detector import detect

END = 4000
"""Characters that are read at each end of a text that is too long for a message: its first words and its last. Own
figure, a message's length: so a body of any size costs at most two messages' reading."""


def read_first(text: str) -> FirstReading:
    """Return what the rules find in a text; never raises."""
    return FirstReading(crisis=detect(text, crisis_rules()), abuse=detect_abuse(text, abuse_rules()))


def ends_of(text: str) -> str:
    """Return a text of at most twice the length of a message: all of it, or its two ends as two paragraphs."""
    return text if len(text) <= 2 * END else f"{text[:END]}\n\n{text[-END:]}"
