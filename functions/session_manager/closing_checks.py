"""Keeps of a model's closing what the user told, with the turns that show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.session_manager.bearing import Bearing
from functions.session_manager.closing_words import GOAL_SLOT, ClosingWords, VoicedGoal
from functions.session_manager.facts import sentences
from functions.session_manager.fidelity import Fidelity
from functions.session_manager.goal_sources import goal_sources
from functions.session_manager.grounding import Grounds
from functions.session_manager.provenance import Proposed, SpokenTurns, sourced
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.services.counseling.evidence import is_verbatim_quote
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

    A sentence whose quote the user said is kept, in whatever words, unless it has another figure or they corrected it
    later. The user's words must bear the outlook: they share a content word or a feeling.
    """
    words, fidelity = ClosingWords(content), Fidelity(spoken.said, content)

    def stays(each: SourcedText) -> bool:
        # What is said to words of danger, and with a help line, is neither counted nor taken back.
        free = content.text_rules.alarming(each.quote) or any(line in each.text for line in grounds.help_lines)
        return free or not fidelity.is_wrong(each.seq, each.quote, each.text)

    told = (each for each in sourced(proposed.sentences, spoken) if grounds.hold(each.text) and stays(each))
    own, stated = words.own_goal(session), session.info_sources.get(GOAL_SLOT)
    grounded = [
        goal
        for goal in proposed.goals
        if grounds.hold(goal.goal)
        if not (own and stated and is_verbatim_quote(goal.quote, stated.quote))
    ]
    goals = instruction_filter.items(words.kept_goals(grounded, grounds.words, own))
    quotes = [(goal.goal, goal.quote) for goal in grounded]
    ahead = sentences(Bearing(content).borne(grounds.told, instruction_filter.text(proposed.next_session)))
    return KeptClosing(
        sentences=tuple(each for each in told if instruction_filter.items([each.text])),
        goals=goals,
        goal_sources=goal_sources(goals, session, own, spoken, quotes),
        next_session=" ".join(sentence for sentence in ahead if grounds.hold(sentence)),
    )
