"""Checks an answer sentence by sentence: what it cites was read, and what it says, quotes and counts stands there.

A source is written in square brackets after its sentence: `[제5조]`, `[Article 5]`, `[별지 1]`; several with commas.
A sentence that fails is left out; the others are shown with their source before the full stop, so that no later rule
parts them from it. `[없음]` or `[not found]` stands for what the document does not say.

Words alone cannot tell "직원이 실시간으로 지켜봐요" from "실시간으로 지켜보는 직원이 없습니다". A clause that has most
of its words in common with one of the passage is therefore compared with it by whether both deny. A clause of which
that is not plain is compared with none. What the rules cut and let through is measured in decision 0051.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from shared.domain.agreement.document import Passage, PassageKind
from shared.domain.agreement.tokens import normalised, units, units_of, words
from shared.domain.agreement.tools import Library, PassageRef
from shared.domain.agreement.vocabulary import Vocabulary
from shared.locale import Locale

LEAST = 0.3
"""Part of a sentence's words that must stand in what it cites: faithful retellings use many words of their own."""
MOST = 0.6
"""Part of a clause's words that another clause must have to be about the same."""

_KOREAN = re.compile(r"[가-힣]")
_DENIAL = r"않|없(?!어[지진질집져졌])|아니|아닙|못(?!된)|(?<![가-힣])안(?= )|(?<=지 )마[십세]|(?<=지)마[십세]"
_DENIES = re.compile(rf"{_DENIAL}|\b(?:no|not|never|nobody|none|nothing|neither|nor|cannot)\b|n['’]t\b")
_DENIAL_WORD = re.compile(rf"(?:{_DENIES.pattern}|없이)[가-힣]*|\b\w+n['’]t\b")
_WITHOUT = re.compile(r"없이|\bwithout\b")
_CLAUSE_END = re.compile(
    r"(?<=[.;])\s|\n|(?<=[가-힣])(?:며|고|지만), ?|(?:으나|아니라|않고|없고|않으며|지만|는데) |\bbut "
)
_ANSWERS = re.compile(r"^\W*(?:네|예|아니요|아뇨|맞아요|yes|no)[,.!]\s+", re.IGNORECASE)
"""A yes or no to the question says nothing about the matter."""
_AS_WRITTEN = re.compile(r"[“\"「『«][^”\"」』»]+[”\"」』»](?=이?라?고)")
"""A quotation that tells what is written. That it stands there is checked; it may end before the verb that denies."""
_ITEM = re.compile(r"\d{1,2}[.)] ")
_ENDING_WORDS = 2
"""Words at the end of a Korean clause, where its verb stands."""


class _Clause(NamedTuple):
    """`denies` is None where it is not plain, and for an item of a list, which goes with the sentence above it."""

    stems: tuple[str, ...]
    denies: bool | None


NOT_FOUND = ("없음", "not found")
"""Marks of what the document does not say."""
_MARK = re.compile(r"\s*\[([^\[\]\n]{1,120})\]")
_QUOTED = re.compile(r"“([^”]{2,})”|\"([^\"]{2,})\"|「([^」]{2,})」|『([^』]{2,})』|«([^»]{2,})»")
_FIGURE = re.compile(
    r"(\d[\d,.]*+) ?(?=시간|일|분|주|개월|달|년|원|만 ?원|회|차례|세|살|퍼센트|%|명|점"
    r"|hours?|days?|minutes?|weeks?|months?|years?|won|times|percent|people)"
)
_END = ".!?…。？！~"
_CLOSERS = "\"'”’」』»)"
_LETTER = re.compile(r"[^\w%]+")


class Fault(StrEnum):
    """Why a sentence was left out."""

    UNCITED = "uncited"
    NOT_READ = "not_read"
    """It cites what was not read in this turn, or does not exist."""
    NOT_QUOTED = "not_quoted"
    """Words in quotation marks that do not stand in what it cites."""
    FIGURE = "figure"
    """A number with its unit that stands neither in what it cites nor in the question."""
    UNSUPPORTED = "unsupported"
    """Too few of its words stand in what it cites."""
    CONTRADICTED = "contradicted"
    """What it cites says the contrary."""
    ORDER = "order"
    """It repeats what an upload orders a model to do."""


@dataclass(frozen=True)
class Source:
    """A passage that an answer may cite, and what it is called."""

    ref: PassageRef
    passage: Passage
    label: str


