"""Rules of the output guard.

As in matcher.py, a rule is tried where one of its triggers occurs. A hit contains the trigger and ends at most `reach`
letters after it, so a sentence is held back only from a trigger on.

A model may put its whole answer in quotation marks, also because an attack asks for it; that is no report.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from shared.safety.matcher import Rule
from shared.safety.output_guard.categories import OWN_CLAIMS, Category
from shared.safety.output_guard.sentence import Sentence, host_of, squashed
from shared.safety.output_guard.situation import Situation, When
from shared.safety.output_guard.triggers import Trigger, Triggers
from shared.safety.reading import Reading, Span

_TOLD = re.compile(
    r"말|글|문장|문자|메시지|카톡|편지|일기|적[어으힌은혀]|[쓴쓰]신|들[으었]|듣|라[고는며]|"
    r"\b(?:sa(?:id|ys?|ying)|words?|wrote|writes?|written|told|texts?|texted|messages?|notes?|letter|label|hear(?:d|ing)?|"
    r"read|asked)\b",
    re.IGNORECASE,
)
"""Words that report a quotation at the start of a sentence or after a colon."""
_SAID_WHOLE = re.compile(r".*[.!?…~]\W{0,3}", re.DOTALL)
"""A quotation that is a whole sentence; the text after it is another."""
_OWN_TELLING = re.compile(
    r"말씀 ?드리|드리는|드릴|제 (?:말|글)|내 말|말해 ?줄게|\b(?:i|me|let me) (?:say|tell|mean)\b", re.IGNORECASE
)
_BEFORE = 64
"""Letters before a trigger in which a hit may begin, and before a hit in which its predicates look."""


class Excuse(StrEnum):
    """What makes a hit harmless."""

    QUOTED = "quoted"
    """It is within quotation marks: reported, not asserted."""
    SAID = "said"
    """The user said it before."""
    LISTED = "listed"
    """It is one of the numbers or addresses of hotlines.json."""


class Told(Reading):
    """A sentence of a reply for predicates; it counts as one clause, since a report or denial may stand anywhere."""

    def clause(self, span: Span) -> Span:
        """Return the whole sentence within `_BEFORE` letters before the span."""
        return max(0, span[0] - _BEFORE), len(self.text)


@dataclass(frozen=True, eq=False)
class GuardRule:
    """One compiled rule.

    Attributes:
        looks_for: Its triggers, patterns and predicates; without patterns each trigger is a hit.
        reach: Letters after a trigger within which a hit ends.
        inside: A trigger may begin inside a word.
        unless: Where it does not apply, although `when` holds.
        listed: Allowed numbers (digits only) or addresses.
    """

    category: Category
    looks_for: Rule
    reach: int
    inside: bool = False
    when: When = When.ALWAYS
    unless: When | None = None
    excuses: frozenset[Excuse] = frozenset({Excuse.QUOTED})
    listed: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """Id in the turn's record."""
        return self.looks_for.id

    def found_at(self, folded: str, place: int, until: int) -> Iterator[Span]:
        """Yield the hits in the text so far that contain the trigger at `place` and end before `until`."""
        if not self.looks_for.sources:
            yield place, until
            return
        begin = max(0, place - _BEFORE)
        while (found := self.looks_for.pattern.search(folded, begin, until)) and found.start() <= place:
            if found.end() > place:
                yield found.span()
            begin = found.start() + 1

    def may_count(self, folded: str, within: Span) -> bool:
        """Return whether an unfinished sentence has a hit that is not excused yet."""
        reading = Told(folded)
        return any(not self._is_settled(reading, span) for span in self.found_at(folded, *within))

    def counts(self, sentence: Sentence, within: Span, situation: Situation) -> bool:
        """Return whether a whole sentence has a hit within a trigger's reach that nothing excuses."""
        return any(not self._is_harmless(sentence, span, situation) for span in self.found_at(sentence.folded, *within))

    def _is_settled(self, reading: Reading, span: Span) -> bool:
        ways = (way for predicate in self.looks_for.not_if for way in predicate.any_of if not way.behind)
        return self._is_listed(reading.text, span) or any(way.hold(reading, span) for way in ways)

    def _is_harmless(self, sentence: Sentence, span: Span, situation: Situation) -> bool:
        reading = Told(sentence.folded)
        if any(predicate.holds(reading, span) for predicate in self.looks_for.not_if):
            return True
        if Excuse.SAID in self.excuses and self._was_said(reading, span, situation):
            return True
        if self._is_listed(reading.text, span):
            return True
        if Excuse.QUOTED not in self.excuses:
            return False
        excused = is_told if self.category in OWN_CLAIMS else is_quoted
        start, end = span
        return excused(sentence, sentence.places[start], sentence.places[min(end, len(sentence.places)) - 1])

    def _was_said(self, reading: Reading, span: Span, situation: Situation) -> bool:
        words = squashed(reading.text[slice(*span)])
        return bool(words) and words in situation.words

    def _is_listed(self, folded: str, span: Span) -> bool:
        if Excuse.LISTED not in self.excuses:
            return False
        start, end = span
        if self.category is Category.NUMBER:
            return re.sub(r"\D", "", folded[start:end]) in self.listed
        begin = folded.rfind(" ", 0, start) + 1
        return host_of(folded[begin:].split(" ", 1)[0]) in self.listed


