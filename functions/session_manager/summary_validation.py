"""Validates a model's summary: drops unsourced, repeated, invented and outdated sentences, and restores lost facts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from functions.session_manager.facts import Fact, FactReader, FigureCorrection, Weight, corrections, outdated, sentences
from functions.session_manager.figures import unfounded, values
from functions.session_manager.provenance import Proposed, SpokenTurns, still_in, with_source, without_words
from shared.domain.conversation import Message, Role
from shared.domain.counseling.sources import Source, SourcedText
from shared.engine.memory import LONGEST_SUMMARY
from shared.engine.prose import shortened
from shared.safety.text_rules import TextRules
from shared.services.counseling.evidence import plain

MOST = {Weight.DANGER: 4, Weight.GOAL: 2}
"""Maximum facts of a kind that are kept at any length: the most severe, then the newest. They fit half a summary."""
MOST_FIGURES_BACK = 5
"""Maximum figures that are restored, the newest, if there is room for them."""
LONGEST_SENTENCE = 400
"""Maximum characters of one sentence."""
SHORTEST_ECHO = 6
"""Minimum characters of a sentence that is dropped if another sentence contains it."""

_UNSOURCED = Source(seq=0, quote="")
"""Marks a sentence without a source."""
_END = re.compile(r"[.!?…。~][\"'”’)\]]*$")
_PLAIN = re.compile(r"[\W_]+")
_NAMED = re.compile(
    r"(?<![가-힣])(?P<ko>[가-힣]{2,4}) ?(?:님|씨)(?![가-힣]{2})"
    r"|[“\"‘'](?P<called>[가-힣]{2,4})[”\"’'](?:이?라고 (?:불|부))"
    r"|\b(?:named|called|[Mm]rs?\.|[Mm]s\.|[Dd]r\.) (?P<en>[A-Z][a-z]+)"
)
_TITLES = re.compile(
    r"(?:선생|부모|어머|아버|할머|할아버|아주머|아드|큰형|작은형|오라버|팀장|과장|부장|차장|실장|소장|대리|사장|대표|교수|의사|원장|"
    r"국장|고객|회원|상담사|내담자|사용자|이모|고모|장모|장인|며느|사위|선배|하느|간호사|약사|목사|신부|기사|아저|아가|마음)$"
)
_NAMING = re.compile(r"이름|불러|부르|부른|\b(?:name|call)", re.IGNORECASE)


@dataclass(frozen=True)
class SummarySources:
    """What a summary may be based on.

    Attributes:
        before: The summary so far.
        messages: The new messages of both speakers.
        names: The user's present names by label.
        known: The values that the user gave, as words.
        sources: The sentences of the summary so far with their sources; older summaries have none.
        name_sources: Where the user said the names, by label.
        checked: Quotes of earlier turns that were checked before.
    """

    before: str
    messages: Sequence[Message]
    names: Mapping[str, str]
    known: Sequence[str] = ()
    sources: Sequence[SourcedText] = ()
    name_sources: Mapping[str, Source] = field(default_factory=dict)
    checked: Sequence[Source] = ()

    @property
    def spoken(self) -> SpokenTurns:
        """The user's words at hand."""
        said = {each.seq: each.text for each in self.messages if each.role is Role.USER}
        kept = (*self.sources, *self.checked)
        return SpokenTurns(said, tuple(each for each in kept if each.conversation_id is None))


@dataclass(frozen=True)
class ValidatedSummary:
    """A validated summary.

    Attributes:
        sources: The sentences of the summary with their sources.
        unsourced: Sentences dropped because the user's words for them are not in the stored turns.
        invented: Sentences dropped because a number or a name in them was never said.
        outdated: Sentences dropped because the user took back what they say.
        instructive: Sentences dropped because they instruct a model.
        restored: Facts that the model left out and code added.
    """

    summary: str
    sources: tuple[SourcedText, ...] = ()
    unsourced: int = 0
    invented: int = 0
    outdated: int = 0
    instructive: int = 0
    restored: int = 0


