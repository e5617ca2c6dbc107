"""Keeps of a model's closing what the user told, with the turns that show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.session_manager.bearing import Bearing
from functions.session_manager.closing_words import ClosingWords, VoicedGoal
from functions.session_manager.facts import sentences
from functions.session_manager.fidelity import Fidelity
from functions.session_manager.goal_sources import goal_sources
from functions.session_manager.grounding import Grounds
from functions.session_manager.provenance import Proposed, SpokenTurns, sourced
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.services.counseling.instruction_filter import InstructionFilter


class ProposedClosing(Protocol):
    """The texts of a model's closing."""

    @property
    def sentences(self) -> Sequence[Proposed]:
        """The summary, sentence by sentence."""

    @property
    def goals(self) -> Sequence[VoicedGoal]:
        """Goals with the user's words for each."""

    @property
    def next_session(self) -> str:
        """The outlook."""


@dataclass(frozen=True)
class KeptClosing:
    """The texts of a closing, each sentence and goal with its source."""

    sentences: tuple[SourcedText, ...]
    goals: tuple[str, ...]
    goal_sources: tuple[SourcedText, ...]
    next_session: str


def keep_what_was_told(
    proposed: ProposedClosing,
    session: Session,
    spoken: SpokenTurns,
    grounds: Grounds,
    content: Content,
    instruction_filter: InstructionFilter,
) -> KeptClosing:
    """Return a proposal without what has no source, what the user did not name, and what instructs a model.

    A quote must bear its sentence, and the user's words the outlook: they share a content word or a feeling. A
    sentence that turns its words round is left out, as is a goal that is a doubt or another person's wish.
    """
    words, bearing, fidelity = ClosingWords(content), Bearing(content), Fidelity(spoken.said, content)

    def borne(each: SourcedText) -> bool:
        # Words of danger are read by nobody: a calm sentence about them shares none, nor does one with a help line.
        free = content.text_rules.alarming(each.quote) or any(line in each.text for line in grounds.help_lines)
        if free:
            return True
        told = bearing.bears(f"{each.quote}\n{spoken.said.get(each.seq, '')}", each.text)
        return told and not fidelity.turns_round(each.seq, each.quote, each.text)

    told = (each for each in sourced(proposed.sentences, spoken) if grounds.hold(each.text) and borne(each))
    own, grounded = (
        words.own_goal(session),
        [goal for goal in proposed.goals if grounds.hold(goal.goal) and fidelity.is_own_wish(goal.quote)],
    )
    goals = instruction_filter.items(words.kept_goals(grounded, grounds.words, own))
    quotes = [(goal.goal, goal.quote) for goal in grounded]
    ahead = sentences(bearing.borne(grounds.told, instruction_filter.text(proposed.next_session)))
    return KeptClosing(
        sentences=tuple(each for each in told if instruction_filter.items([each.text])),
        goals=goals,
        goal_sources=goal_sources(goals, session, own, spoken, quotes),
        next_session=" ".join(sentence for sentence in ahead if grounds.hold(sentence)),
    )
