"""What a start without a key offers: the stories that can be played, and what the client of one says next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cases.story import Story, load_stories, same_words
from shared.domain.counseling.session import SessionType
from shared.locale import Locale

_SENTENCE = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True)
class Offer:
    """A story that plays to its end.

    Attributes:
        sentence: Who comes, in one sentence.
    """

    id: str
    locale: Locale
    title: str
    sentence: str
    session_type: SessionType


def offers(stories: Sequence[Story] | None = None) -> tuple[Offer, ...]:
    """Return the stories that play to their end, by name; the product's by default."""
    return tuple(_offer(story) for story in playable(stories) if story.trial)


def playable(stories: Sequence[Story] | None = None) -> tuple[Story, ...]:
    """Return the stories without those that go on from the record of an earlier session."""
    given = load_stories() if stories is None else stories
    return tuple(story for story in given if story.opens.carried is None)


def client_lines(story_id: str, stories: Sequence[Story] | None = None) -> tuple[str, ...]:
    """Return what the client of a story says, in order (`KeyError`: no such story is offered)."""
    offered = {story.id: story for story in playable(stories) if story.trial}
    return tuple(line.client for line in offered[story_id].lines)


def next_line(lines: Sequence[str], said: Sequence[str]) -> str | None:
    """Return the first of a client's lines that was not yet said, or None at the end.

    Args:
        lines: The client's, in order.
        said: All that was typed, in order; other text between the lines is passed over, and so are spaces and
            punctuation.
    """
    reached = 0
    for text in said:
        if reached < len(lines) and same_words(text, lines[reached]):
            reached += 1
    return lines[reached] if reached < len(lines) else None


def _offer(story: Story) -> Offer:
    about = " ".join(story.about.split())
    first = _SENTENCE.match(about)
    return Offer(story.id, story.locale, story.title, first[0] if first else about, story.opens.session_type)