@dataclass(frozen=True)
class _Piece:
    text: str
    facts: frozenset[int]
    weight: Weight
    prose: bool
    source: Source | None = None

    @property
    def staying(self) -> tuple[Weight, bool]:
        """Sort key for shortening: plain prose goes first, then figures; prose goes before a fact's bare words."""
        return self.weight, not self.prose


def validate_summary(proposed: Sequence[Proposed], ground: SummarySources, rules: TextRules) -> ValidatedSummary:
    """Return a summary within its length that holds the required facts, each sentence with the user's words for it."""
    taken_back = corrections(ground.messages)
    told = [(line, source) for each in proposed for line, source in _sourced(each, ground)]
    source_of = {_within(line, LONGEST_SENTENCE): source for line, source in reversed(told) if source is not _UNSOURCED}
    every = _distinct([line for line, source in told if source is not _UNSOURCED])
    lines = [_within(line, LONGEST_SENTENCE) for line in every if not rules.instructive(line)]
    said = "\n".join((ground.before, *(message.text for message in ground.messages), *ground.known))
    numbers, heard = values(said), _PLAIN.sub("", said + "\n".join(ground.names.values())).casefold()
    sound = [line for line in lines if not unfounded(line, numbers) and not has_unknown_name(line, heard)]
    stale = outdated(sound, taken_back) | _misnaming(sound, ground)
    prose = [line for number, line in enumerate(sound) if number not in stale]
    reader = FactReader(rules)
    facts = (*_names(ground, rules), *_facts(ground, taken_back, reader))
    pieces = _pieces(prose, source_of, facts, reader)
    restored = sum(not piece.prose for piece in pieces)
    left = _fitting(pieces, facts)
    summary = " ".join(piece.text for piece in left) or rules.without_instructions(ground.before).text
    sources = [with_source(piece.text, piece.source) for piece in left if piece.source]
    return ValidatedSummary(
        summary=summary,
        sources=without_words(sources or still_in(summary, ground.sources), rules.instructive),
        unsourced=sum(source is _UNSOURCED for _, source in told),
        invented=len(lines) - len(sound),
        outdated=len(stale),
        instructive=len(every) - len(lines),
        restored=restored,
    )


def _sourced(each: Proposed, ground: SummarySources) -> Iterator[tuple[str, Source | None]]:
    """Yield the sentences of a proposal with their source.

    A sentence of the summary so far, or a part of one, keeps its own, which is None in an older summary.
    """
    source, before = ground.spoken.source(each.seq, each.quote), plain(ground.before)
    kept = {plain(one.text): one for one in ground.sources}
    for line in map(_ended, sentences(each.text)):
        same = plain(line)
        if known := kept.get(same):
            yield line, known
        elif source is None and same and same in before:
            yield line, next((one for whole, one in kept.items() if same in whole), None)
        else:
            yield line, source or _UNSOURCED


def _ended(line: str) -> str:
    """Return a sentence with a full stop if it ends without a mark, so that it stays one sentence among others."""
    return line if _END.search(line) else f"{line}."


def _within(line: str, limit: int) -> str:
    return line if len(line) <= limit else shortened(line, limit)


def _distinct(lines: Sequence[str]) -> list[str]:
    plain = [_PLAIN.sub("", line).casefold() for line in lines]
    return [line for number, line in enumerate(lines) if plain[number] and not _echoes(number, plain)]


def _echoes(number: int, plain: Sequence[str]) -> bool:
    mine = plain[number]
    if mine in plain[:number]:
        return True
    return len(mine) >= SHORTEST_ECHO and any(mine in other and mine != other for other in plain)


def has_unknown_name(line: str, heard: str) -> bool:
    """Return whether a sentence calls somebody by a name that is not in `heard`, a text without spaces."""
    for match in _NAMED.finditer(line):
        name = next(found for found in match.groups() if found)
        if name.casefold() not in heard and not (match["ko"] and _TITLES.search(name)):
            return True
    return False


