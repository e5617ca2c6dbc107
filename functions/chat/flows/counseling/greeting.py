"""The greeting of a follow-up session: recalls the user's wish in their own words.

It recalls only what is recorded and quotes nothing alarming.
If the newest session ended in danger, it asks only about that.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shared.content.schemas.messages import Messages
from shared.domain.counseling.carried import Carried
from shared.safety.text_rules import TextRules

IN_DANGER = "in_danger"
QUOTE_LENGTH = 80
"""Maximum characters of a quote."""
_SENTENCE_END = re.compile(r"(?<=.)[.!?…。]+(?=\s|$)")


class Recollection(NamedTuple):
    """What the greeting recalls: the key of the sentence and the quoted words."""

    key: str
    words: str = ""


def greeting_again(messages: Messages, carried: Carried | None, name: str | None, last: str, rules: TextRules) -> str:
    """Return the greeting: hello, what CBot is and is not, the recollection, and `last`.

    Args:
        messages: The sentences.
        carried: The record of earlier sessions.
        name: The user's name.
        last: The template's first question, or the help lines.
        rules: Decide what is too alarming to quote.
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
    """Return what to recall: the newest goal, else the counsellor's plan, else that there was a session, else None."""
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
    """Return the greeting without a recollection that an erasure removed from the record."""
    taken_up = recollection(before, rules)
    if taken_up is None or taken_up == recollection(after, rules):
        return text
    sentence = messages.recall(taken_up.key, words=taken_up.words)
    if sentence in text:
        return " ".join(piece for piece in (part.strip() for part in text.split(sentence)) if piece)
    return text.replace(taken_up.words, "…") if taken_up.words else text


def clipped(words: str) -> str:
    """Return the first sentence without its full stop, cut between words if it is too long."""
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