class Sources:
    """The passages read for one answer, by what they are called."""

    def __init__(self, sources: Sequence[Source], vocabulary: Vocabulary) -> None:
        self.all = tuple(sources)
        self.vocabulary = vocabulary
        self._by_name: dict[str, Source] = {}
        for source in self.all:
            self._by_name.setdefault(_folded(source.passage.id), source)
            self._by_name[_folded(source.label)] = source
        self._longest_first = sorted(self._by_name, key=len, reverse=True)

    @classmethod
    def of(cls, library: Library, read: Sequence[PassageRef], locale: Locale) -> "Sources":
        """Return the sources of what was read, each with a label of its own."""
        named: dict[str, Source] = {}
        for ref in read:
            passage, owner = library.passage(ref), library.owner(ref)
            if passage is None or owner is None:
                continue
            label = label_of(passage, locale)
            if owner.id != library.document.id:
                label = f"{owner.title} {label}"
            if label in named:
                label = f"{label} ({passage.id})"
            named[label] = Source(ref=ref, passage=passage, label=label)
        return cls(tuple(named.values()), library.index.vocabulary)

    def named(self, mark: str) -> Source | None:
        """Return the source that a mark begins with: 제5조 for "제5조 제2항", but not for "제5조의2"."""
        wanted = _folded(mark)
        if (exact := self._by_name.get(wanted)) is not None:
            return exact
        for name in self._longest_first:
            rest = wanted.removeprefix(name)
            if rest != wanted and not re.match(r"[\d의-]", rest):
                return self._by_name[name]
        return None


@dataclass
class Checked:
    """The part of an answer that passed.

    Attributes:
        unknown: The answer says that the document does not tell a part of what was asked.
    """

    text: str = ""
    faults: list[Fault] = field(default_factory=list)
    unknown: bool = False


