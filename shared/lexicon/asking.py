"""Counts what a reply asks of the user: the one definition for the stream, the supervisor and the figures.

A sentence asks with a question mark, with an ending that only a question has, or as an invitation to tell. Several
questions in one sentence count each; a quoted question does not count.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from shared.lexicon.invitations import invites
from shared.lexicon.joined_questions import split_questions
from shared.lexicon.sentences import sentences_of, without_sentences
from shared.lexicon.unmarked_questions import asks_unmarked

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")


def asks_of(reply: str) -> tuple[str, ...]:
    """Return the questions and invitations of a reply, each question of a sentence by itself."""
    asking = filter(_asks, sentences_of(_ADDRESS.sub(" ", reply)))
    return tuple(part for sentence in asking for part in split_questions(sentence))


@lru_cache(2048)
def asks_of_wording(wording: str) -> tuple[str, ...]:
    """Return what a written wording asks, which each turn compares; what somebody said is not kept."""
    return asks_of(wording)


def asks_in_own_words(reply: str) -> bool:
    """Return whether a reply asks with a question mark outside quotations."""
    return any("?" in sentence for sentence in sentences_of(reply))


def without_asks(reply: str) -> str:
    """Return a reply without its questions and invitations.

    For a model's words: of a fixed safety reply only the questions may be left out, since "말해 주세요" may say what to
    tell 119.
    """
    return without_sentences(reply, _asks)


def asks_without_mark(sentence: str) -> bool:
    """Return whether a sentence without a question mark asks the user for something."""
    return asks_unmarked(sentence) or invites(sentence)


def repeated_asks(replies: Sequence[str], within: int | None = None) -> tuple[tuple[int, str], ...]:
    """Return what was asked before in the same words, with the place of its reply.

    Args:
        replies: All replies of a session, in order.
        within: How many replies before it are looked at; all, if None.
    """
    asked = [asks_of(reply) for reply in replies]
    again = []
    for place, asks in enumerate(asked):
        since = 0 if within is None else max(0, place - within)
        heard = {words for earlier in asked[since:place] for words in earlier}
        again += [(place, words) for words in asks if words in heard]
    return tuple(again)


def _asks(sentence: str) -> bool:
    return "?" in sentence or asks_without_mark(sentence)
