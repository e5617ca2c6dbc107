"""The rules of the output guard: what a reply must not say, and how a hit is found without reading twice.

A hit begins with one of a rule's plain words, its starts, and goes on as one of its patterns, within the rule's reach.
So at every letter it is known which hits may be under way, and only those hold the text back.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from functools import cached_property

from shared.locale import Register
from shared.safety.output_guard.following import followed
from shared.safety.output_guard.partial import Text
from shared.safety.output_guard.quotations import is_quoted, is_told
from shared.safety.output_guard.sentence import Sentence, host_of, squashed
from shared.safety.output_guard.starts import Starts
from shared.safety.patterns import Pattern

_WIDEST = 64
"""Letters before a hit in which its surroundings are looked for, and the widest hit."""


class Category(StrEnum):
    """What is wrong with a reply; stands in the turn's record and in the log."""

    MEANS = "means"
    """A method, dose or place of suicide or self-harm."""
    ENCOURAGING = "encouraging"
    """Leave to die, self-harm as something fine, others better off, revenge."""
    ACTED = "acted"
    """A claim to have called, told or sent somebody, or to be about to."""
    DIAGNOSIS = "diagnosis"
    MEDICATION = "medication"
    """What to take, how much, or to stop it."""
    HUMAN = "human"
    """A claim to be a person."""
    SECRECY = "secrecy"
    CURE = "cure"
    """A promise that it will be well."""
    BLAME = "blame"
    INTERNAL = "internal"
    """The prompt, its tags, names of modules, parts and personas."""
    REGISTER = "register"
    """반말 in a 존댓말 conversation, or the other way."""
    ENDING = "ending"
    """An end or a pause that the model decides."""
    CONTRACT = "contract"
    """A promise not to die, asked of the user: such contracts have no evidence (NICE NG225)."""
    DISCOURAGING = "discouraging"
    """Talking somebody out of professional help."""
    INTIMATE = "intimate"
    """An advance, or sex or pictures of the body urged on somebody: many of them are minors."""
    NUMBER = "number"
    """A phone number that is not in hotlines.json."""
    LINK = "link"
    MEMORY = "memory"
    """Remembering an earlier session of which nothing is known."""
    REPEATED = "repeated"
    """That it is an AI, when a rule has just said so: the sentence is left out, and the reply goes on."""


class When(StrEnum):
    """In which replies a rule holds."""

    ALWAYS = "always"
    FORMAL = "formal"
    """Where the user is addressed in 존댓말."""
    CASUAL = "casual"
    """Where the user is addressed in 반말."""
    NO_RECORD = "no_record"
    """Where nothing is known of earlier sessions."""
    NOTICED = "noticed"
    """Where a rule has said that it is an AI, before the reply."""
    IN_DANGER = "in_danger"
    """In the follow-through of a crisis, where a word of leave may be heard as leave to die."""
    HURT = "hurt"
    """Where the user has told of violence against them."""


class Excuse(StrEnum):
    """What makes a hit harmless."""

    QUOTED = "quoted"
    """It stands within quotation marks: somebody's words are told, not asserted."""
    SAID = "said"
    """The user said it before."""
    LISTED = "listed"
    """It is one of the numbers or addresses of hotlines.json."""


_OWN_CLAIMS = frozenset(
    {
        Category.ACTED,
        Category.DIAGNOSIS,
        Category.MEDICATION,
        Category.HUMAN,
        Category.SECRECY,
        Category.CURE,
        Category.INTERNAL,
    }
)
"""What a speaker says of itself or tells to do: quotation marks excuse it only where the words are told of."""

Ways = tuple[Pattern, ...]
"""Patterns of how a hit goes on."""


class Standing(Enum):
    """What has become of a start."""

    NONE = auto()
    MAY_COME = auto()
    HIT = auto()


@dataclass(frozen=True)
class Situation:
    """What the guard must know of the conversation.

    Attributes:
        register: Of a Korean conversation; None in English.
        record: Something is known of earlier sessions.
        noticed: A rule has said that it is an AI, before the reply.
        said: The user's own words, the newest and those before.
        in_danger: The conversation is in the follow-through of a crisis.
        hurt: The user has told of violence against them.
    """

    register: Register | None = None
    record: bool = False
    noticed: bool = False
    said: str = ""
    in_danger: bool = False
    hurt: bool = False

    def meets(self, when: When) -> bool:
        """Return whether rules with this condition hold."""
        return {
            When.ALWAYS: True,
            When.FORMAL: self.register is Register.FORMAL,
            When.CASUAL: self.register is Register.CASUAL,
            When.NO_RECORD: not self.record,
            When.NOTICED: self.noticed,
            When.IN_DANGER: self.in_danger,
            When.HURT: self.hurt,
        }[when]

    @cached_property
    def words(self) -> str:
        """What the user said, without blanks and marks."""
        return squashed(self.said)


@dataclass(frozen=True)
class Surroundings:
    """What may stand around a hit and make it harmless: a denial, a report of what was said.

    Attributes:
        before: Patterns that end where the hit begins.
        behind: Patterns that begin where the hit ends.
    """

    before: tuple[Pattern, ...] = ()
    behind: tuple[Pattern, ...] = ()

    def hold(self, folded: str, start: int, end: int) -> bool:
        """Return whether they are there."""
        since = max(0, start - _WIDEST)
        if any(pattern.regex.search(folded, since, start) for pattern in self.before):
            return True
        return any(pattern.regex.match(folded, end) for pattern in self.behind)