class CitationCheck:
    """Checks one answer while it arrives; the result does not depend on its pieces."""

    def __init__(
        self,
        sources: Sources,
        question: str,
        rest_unknown: str,
        refuses: Callable[[str], bool] = lambda _: False,
        orders: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Create the check.

        Args:
            sources: What may be cited.
            question: Numbers of the question may be repeated.
            rest_unknown: Stands for the sentences that are marked as not found, after others.
            refuses: Tells whether the guard that reads the result cuts a sentence; it gets no source then, which could
                hide from the guard how it ends.
            orders: Tells whether a sentence is an order to a model.
        """
        self.result = Checked()
        self._sources = sources
        self._question = _folded(question)
        self._rest_unknown = rest_unknown
        self._refuses = refuses
        self._orders = orders
        self._sentences = Sentences()

    def take(self, text: str) -> str:
        """Add a piece; return the sentences that are complete and hold."""
        return "".join(self._judge(sentence) for sentence in self._sentences.take(text))

    def end(self) -> str:
        """Return the rest, as far as it holds."""
        rest = "".join(self._judge(sentence) for sentence in self._sentences.end())
        if self.result.unknown and self.result.text:
            rest += self._passed("", self._rest_unknown)
        return rest

    def _judge(self, sentence: str) -> str:
        marks = [mark for found in _MARK.findall(sentence) for mark in re.split(r"\s*[,;·]\s*", found) if mark.strip()]
        if any(_folded(mark) in map(_folded, NOT_FOUND) for mark in marks):
            self.result.unknown = True
            return ""
        fault = self._fault(sentence, marks)
        if fault is not None:
            if sentence.strip():
                self.result.faults.append(fault)
            return ""
        sources = [source for mark in marks if (source := self._sources.named(mark))]
        labels = ", ".join(dict.fromkeys(source.label for source in sources))
        body = _MARK.sub("", sentence).strip()
        if self._refuses(body):
            return self._passed(sentence, body)
        words = body.rstrip(_END)
        return self._passed(sentence, f"{words} [{labels}]{body[len(words) :] or '.'}")

    def _passed(self, sentence: str, shown: str) -> str:
        lead = sentence[: len(sentence) - len(sentence.lstrip())]
        gap = ("\n" if "\n" in lead else " ") if self.result.text else ""
        self.result.text += gap + shown
        return gap + shown

    def _fault(self, sentence: str, marks: Sequence[str]) -> Fault | None:
        if not marks:
            return Fault.UNCITED
        sources = [self._sources.named(mark) for mark in marks]
        known = [source for source in sources if source is not None]
        if len(known) != len(sources):
            return Fault.NOT_READ
        body = _MARK.sub("", sentence)
        texts = [_folded(f"{one.label} {one.passage.title} {one.passage.text}") for one in known]
        quotes = [_folded(next(filter(None, found))) for found in _QUOTED.findall(body)]
        if any(not any(quote in text for text in texts) for quote in quotes):
            return Fault.NOT_QUOTED
        figures = [_folded(found) for found in _FIGURE.findall(body)]
        if any(not any(_counts(figure, text) for text in (*texts, self._question)) for figure in figures):
            return Fault.FIGURE
        text = "\n".join(f"{one.passage.title}\n{one.passage.text}" for one in known)
        if not has_words(body, "\n".join((*(one.passage.heading for one in known), text)), self._sources.vocabulary):
            return Fault.UNSUPPORTED
        if contradicts(body, text):
            return Fault.CONTRADICTED
        return Fault.ORDER if self._orders(body) else None


class Sentences:
    """Divides a growing text after its sentences; the sources in brackets after one belong to it."""

    def __init__(self) -> None:
        self._held = ""
        self._depth = 0
        self._ended = False

    def take(self, text: str) -> Iterator[str]:
        for char in text:
            if self._ended and not char.isspace() and char not in "[" + _END + _CLOSERS and not self._depth:
                if self._held[-1:].isspace() or self._held[-1:] == "]":
                    yield self._cut()
                else:
                    self._ended = False  # a dot within a word or number
            self._held += char
            self._depth = max(0, self._depth + (char == "[") - (char == "]"))
            if char == "\n" or (char in _END and not self._depth):
                self._ended = bool(self._held.strip())

    def end(self) -> Iterator[str]:
        if self._held.strip():
            yield self._cut()

    def _cut(self) -> str:
        body = self._held.rstrip()
        sentence, self._held = body, self._held[len(body) :]
        self._depth, self._ended = 0, False
        return sentence


def label_of(passage: Passage, locale: Locale) -> str:
    """Return what a passage is called in an answer."""
    korean = locale is Locale.KO
    match passage.kind:
        case PassageKind.ARTICLE:
            name = _korean_article(passage.number) if korean else f"Article {passage.number}"
            if passage.id.startswith("addendum"):
                name = f"부칙 {name}" if korean else f"Addendum, {name}"
        case PassageKind.EXHIBIT:
            name = f"별지 {passage.number}" if korean else f"Exhibit {passage.number}"
        case PassageKind.PARAGRAPH:
            name = f"문단 {passage.number}" if korean else f"Paragraph {passage.number}"
            if passage.title and not passage.id.startswith("paragraph"):
                name = f"{passage.title} {passage.number}"
    return name


def _korean_article(number: str) -> str:
    first, _, part = number.partition("의")
    return f"제{first}조의{part}" if part else f"제{number}조"


def _counts(figure: str, text: str) -> bool:
    return re.search(rf"(?<!\d){re.escape(figure)}(?!\d)", text) is not None


def _folded(text: str) -> str:
    """Return a text without blanks and marks, so that spelling does not hide that words are the same."""
    return _LETTER.sub("", unicodedata.normalize("NFKC", text)).lower()


def has_words(sentence: str, text: str, vocabulary: Vocabulary) -> bool:
    """Return whether enough words of a sentence, or legal words for them, stand in a text.

    Words of another script than the text's do not count; figures have a check of their own.
    """
    plain = normalised(text)
    korean = _KOREAN.search(plain) is not None
    stems = dict.fromkeys(words(_DENIAL_WORD.sub(" ", normalised(sentence))))
    said = [stem for stem in stems if stem.isdigit() or stem.isascii() is not korean]
    found = frozenset((*units_of(plain), *filter(str.isdigit, said)))
    legal = sum(any(word in plain for word in known) for known in vocabulary.legal_words(sentence))
    return not said or _common(said, found) + legal / len(said) >= LEAST


def contradicts(sentence: str, text: str) -> bool:
    """Return whether a clause of a sentence denies what a clause of a text says, or says what that one denies."""
    standing = [(frozenset(unit for stem in one.stems for unit in units(stem)), one.denies) for one in _clauses(text)]
    for said in _clauses(_AS_WRITTEN.sub(" ", _ANSWERS.sub("", sentence))):
        if said.denies is None:
            continue
        alike = max(
            (_common(said.stems, found) for found, denies in standing if denies in (said.denies, None)), default=0
        )
        other = max(
            (_common(said.stems, found) for found, denies in standing if denies is (not said.denies)), default=0
        )
        if other >= MOST and other > alike:
            return True
    return False


def _common(stems: Sequence[str], found: frozenset[str]) -> float:
    return sum(any(unit in found for unit in units(stem)) for stem in stems) / len(stems)


def _clauses(text: str) -> Iterator[_Clause]:
    for line in normalised(text).splitlines():
        item = _ITEM.match(line) is not None
        ends = [0, *(found.end() for found in _CLAUSE_END.finditer(line)), len(line)]
        for start, end in pairwise(ends):
            clause = line[start:end]
            if stems := tuple(words(_DENIAL_WORD.sub(" ", clause))):
                yield _Clause(stems, None if item else _denies(clause))


def _denies(clause: str) -> bool | None:
    if _WITHOUT.search(clause):
        return None
    if not _DENIES.search(clause):
        return False
    ending = " ".join(clause.split()[-_ENDING_WORDS:]) if _KOREAN.search(clause) else clause
    return True if _DENIES.search(ending) else None
