"""Facts that a summary must keep: figures, goals and words of danger, in the user's own words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from functions.session_manager.figures import Figure, figures, keys
from shared.domain.conversation import Message, Role
from shared.domain.counseling.sources import Source, SourcedText, bounded_quote
from shared.safety.levels import CrisisOutcome
from shared.safety.text_rules import TextRules
from shared.services.counseling.evidence import is_verbatim_quote

LONGEST_WORDS = 90
"""Maximum characters of a fact's words."""
SHORTEST_QUOTE = 5
"""Minimum characters of a quotation that represents its sentence."""
NEGATION_GAP = 8
"""Maximum characters between a figure and its denial ("5월이 아니라")."""

_SENTENCE = re.compile(
    r".+?(?:[.!?…。~]++[\"'”’)\]]*+(?<!\b[DM]r\.)(?<!\bM[rs]\.)(?<!\bMrs\.)(?=\s|$)|\n|$)", re.DOTALL
)
_QUOTED = re.compile(r"[“\"]([^“”\"]+)[”\"]")
_ONLY_QUOTED = re.compile(r"“[^“”]*”\.?")
_WISH = re.compile(
    r"고 ?싶(?![지진])|(?:으|았|었|했|졌)면 ?(?:좋겠|해요|합니다)|바라(?:요|는 건)|목표|"
    r"\b(?:i want to|i'd like to|i wish|i hope|(?:my|the) goal)\b",
    re.IGNORECASE,
)
_NO_WISH = re.compile(
    r"고 ?싶[지진]|(?:바라|원하)[지진]|목표(?:는|가|도)? ?없|"
    r"\b(?:do not|don't|never|not) (?:really )?(?:want|wish|hope)|\b(?:no|not) (?:a )?(?:goal|wish)",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"아니라|아니고|아니에요|아니었|아니야|말고")
_NOT = re.compile(r"\b(?:not|isn't|wasn't)\b", re.IGNORECASE)
_STEM = re.compile(r"[가-힣]{2}|[a-z]{4}", re.IGNORECASE)
_FORMS = frozenset({"아니", "말고", "이에", "에요", "예요", "이요", "그게", "다시", "actu", "ally", "mean", "meant"})


class Weight(IntEnum):
    """How important a fact is."""

    PLAIN = 0
    FIGURE = 1
    GOAL = 2
    DANGER = 3
    NAME = 4


@dataclass(frozen=True)
class Fact:
    """A statement that a summary must keep.

    Attributes:
        words: As the user said it, or as the summary has it.
        figures: Its figures in one spelling; a sentence with all of them holds a fact of weight FIGURE.
        own: The words are the user's.
        label: The label of a name in the session.
        pressing: The severity of words of danger; 0 for anything else.
        source: The turn in which the user said it; None if that is not known.
    """

    weight: Weight
    words: str
    figures: frozenset[str] = field(default_factory=frozenset)
    own: bool = True
    label: str = ""
    pressing: int = 0
    source: Source | None = None


@dataclass(frozen=True)
class FigureCorrection:
    """A figure that the user took back, and the figures given instead."""

    wrong: str
    right: frozenset[str]
    about: frozenset[str]

    def concerns(self, sentence: str) -> bool:
        """Return whether a sentence states the wrong figure and none of the right ones."""
        return self.wrong in (held := keys(sentence)) and not self.right & held

    def shares_a_subject(self, sentence: str) -> bool:
        """Return whether a sentence shares a word with the correction."""
        return bool(self.about & _stems(sentence))


def sentences(text: str) -> tuple[str, ...]:
    """Split a text into sentences with their punctuation."""
    return tuple(" ".join(found.split()) for found in _SENTENCE.findall(text) if found.strip())


_NO_MORE = re.compile(
    r"더는|더 ?이상|다시는|이제 ?그만|(?:계속|자꾸|매번|이렇게)[^.?!]{0,12}고 ?싶지|\b(?:any ?more|again|keep)\b",
    re.IGNORECASE,
)
"""A rejection of more of the same counts as a wish for change."""


def wishes_not(words: str) -> bool:
    """Return whether words state what is not wished for ("하고 싶지 않아요") and no wish."""
    if _NO_MORE.search(words):
        return False
    return bool(_NO_WISH.search(words)) and not _WISH.search(_NO_WISH.sub(" ", words))


