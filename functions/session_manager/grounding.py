"""Checks that a text for the user names no number, name or person that they did not name."""

from collections.abc import Sequence
from dataclasses import dataclass

from functions.session_manager.closing_words import GOAL_LENGTH, GOAL_SLOT
from functions.session_manager.figures import unfounded, values
from functions.session_manager.provenance import SpokenTurns, with_source
from functions.session_manager.summary_validation import has_unknown_name
from shared.content.catalogue import Content
from shared.content.schemas.people_words import PeopleWords
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.services.counseling.evidence import plain


@dataclass(frozen=True)
class Grounds:
    """What the user told.

    Attributes:
        words: All their words of this session at hand.
        carried: What is known of earlier sessions.
        numbers: Numbers that may be named though the user did not: those of the help lines.
        people: Words for people.
    """

    words: str
    carried: str
    numbers: str
    people: PeopleWords

    @property
    def help_lines(self) -> tuple[str, ...]:
        return tuple(self.numbers.split())

    @property
    def told(self) -> str:
        """All words of this session and what is known of earlier ones."""
        return f"{self.words}\n{self.carried}"

    def hold(self, text: str) -> bool:
        """Return whether everything that the text names was told."""
        told = self.told
        if unfounded(text, values(f"{told}\n{self.numbers}")):
            return False
        return not has_unknown_name(text, plain(told)) and not self.people.unknown(text, told)


def grounds_of(content: Content, session: Session, words: str) -> Grounds:
    """Return what the user told in this session and what was carried over from earlier ones."""
    carried = (*session.carried.goals, session.carried.name or "") if session.carried else ()
    numbers = "\n".join(line.number for line in content.hotlines)
    return Grounds(words, "\n".join(carried), numbers, content.people_words)


def goal_sources(
    goals: Sequence[str],
    session: Session,
    own: str,
    spoken: SpokenTurns | None = None,
    quotes: Sequence[tuple[str, str]] = (),
) -> tuple[SourcedText, ...]:
    """Return the goals with their sources; one whose turn is not known is left out.

    Args:
        goals: The goals of the closing.
        session: The session.
        own: The goal that the user stated when asked.
        spoken: The user's words at hand.
        quotes: Goals that a model proposed, with the user's words for each.
    """
    found: list[SourcedText] = []
    for goal in goals:
        stated = session.info_sources.get(GOAL_SLOT) if _same(goal, own) else None
        said = (spoken.anywhere(quote) for proposed, quote in quotes if spoken and _same(goal, proposed))
        if source := stated or next(filter(None, said), None):
            found.append(with_source(goal[:GOAL_LENGTH], source))
    return tuple(found)


def _same(goal: str, other: str) -> bool:
    return goal[:GOAL_LENGTH] == " ".join(other.split())[:GOAL_LENGTH]
