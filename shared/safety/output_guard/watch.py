"""Checks a reply while it streams and releases only text that will not have to be taken back.

It works letter by letter, so the result does not depend on the chunks of the stream.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from shared.safety.output_guard.categories import DROPPED, FAULTS, GRAVEST, Category
from shared.safety.output_guard.form import (
    LABEL,
    LOOP,
    LOOP_WITHIN,
    Extent,
    comes_again,
    fault_of,
    is_labelled,
    loops,
    may_be_called,
)
from shared.safety.output_guard.rules import GuardRule, GuardRules
from shared.safety.output_guard.sentence import END, Sentence, squashed
from shared.safety.output_guard.situation import Situation, When
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


_CONTRAST = re.compile(r"(?:다만|하지만|그렇지만|그런데|but|however),?\s+", re.IGNORECASE)
"""Joins a sentence to one before it that is left out."""
LONGEST_WHOLE = 64
"""Letters up to which a sentence after the first is shown only as a whole, so that a cut falls between two sentences.
Longer ones are shown word by word, like the first, so that the user does not wait."""
CHECKED_EACH_WORD, GROWTH = 80, 1.25
"""Letters up to which the form of an unfinished sentence is checked at each word, and by what its length must grow from
then on for another check: else a long sentence without a full stop would take quadratic time."""
LONGEST_YES = 24
"""Letters up to which the first words are held while they are no more than a yes: it goes with what it says yes to."""


class Watch:
    """Checks one reply.

    Attributes:
        rule: The rule that cut it, or None.
        kept: Text that was or may be released.
        left_out: Categories of the sentences that were left out.
    """

    def __init__(self, rules: GuardRules, situation: Situation) -> None:
        self.rule: GuardRule | None = None
        self.kept = ""
        self.left_out: tuple[Category, ...] = ()
        self._situation = situation
        self._rules = rules
        self._yes = ""
        self._said: list[str] = []
        self._in_label = False
        self._triggers = rules.triggers(situation)
        self._held = Held(self._triggers)
        self._eager = not (situation.noticed or situation.demanded)  # what is dropped must not be shown before

    @property
    def caught(self) -> bool:
        """Whether a rule cut the reply."""
        return self.rule is not None

    @property
    def trails_off(self) -> bool:
        """Whether the cut is inside a sentence that was partly shown."""
        return self.caught and self._held.let_out > 0

    def take(self, text: str) -> str:
        """Add the next piece; return the text that may be shown now."""
        before = len(self.kept)
        for char in text:
            if self.caught:
                break
            if self._held.sentence.ends_before(char):
                self._judge()
            elif char == "\n" and self._held.sentence.may_end_here():
                self._judge_line()
            if not self.caught:
                self._add(char)
        return self.kept[before:]

    def end(self) -> str:
        """Check the rest; return its text that may be shown."""
        before = len(self.kept)
        if not self.caught and self._held.sentence.raw.strip():
            self._judge(Extent.SENTENCE if self.kept else Extent.REPLY)
        if not self.caught and self._yes:
            self._show("")
        return self.kept[before:]

    def _add(self, char: str) -> None:
        held = self._held
        letter = held.sentence.add(char)
        if not letter:
            return
        held.follow(letter)
        if letter == " " and loops(held.sentence.raw[-LOOP_WITHIN:]):
            self.rule = LOOP
        elif self._eager or len(held.sentence.folded) > LONGEST_WHOLE:
            until = held.sentence.fit_to_show(held.held_from())
            if until > max(held.let_out, held.refused):
                if self._may_begin_with(until):
                    self._let_out(until)
                else:
                    held.refused = until

    def _may_begin_with(self, until: int) -> bool:
        held, raw = self._held, self._held.sentence.raw
        if CHECKED_EACH_WORD < until < held.checked * GROWTH:
            return False
        held.checked = until
        # The sentence so far and what is to be shown of it: either may be the one that tells.
        if self._in_label or self._fault(raw[:until], Extent.BEGINNING) or self._fault(raw):
            return False
        if self._situation.name is not None and may_be_called(raw[:until]):
            return False
        return until > LONGEST_YES or not held.is_a_yes(self._rules.assents, until, self._situation)

    def _judge(self, extent: Extent = Extent.SENTENCE) -> None:
        held = self._held
        rule = self._verdict(extent)
        if rule is not None and not self._leaves_out(rule):
            self.rule = rule
            return
        if rule is not None and not held.let_out:
            self.left_out += (rule.category,)
        elif not held.let_out and held.is_a_yes(self._rules.assents, len(held.sentence.raw), self._situation):
            self._yes += held.sentence.raw
        else:
            self._let_out(len(held.sentence.raw))
        self._eager = False
        self._held = Held(self._triggers)

    def _leaves_out(self, rule: GuardRule) -> bool:
        """Return whether only the sentence is left out, and the reply goes on."""
        if rule.category in DROPPED:
            return True
        answered = rule.when is When.MEDICINE and rule.category in self._situation.explained
        # In a danger the steps around a claim to have sent help are what the user needs.
        goes_on = rule.category in FAULTS or (rule.category is Category.ACTED and self._situation.in_danger)
        return not self._held.let_out and rule is not LOOP and (goes_on or answered)

    def _verdict(self, extent: Extent) -> GuardRule | None:
        """Return the rule that decides on the finished sentence, or None."""
        held, raw = self._held, self._held.sentence.raw
        self._in_label = is_labelled(held.sentence) or (self._in_label and not raw.startswith("\n"))
        if self._in_label and not held.let_out:
            return LABEL
        self._said.append(squashed(raw))
        again = comes_again(raw, self._said) or loops(raw[-LOOP_WITHIN:])
        return held.first_hit(self._situation) or (LOOP if again else self._fault(raw, extent))

    def _fault(self, raw: str, extent: Extent = Extent.SENTENCE) -> GuardRule | None:
        return fault_of(raw, self._situation, self._rules.known_words, extent)

    def _judge_line(self) -> None:
        if is_labelled(self._held.sentence):
            self._judge()
            return
        rule = self._held.first_hit(self._situation)
        if rule is not None and rule.category not in DROPPED:
            self.rule = rule

    def _let_out(self, until: int) -> None:
        held = self._held
        if until > held.let_out:
            self._show(held.sentence.raw[held.let_out : until])
            held.let_out = until

    def _show(self, fresh: str) -> None:
        fresh, self._yes = self._yes + fresh, ""
        self.kept += fresh if self.kept else self._opening(fresh)

    def _opening(self, fresh: str) -> str:
        fresh = fresh.lstrip()
        joined = _CONTRAST.match(fresh) if self.left_out else None
        return fresh if joined is None else fresh[joined.end() :][:1].upper() + fresh[joined.end() + 1 :]