class FactReader:
    """Finds facts in messages and summaries."""

    def __init__(self, rules: TextRules) -> None:
        self._rules = rules

    def said(self, messages: Sequence[Message]) -> tuple[Fact, ...]:
        """Return the facts in the user's messages, in order."""
        return tuple(
            replace(fact, source=Source(seq=message.seq, quote=bounded_quote(fact.words)))
            for message in messages
            if message.role is Role.USER
            for sentence in sentences(message.text)
            for fact in self._facts(sentence, own=True)
        )

    def kept(self, summary: str, sources: Sequence[SourcedText] = ()) -> tuple[Fact, ...]:
        """Return the facts of a summary, in order: as a quotation if one holds them, else as a sentence.

        Each has the source of its sentence, if `sources` has one.
        """
        of_line = {each.text: each for each in sources}
        return tuple(
            replace(fact, source=of_line.get(line)) for line in sentences(summary) for fact in self._of_summary([line])
        )

    def stands_in(self, fact: Fact, sentence: str) -> bool:
        """Return whether a sentence holds a fact: its figures, its words, or a quotation from them."""
        if fact.weight is Weight.NAME:
            return fact.words in sentence
        if fact.weight is Weight.FIGURE:
            return fact.figures <= keys(sentence)
        quotes = (quote for quote in _QUOTED.findall(sentence) if len(quote.strip()) >= SHORTEST_QUOTE)
        return is_verbatim_quote(fact.words, sentence) or any(
            is_verbatim_quote(quote, fact.words) and self._says(fact, quote) for quote in quotes
        )

    def _says(self, fact: Fact, quote: str) -> bool:
        return self._rules.alarming(quote) if fact.weight is Weight.DANGER else bool(_WISH.search(quote))

    def _of_summary(self, lines: Sequence[str]) -> Iterator[Fact]:
        for line in lines:
            quotes = _QUOTED.findall(line)
            facts = [fact for quote in quotes for fact in self._facts(quote, own=True)]
            yield from facts
            if _ONLY_QUOTED.fullmatch(line):
                continue
            held = frozenset().union(*(fact.figures for fact in facts))
            heaviest = max((fact.weight for fact in facts), default=Weight.PLAIN)
            yield from (fact for fact in self._facts(line, own=False) if fact.weight > heaviest or fact.figures - held)

    def _facts(self, sentence: str, *, own: bool) -> Iterator[Fact]:
        """Yield the facts of a sentence; only the most important one if there are several.

        Of a sentence that instructs a model only words of danger are kept.
        """
        found = figures(sentence)
        taken = _correction(sentence)
        held = frozenset(each.key for each in found) - ({taken.wrong} if taken else set())
        danger = self._rules.danger(sentence)
        orders = self._rules.instructive(sentence)
        if danger is not CrisisOutcome.NONE:
            words = clipped(sentence)
            if orders or self._rules.danger(words).severity < danger.severity:
                words = clipped(self._core(sentence, danger))
            yield Fact(Weight.DANGER, words, held, own, pressing=danger.severity)
        elif orders:
            return
        elif _WISH.search(sentence):
            yield Fact(Weight.GOAL, clipped(sentence), held, own)
        elif held:
            first, last = found[0], found[-1]
            yield Fact(Weight.FIGURE, clipped(sentence, first.start, last.end), held, own)

    def _core(self, sentence: str, danger: CrisisOutcome) -> str:
        """Return the words left after both ends are trimmed as long as the danger is still found."""
        words = sentence.split()
        first, last = 0, len(words)

        def tells(start: int, end: int) -> bool:
            return self._rules.danger(" ".join(words[start:end])).severity >= danger.severity

        while first < last and tells(first + 1, last):
            first += 1
        while first < last and tells(first, last - 1):
            last -= 1
        return " ".join(words[first:last])


def corrections(messages: Sequence[Message]) -> tuple[FigureCorrection, ...]:
    """Return the user's corrections of figures, in order."""
    mine = (message.text for message in messages if message.role is Role.USER)
    return tuple(each for text in mine for sentence in sentences(text) if (each := _correction(sentence)))


def outdated(lines: Sequence[str], taken_back: Iterable[FigureCorrection]) -> frozenset[int]:
    """Return the indexes of the lines that state a figure taken back, if they share the correction's subject.

    A correction without a subject applies to the last such line.
    """
    found: set[int] = set()
    for correction in taken_back:
        wrong = [number for number, line in enumerate(lines) if correction.concerns(line)]
        same = [number for number in wrong if correction.shares_a_subject(lines[number])]
        found.update(same or (wrong[-1:] if not correction.about else ()))
    return frozenset(found)


def clipped(sentence: str, first: int = 0, last: int = 0) -> str:
    """Return a sentence without final punctuation, cut at whole words to `LONGEST_WORDS` around `first` to `last`."""
    plain = sentence.rstrip(" .!?…。~")
    if len(plain) <= LONGEST_WORDS:
        return plain
    start = max(0, min(first - (LONGEST_WORDS - (last - first)) // 2, len(plain) - LONGEST_WORDS))
    if start:
        space = plain.find(" ", start)
        start = space + 1 if 0 <= space < max(first, start + 1) else start
    part = plain[start : start + LONGEST_WORDS]
    whole = part.rpartition(" ")[0]
    cut = start + LONGEST_WORDS < len(plain)
    return whole if cut and len(whole) > LONGEST_WORDS // 2 else part


def _correction(sentence: str) -> FigureCorrection | None:
    found = figures(sentence)
    wrong = _taken_back(sentence, found)
    if wrong is None:
        return None
    right = frozenset(each.key for each in found if each.unit == wrong.unit and each.key != wrong.key)
    others = (_stems(sentence[each.start : each.end]) for each in found)
    about = _stems(sentence) - frozenset().union(*others) - _FORMS
    return FigureCorrection(wrong.key, right, about) if right else None


def _taken_back(sentence: str, found: Sequence[Figure]) -> Figure | None:
    """Return the figure that a sentence denies, before "아니라" or after "not"; None if there is none."""
    for mark in _TAKEN_BACK.finditer(sentence):
        for each in reversed(found):
            if 0 <= mark.start() - each.end <= NEGATION_GAP:
                return each
    for mark in _NOT.finditer(sentence):
        for each in found:
            if 0 <= each.start - mark.end() <= NEGATION_GAP:
                return each
    return None


def _stems(text: str) -> frozenset[str]:
    """Return the first letters of a text's words, because Korean endings differ."""
    heads = (_STEM.match(word.strip("“”\"'‘’(")) for word in text.casefold().split())
    return frozenset(head[0] for head in heads if head)