@dataclass(frozen=True, eq=False)
class Hit:
    """How something that must not be said is worded.

    Attributes:
        starts: Plain folded words that it begins with; between Korean words a blank may be missing.
        then: Patterns of how it goes on; none where the words alone are enough.
        reach: Letters that it spans at most; what is longer is not found.
        joined: It may begin within a word.
    """

    starts: tuple[str, ...]
    then: Ways = ()
    reach: int = _WIDEST
    joined: bool = False

    def matched(self, folded: str, place: int, behind: int) -> int | None:
        """Return where a hit ends whose start stands between `place` and `behind`, or None."""
        if not self.then:
            return behind
        until = min(len(folded), place + self.reach)
        text = Text(folded, behind, until)
        found = (one.regex.match(folded, behind, until) for one in self.then if followed(one.source).matches(text))
        return max((hit.end() for hit in found if hit), default=None)

    def standing(self, folded: str, place: int, behind: int, left: Ways) -> tuple[Standing, Ways]:
        """Return how a hit stands whose start stands between `place` and `behind`, and which patterns may still match.

        Args:
            folded: The sentence so far.
            place: Where the start begins.
            behind: Where it ends.
            left: The patterns that a letter ago might still match; one that could not cannot later.
        """
        if not self.then:
            return Standing.HIT, left
        text = Text(folded, behind, min(len(folded), place + self.reach))
        unfinished = len(folded) < place + self.reach
        if unfinished:
            left = tuple(one for one in left if followed(one.source).may_match(text))
        if any(followed(one.source).matches(text) for one in left):
            return Standing.HIT, left
        return (Standing.MAY_COME if unfinished and left else Standing.NONE), left


@dataclass(frozen=True, eq=False)
class GuardRule:
    """One compiled rule.

    Attributes:
        exclusions: A hit that overlaps one of these is none.
        unless: What around a hit makes it none.
        said_in: What must be around a hit for the user's having said it to excuse it; anything where there are none.
        listed: Numbers (digits alone) or addresses that may be named.
    """

    id: str
    category: Category
    hits: tuple[Hit, ...]
    exclusions: tuple[Pattern, ...] = ()
    unless: tuple[Surroundings, ...] = ()
    when: When = When.ALWAYS
    excuses: frozenset[Excuse] = frozenset({Excuse.QUOTED})
    said_in: tuple[Surroundings, ...] = ()
    listed: Callable[[], frozenset[str]] = frozenset

    def counts(self, sentence: Sentence, start: int, end: int, situation: Situation) -> bool:
        """Return whether a hit in a whole sentence stands: no exclusion overlaps it and nothing excuses it."""
        folded = sentence.folded
        if any(found.start() < end and found.end() > start for found in self._excluded(folded)):
            return False
        if any(around.hold(folded, start, end) for around in self.unless):
            return False
        if Excuse.SAID in self.excuses and self._was_said(folded, start, end, situation):
            return False
        if Excuse.LISTED in self.excuses and self._is_listed(folded, start, end):
            return False
        if Excuse.QUOTED not in self.excuses:
            return True
        excused = is_told if self.category in _OWN_CLAIMS else is_quoted
        return not excused(sentence, sentence.places[start], sentence.places[min(end, len(sentence.places)) - 1])

    def _excluded(self, folded: str) -> Iterator[re.Match[str]]:
        return (found for exclusion in self.exclusions for found in exclusion.regex.finditer(folded))

    def _was_said(self, folded: str, start: int, end: int, situation: Situation) -> bool:
        words = squashed(folded[start:end])
        if not words or words not in situation.words:
            return False
        return not self.said_in or any(around.hold(folded, start, end) for around in self.said_in)

    def _is_listed(self, folded: str, start: int, end: int) -> bool:
        if self.category is Category.NUMBER:
            return re.sub(r"\D", "", folded[start:end]) in self.listed()
        begin = folded.rfind(" ", 0, start) + 1
        address = folded[begin:].split(" ", 1)[0]
        return host_of(address) in self.listed()


Way = tuple[GuardRule, Hit]


@dataclass(frozen=True)
class GuardRules:
    """All rules.

    Attributes:
        shared: Rules that others have too, whose trees are grown once for all.
    """

    rules: tuple[GuardRule, ...]
    shared: "GuardRules | None" = None

    def trees(self, situation: Situation) -> tuple[Starts[Way], ...]:
        """Return the starts of the rules that hold in a situation."""
        before = self.shared.trees(situation) if self.shared else ()
        holding = tuple(when for when in When if situation.meets(when))
        if holding not in self._trees:
            hits = [(rule, hit) for rule in self.rules if rule.when in holding for hit in rule.hits]
            self._trees[holding] = Starts((way[1].starts, way, way[1].joined) for way in hits)
        return (*before, self._trees[holding])

    @cached_property
    def _trees(self) -> dict[tuple[When, ...], Starts[Way]]:
        return {}
