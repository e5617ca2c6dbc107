"""The first words of a session that goes on from earlier ones: what the person wished for, in their own words.

It claims to remember only what is in the record, and quotes nothing alarming.
A user whose newest session ended in danger is asked about that alone.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shared.content.schemas.messages import Messages
from shared.domain.counseling.carried import Carried
from shared.safety.text_rules import TextRules

IN_DANGER = "in_danger"
QUOTE_LENGTH = 80
"""Characters that are quoted. A greeting stays a greeting."""
_SENTENCE_END = re.compile(r"(?<=.)[.!?…。]+(?=\s|$)")


class Recollection(NamedTuple):
    """What the greeting takes up, and the key of the sentence that says it."""

    key: str
    words: str = ""


def greeting_again(messages: Messages, carried: Carried | None, name: str | None, last: str, rules: TextRules) -> str:
    """Return the greeting: hello, what CBot is and is not, what is taken up, and what comes last.

    Args:
        messages: The sentences.
        carried: What is known; where it ended in danger, that is asked about.
        name: What they are called.
        last: The template's first question, or the help lines.
        rules: What alarms is not quoted.
    """
    called = name if name and not rules.alarming(name) else None
    hello = messages.recall("hello_named", name=called) if called else messages.recall("hello")
    taken_up = recollection(carried, rules)
    sentences = (
        hello,
        messages.recall("who_again" if carried else "who_without_record"),
        messages.recall("limits"),
        messages.recall(taken_up.key, words=taken_up.words) if taken_up else "",
    )
    apart = "\n\n" if taken_up and taken_up.key == IN_DANGER else " "
    return f"{' '.join(sentence for sentence in sentences if sentence)}{apart}{last}"


def recollection(carried: Carried | None, rules: TextRules) -> Recollection | None:
    """Return what is taken up: the newest goal, else the counsellor's own note, else that there is a record.

    The user has not seen the note. None where there is no record.
    """
    if carried is None:
        return None
    if carried.in_danger:
        return Recollection(IN_DANGER)
    for key, words in _kept(carried):
        quoted = clipped(words)
        if quoted and not rules.alarming(words, quoted):
            return Recollection(key, quoted)
    return Recollection("talked") if carried.summary else None


def unrecalled(messages: Messages, text: str, before: Carried, after: Carried | None, rules: TextRules) -> str:
    """Return a greeting without what it took up of a record that is erased now; other words stay as they are."""
    taken_up = recollection(before, rules)
    if taken_up is None or taken_up == recollection(after, rules):
        return text
    sentence = messages.recall(taken_up.key, words=taken_up.words)
    if sentence in text:
        return " ".join(piece for piece in (part.strip() for part in text.split(sentence)) if piece)
    return text.replace(taken_up.words, "…") if taken_up.words else text


def clipped(words: str) -> str:
    """Return the first sentence of a text as it is quoted: without its full stop, cut between words when it is long."""
    text = " ".join(words.split()).replace("“", "").replace("”", "")
    if end := _SENTENCE_END.search(text):
        text = text[: end.end()].rstrip(".…。")
    if len(text) <= QUOTE_LENGTH:
        return text
    whole_words, _, _ = text[:QUOTE_LENGTH].rpartition(" ")
    return (whole_words or text[: QUOTE_LENGTH - 1]) + "…"


def _kept(carried: Carried) -> Iterator[Recollection]:
    for goal in carried.goals:
        yield Recollection("goal", goal)
    yield Recollection("next_plan", carried.next_plan)