@dataclass(frozen=True)
class GuardRules:
    """A set of rules.

    Attributes:
        shared: Rules common to several sets, whose triggers are sorted once.
        own_words: English words, by which an English sentence is known, and Korean titles, which are no names.
        medicines: Finds what a message says of a medicine.
        means: Finds what one says of a means of suicide.
    """

    rules: tuple[GuardRule, ...]
    shared: "GuardRules | None" = None
    own_words: frozenset[str] = frozenset()
    medicines: re.Pattern[str] | None = None
    means: re.Pattern[str] | None = None

    def triggers(self, situation: Situation) -> tuple[Triggers[GuardRule], ...]:
        """Return the triggers of the rules that apply in a situation."""
        before = self.shared.triggers(situation) if self.shared else ()
        holding = tuple(when for when in When if situation.meets(when))
        if holding not in self._triggers:
            self._triggers[holding] = Triggers(
                Trigger(letters, rule, rule.inside)
                for rule in self.rules
                if rule.when in holding and rule.unless not in holding
                for letters in rule.looks_for.triggers
            )
        return (*before, self._triggers[holding])

    def tells_of_medicine(self, said: str) -> bool:
        """Return whether a message speaks of a medicine."""
        if self.medicines is not None and self.medicines.search(said.casefold()):
            return True
        return self.shared is not None and self.shared.tells_of_medicine(said)

    def tells_of_means(self, said: str) -> bool:
        """Return whether a message speaks of a means of suicide."""
        if self.means is not None and self.means.search(said.casefold()):
            return True
        return self.shared is not None and self.shared.tells_of_means(said)

    @cached_property
    def known_words(self) -> frozenset[str]:
        return self.own_words | (self.shared.known_words if self.shared else frozenset())

    @cached_property
    def assents(self) -> tuple[GuardRule, ...]:
        """The rules that know a bare yes."""
        own = tuple(rule for rule in self.rules if rule.category is Category.ASSENT)
        return own if self.shared is None else (*self.shared.assents, *own)

    @cached_property
    def _triggers(self) -> dict[tuple[When, ...], Triggers[GuardRule]]:
        return {}


def is_quoted(sentence: Sentence, first: int, last: int) -> bool:
    """Return whether the letters from `first` to `last` of the raw text are within quotation marks."""
    return _quotation(sentence, first, last) is not None


def is_told(sentence: Sentence, first: int, last: int) -> bool:
    """Return whether those letters are a quotation that the rest of the sentence reports."""
    stretch = _quotation(sentence, first, last)
    if stretch is None:
        return False
    begin, close = stretch
    before, behind = sentence.raw[:begin].strip(), sentence.raw[close:].strip()
    whole = not before and _SAID_WHOLE.fullmatch(sentence.raw[begin:close]) and not sentence.raw[close:][:1].strip()
    if whole or before.endswith((":", "：")):
        around_it = f"{before} {behind}"
        return bool(_TOLD.search(around_it)) and not _OWN_TELLING.search(around_it)
    return any(letter.isalnum() for letter in before + behind)


def _quotation(sentence: Sentence, first: int, last: int) -> tuple[int, int] | None:
    """Return start and end of the quotation around those letters, marks included, or None."""
    return next((stretch for stretch in sentence.quoted() if stretch[0] <= first and last < stretch[1]), None)
