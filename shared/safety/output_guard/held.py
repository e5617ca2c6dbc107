"""Determines the part of the current sentence that is held back."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from shared.safety.output_guard.categories import DROPPED, GRAVEST
from shared.safety.output_guard.rules import GuardRule
from shared.safety.output_guard.sentence import END, Sentence
from shared.safety.output_guard.situation import Situation
from shared.safety.output_guard.triggers import Triggers, Walk


class Suspicion(NamedTuple):
    """A rule whose trigger occurs in the sentence.

    Attributes:
        place: Start of the trigger in the folded sentence.
        until: Last possible end of a hit.
    """

    rule: GuardRule
    place: int
    until: int

    @property
    def order(self) -> tuple[bool, bool, int]:
        """Sort key among several hits of a sentence: gravest first, then by position."""
        return self.rule.category in DROPPED, self.rule.category not in GRAVEST, self.place


class Held:
    """A sentence and the position from which it is held back.

    Attributes:
        let_out: Number of released letters of the raw sentence.
        refused: Number of letters that were found unfit to be released before the sentence is over.
        checked: Number of letters whose form was checked.
    """

    def __init__(self, triggers: Sequence[Triggers[GuardRule]]) -> None:
        self.sentence = Sentence()
        self.let_out = 0
        self.refused = 0
        self.checked = 0
        self._walks = [Walk(each) for each in triggers]
        self._at_end = [one.owner for each in triggers for one in each.owners.get(END, ())]
        self._open: list[Suspicion] = []
        self._found: list[Suspicion] = []

    def follow(self, letter: str) -> None:
        """Process a folded letter that was added to the sentence."""
        at = len(self.sentence.folded) - 1
        for walk in self._walks:
            self._open += (Suspicion(rule, place, at + 1 + rule.reach) for rule, place in walk.take(letter, at))
        over = [one for one in self._open if at + 1 >= one.until]
        if over:
            self._open = [one for one in self._open if at + 1 < one.until]
            self._found += (one for one in over if one.rule.may_count(self.sentence.folded, (one.place, one.until)))

    def held_from(self) -> int:
        """Return the position in the raw sentence from which text may be part of a hit."""
        begun = (walk.held_from() for walk in self._walks)
        places = [place for place in begun if place is not None]
        places += [one.place for one in (*self._open, *self._found)]
        return self.sentence.places[min(places)] if places else len(self.sentence.raw)

    def is_a_yes(self, rules: Sequence[GuardRule], until: int, situation: Situation) -> bool:
        """Return whether the raw sentence up to a position is no more than a yes."""
        sentence = self.sentence
        begun = Sentence()
        begun.folded = sentence.folded[: bisect_left(sentence.places, until)].strip() + END
        begun.places, begun.raw = sentence.places, sentence.raw
        return any(rule.counts(begun, (0, len(begun.folded)), situation) for rule in rules)

    def first_hit(self, situation: Situation) -> GuardRule | None:
        """Return the rule that decides on the sentence if it ends here, or None."""
        sentence = self.sentence
        sentence.folded += END
        end = len(sentence.folded)
        at_end = (Suspicion(rule, end - 1, end) for rule in self._at_end)
        suspicions = sorted((*self._found, *self._open, *at_end), key=lambda one: one.order)
        hits = (one.rule for one in suspicions if one.rule.counts(sentence, (one.place, one.until), situation))
        rule = next(hits, None)
        sentence.folded = sentence.folded.removesuffix(END)
        return rule