def _misnaming(lines: Sequence[str], ground: SummarySources) -> frozenset[int]:
    found: set[int] = set()
    for label, name in ground.names.items():
        before = re.findall(rf"{re.escape(label)}: [“\"]?([^.”\"]+)", ground.before)
        old = {one.strip() for one in before if one.strip() != name}
        for number, line in enumerate(lines):
            labelled = line.startswith(f"{label}: ") and name not in line
            introduced = any(one in line for one in old) and bool(_NAMING.search(line)) and name not in line
            if labelled or introduced:
                found.add(number)
    return frozenset(found)


def _names(ground: SummarySources, rules: TextRules) -> Iterator[Fact]:
    for label, name in ground.names.items():
        if name and not rules.instructive(name):
            yield Fact(Weight.NAME, name, label=label, source=ground.name_sources.get(label))


def _facts(ground: SummarySources, taken_back: Sequence[FigureCorrection], reader: FactReader) -> list[Fact]:
    """Return the required facts, oldest first: a few of danger and goals, and figures that were not taken back."""
    before, fresh = reader.kept(ground.before, ground.sources), reader.said(ground.messages)
    stale = outdated([fact.words for fact in before], taken_back)
    every = [*(fact for number, fact in enumerate(before) if number not in stale), *fresh]
    found = list(_once(every, reader))
    for weight, most in MOST.items():
        same = sorted((fact for fact in found if fact.weight is weight), key=lambda fact: fact.pressing)
        for surplus in same[: max(0, len(same) - most)]:
            found.remove(surplus)
    return found


def _once(facts: Sequence[Fact], reader: FactReader) -> Iterator[Fact]:
    for number, fact in enumerate(facts):
        later = (other for other in facts[number + 1 :] if other.weight >= fact.weight)
        if not any(reader.stands_in(fact, f"“{other.words}”") for other in later):
            yield fact


def _pieces(
    prose: Sequence[str], source_of: Mapping[str, Source | None], facts: Sequence[Fact], reader: FactReader
) -> list[_Piece]:
    held = [_piece(line, source_of.get(line), facts, reader) for line in prose]
    there = frozenset().union(*(piece.facts for piece in held))
    missing = [_bare(number, fact) for number, fact in enumerate(facts) if number not in there]
    front = [piece for piece in missing if piece.weight is Weight.NAME]
    surplus = [piece for piece in missing if piece.weight is Weight.FIGURE][:-MOST_FIGURES_BACK]
    back = (piece for piece in missing if piece.weight is not Weight.NAME and piece not in surplus)
    return [*front, *held, *back]


def _piece(line: str, source: Source | None, facts: Sequence[Fact], reader: FactReader) -> _Piece:
    there = frozenset(number for number, fact in enumerate(facts) if reader.stands_in(fact, line))
    weight = max((facts[number].weight for number in there), default=Weight.PLAIN)
    return _Piece(line, there, weight, prose=True, source=source)


def _bare(number: int, fact: Fact) -> _Piece:
    words = fact.words.strip(' “”"')
    text = f"{fact.label}: {words}." if fact.label else f"“{words}”." if fact.own else f"{words}."
    return _Piece(text, frozenset({number}), fact.weight, prose=False, source=fact.source)


def _fitting(pieces: list[_Piece], facts: Sequence[Fact]) -> list[_Piece]:
    """Drop the least important and oldest pieces until the rest fits; of a goal or danger the bare words stay."""
    left = list(pieces)
    while sum(len(piece.text) + 1 for piece in left) - 1 > LONGEST_SUMMARY:
        first = next((piece for piece in left if piece.prose), None)
        lightest = min(left, key=lambda piece: (piece.staying, piece is first))
        place = left.index(lightest)
        there = frozenset().union(*(piece.facts for piece in left if piece is not lightest))
        lost = [number for number in sorted(lightest.facts - there) if facts[number].weight > Weight.FIGURE]
        left[place : place + 1] = [_bare(number, facts[number]) for number in lost] if lightest.prose else []
    return left
