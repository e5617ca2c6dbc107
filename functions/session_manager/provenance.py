"""Sources of sentences: the turn in which the user said what a sentence rests on, and their words."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import Field

from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import Source, SourcedText, bounded_quote
from shared.engine.agent import AnswerSchema
from shared.services.counseling.evidence import is_verbatim_quote, plain

MOST_OF_A_QUOTE = 2
"""Maximum sentences that one quote bears."""
SHORTEST_QUOTE = 2
"""Minimum characters of a quote, without spaces and punctuation: a bare "네" says nothing by itself."""
SHORTEST_ELSEWHERE = 4
"""Minimum characters of a quote that is looked for in other turns than the one named."""

LONGEST_SHOWN = 60
"""Maximum characters of an earlier quote in a prompt."""


AnySource = TypeVar("AnySource", bound=Source)

_SENTENCE = re.compile(
    r".+?(?:[.!?…。~]++[\"'”’)\]]*+(?<!\b[DM]r\.)(?<!\bM[rs]\.)(?<!\bMrs\.)(?=\s|$)|\n|$)", re.DOTALL
)


def sentences(text: str) -> tuple[str, ...]:
    """Split a text into sentences with their punctuation."""
    return tuple(" ".join(found.split()) for found in _SENTENCE.findall(text) if found.strip())


class SourcedSentence(AnswerSchema):
    """A sentence of a model, after what it rests on."""

    seq: int = Field(description="Number of the client's message that the sentence rests on")
    quote: str = Field(description="The client's own words in that message that show it, verbatim")
    text: str = Field(description="The sentence")


@dataclass(frozen=True)
class SpokenTurns:
    """The user's words, in which quotes are looked up.

    Attributes:
        said: The user's messages by turn.
        checked: Quotes that were checked before, of turns that are not at hand.
    """

    said: Mapping[int, str] = field(default_factory=dict)
    checked: Sequence[Source] = ()

    @classmethod
    def of(cls, messages: Iterable[Message], session: Session) -> "SpokenTurns":
        """Collect the words of messages, and the quotes that the session keeps."""
        said = {each.seq: each.text for each in messages if each.role is Role.USER}
        checked = (*session.summary_sources, *session.info_sources.values())
        return cls(said, tuple(each for each in checked if each.conversation_id is None))

    def source(self, seq: int, quote: str) -> Source | None:
        """Return the source of a quote: the turn named, else the newest other one that has it; None if none has."""
        if len(plain(quote)) < SHORTEST_QUOTE:
            return None
        if self._holds(seq, quote):
            return Source(seq=seq, quote=bounded_quote(quote))
        return self.anywhere(quote) if len(plain(quote)) >= SHORTEST_ELSEWHERE else None

    def anywhere(self, quote: str) -> Source | None:
        """Return the newest turn that has a quote."""
        turns = sorted({*self.said, *(each.seq for each in self.checked)}, reverse=True)
        found = next((seq for seq in turns if self._holds(seq, quote)), None)
        return None if found is None else Source(seq=found, quote=bounded_quote(quote))

    def _holds(self, seq: int, quote: str) -> bool:
        words = (self.said.get(seq, ""), *(each.quote for each in self.checked if each.seq == seq))
        return any(is_verbatim_quote(quote, text) for text in words)


def sourced(proposed: Iterable[SourcedSentence], spoken: SpokenTurns) -> tuple[SourcedText, ...]:
    """Return the sentences whose quote the user said, each with its source."""
    found: list[SourcedText] = []
    for each in proposed:
        if source := spoken.source(each.seq, each.quote):
            found += [with_source(line, source) for line in sentences(each.text)[:MOST_OF_A_QUOTE]]
    return tuple(found)


def unsourced(proposed: Iterable[SourcedSentence], spoken: SpokenTurns) -> str:
    """Return what to ask a model for again where the user did not say a quote, or one bears too much; may be empty."""
    wrong = [
        str(number)
        for number, each in enumerate(proposed, start=1)
        if spoken.source(each.seq, each.quote) is None or len(sentences(each.text)) > MOST_OF_A_QUOTE
    ]
    needed = "each sentence needs a quote of the client's, verbatim, from the message whose number it names"
    return f"{needed}; number {', '.join(wrong)} has none of its own" if wrong else ""


def with_source(text: str, source: Source) -> SourcedText:
    return SourcedText(text=text, seq=source.seq, quote=source.quote, conversation_id=source.conversation_id)


def without_words(sources: Iterable[AnySource], turns: Collection[int]) -> tuple[AnySource, ...]:
    """Return the sources with the turn alone where the user said them in one of `turns` of this session."""
    return tuple(
        each.model_copy(update={"quote": ""}) if each.conversation_id is None and each.seq in turns else each
        for each in sources
    )


def still_in(text: str, candidates: Iterable[SourcedText]) -> tuple[SourcedText, ...]:
    """Return the sourced sentences that a text still has."""
    return tuple(each for each in candidates if each.text and each.text in text)


def shortened_sources(session: Session) -> tuple[SourcedText, ...]:
    """Return the sentences of the session's summary with their quotes, bounded, for a prompt."""
    return tuple(each.model_copy(update={"quote": each.quote[:LONGEST_SHOWN]}) for each in session.summary_sources)
