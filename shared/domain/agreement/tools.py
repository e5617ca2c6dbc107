"""The five tools, as pure functions over a document, its index and the standard forms.

A contract is matched with a standard form by title and content. The content is compared by BM25 both ways: how much
of the user's passage the form's has, and how much of the form's the user's has. A long passage that mentions
everything is therefore no match for a short one. Which form is of the contract's sort is told by the rare words of
both.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest

from shared.domain.agreement.bm25 import Bm25
from shared.domain.agreement.document import AgreementDocument, Passage, PassageKind
from shared.domain.agreement.numbers import passages_numbered
from shared.domain.agreement.search import Fusion, Index, Near
from shared.domain.agreement.tokens import units_of
from shared.domain.agreement.tool_calls import ToolCall, ToolName
from shared.model import Model

ENOUGH = 0.25
"""The likeness from which two passages are about the same matter; found on our own forms, compared with each other."""
_LIFTED = 0.1
"""The likeness of contents from which titles count too: every contract has a 목적."""
_RELATED = 0.18
"""The likeness of all words from which a form is of the contract's sort. Contracts of work, of lease and of a gym have
0.13 at most with any of our forms, contracts of their sort 0.21 at least."""
_SECRECY = re.compile(r"비밀|confidential", re.IGNORECASE)
_SAMPLE = 60
"""Passages by which the sort of a contract is known."""


class Match(Model):
    """A passage of the user's contract with the passage of the form that it matches best.

    Attributes:
        standard: None if the form has nothing like it.
        likeness: From 0 to 1.
    """

    passage: Passage
    standard: Passage | None
    likeness: float


class Comparison(Model):
    """A contract beside a standard form.

    Attributes:
        matches: One for each passage of the contract, in its order.
        missing: The passages of the form that the contract has nothing like, in the form's order.
    """

    standard: AgreementDocument
    matches: tuple[Match, ...]
    missing: tuple[Passage, ...]


class _Compared:
    """The units of a passage, and those of its title."""

    def __init__(self, passage: Passage) -> None:
        self.counts = Counter(units_of(_text(passage)))
        self.title = frozenset(units_of(passage.title))


HITS = 4
"""Passages that one search reads."""
PAIRS = 4
"""Articles that one comparison reads of each document."""
_TITLE_FITS = 0.5
"""Least part of the wanted title's units that a title must have."""


class PassageRef(Model):
    """A passage that was read."""

    document_id: str
    passage_id: str


class ToolResult(Model):
    """What a tool found.

    Attributes:
        read: Passages whose whole texts may be used from now on.
        outlined: Whether the document's structure was read.
        note: For the decision log, e.g. which numbers the document does not have.
    """

    read: tuple[PassageRef, ...] = ()
    outlined: bool = False
    note: str = ""


class Library:
    """A document and the standard forms, prepared for the tools."""

    def __init__(self, index: Index, forms: Sequence[AgreementDocument] = ()) -> None:
        self.index = index
        self.document = index.document
        self._forms = {form.id: form for form in forms}

    def passage(self, ref: PassageRef) -> Passage | None:
        """Return a passage of the document or of a form."""
        document = self.owner(ref)
        return document.passage(ref.passage_id) if document else None

    def owner(self, ref: PassageRef) -> AgreementDocument | None:
        if ref.document_id == self.document.id:
            return self.document
        return self._forms.get(ref.document_id)

    @cached_property
    def form(self) -> Index | None:
        """The standard form of the document's sort; None if there is none."""
        form = closest(self.document.passages, self._forms.values())
        return None if form is None else Index(form)


def run_tool(
    library: Library, call: ToolCall, near: Sequence[Sequence[Near]] = (), fusion: Fusion | None = None
) -> ToolResult:
    """Run a tool; what it does not find is no error, but a result without passages.

    Args:
        library: The document and the standard forms.
        call: What to run.
        near: What is near by embeddings, for each topic of a search; without them it searches by words alone.
        fusion: How far embeddings count.
    """
    match call.tool:
        case ToolName.STRUCTURE:
            return ToolResult(outlined=True, note=f"{len(library.document.passages)} passages")
        case ToolName.SEARCH:
            return _search(library, call, near, fusion)
        case ToolName.BY_INDEX:
            return _by_index(library, call)
        case ToolName.BY_TITLE:
            return _by_title(library, call)
        case ToolName.STANDARD:
            return _standard(library, call)


def outline(document: AgreementDocument) -> tuple[Passage, ...]:
    """Return the passages that the structure lists: articles and exhibits, or all if there are none."""
    named = tuple(one for one in document.passages if one.kind is not PassageKind.PARAGRAPH)
    return named or document.passages


def _search(library: Library, call: ToolCall, near: Sequence[Sequence[Near]], fusion: Fusion | None) -> ToolResult:
    found: list[PassageRef] = []
    for topic, found_near in zip_longest(call.args.topics, near[: len(call.args.topics)], fillvalue=None):
        if topic is None:
            break
        hits = library.index.search(topic.queries, HITS, found_near or (), fusion)
        found += [_ref(library.document, hit.passage) for hit in hits]
    return _result(found)


def _by_index(library: Library, call: ToolCall) -> ToolResult:
    found: list[PassageRef] = []
    absent: list[str] = []
    kinds = ((PassageKind.ARTICLE, call.args.article_numbers), (PassageKind.EXHIBIT, call.args.exhibit_numbers))
    for kind, numbers in kinds:
        for number in numbers:
            passages = passages_numbered(library.document, kind, number)
            if not passages and kind is PassageKind.ARTICLE:  # a document without articles has numbered paragraphs
                passages = passages_numbered(library.document, PassageKind.PARAGRAPH, number)
                passages = passages if outline(library.document) == library.document.passages else ()
            found += [_ref(library.document, passage) for passage in passages]
            absent += [] if passages else [number]
    return _result(found, f"not in the document: {', '.join(absent)}" if absent else "")


def _by_title(library: Library, call: ToolCall) -> ToolResult:
    found: list[PassageRef] = []
    for title in call.args.titles:
        ranked = sorted(
            (
                (_shared(title, passage.title), -place, passage)
                for place, passage in enumerate(library.document.passages)
            ),
            key=lambda one: one[:2],
            reverse=True,
        )
        found += [_ref(library.document, passage) for score, _, passage in ranked[:2] if score >= _TITLE_FITS]
    return _result(found)


def _standard(library: Library, call: ToolCall) -> ToolResult:
    form = library.form
    if form is None:
        return ToolResult(note="no standard form of this sort")
    args = call.args
    own = [
        passage
        for number in args.user_article_numbers
        for passage in passages_numbered(library.document, PassageKind.ARTICLE, number)
    ]
    if args.topic:
        own += [hit.passage for hit in library.index.search((args.topic,), limit=2)]
    whole = not own and not args.topic and not args.user_article_numbers
    if whole:
        own = [passage for passage in outline(library.document) if passage.title]
    pairs = match(tuple(dict.fromkeys(own)), form.document).matches
    if whole:  # those that can be compared best, whatever stands first
        pairs = tuple(sorted((one for one in pairs if one.standard), key=lambda one: -one.likeness))
    found: list[PassageRef] = []
    for pair in pairs[:PAIRS]:
        found.append(_ref(library.document, pair.passage))
        found += [_ref(form.document, pair.standard)] if pair.standard else []
    if args.topic:
        found += [_ref(form.document, hit.passage) for hit in form.search((args.topic,), limit=2)]
    return _result(found, form.document.title)


def _ref(document: AgreementDocument, passage: Passage) -> PassageRef:
    return PassageRef(document_id=document.id, passage_id=passage.id)


def _result(found: Sequence[PassageRef], note: str = "") -> ToolResult:
    read = tuple(dict.fromkeys(found))
    told = f"{len(read)} passages" if read else "nothing"
    return ToolResult(read=read, note=f"{told}; {note}" if note else told)


def _shared(wanted: str, title: str) -> float:
    """Return how much of the wanted words a title has, 0 to 1."""
    units_wanted = set(units_of(wanted))
    return len(units_wanted & set(units_of(title))) / len(units_wanted) if units_wanted else 0.0


def match(passages: Sequence[Passage], standard: AgreementDocument) -> Comparison:
    """Match passages of a user's contract with a form."""
    formed = standard.passages
    likeness = _likeness([_Compared(passage) for passage in passages], [_Compared(passage) for passage in formed])
    best: dict[int, tuple[float, int]] = {}
    for (user, form), value in likeness.items():
        best[user] = max((value, -form), best.get(user, (0.0, 0)))
    matches = []
    for index, passage in enumerate(passages):
        value, at = best.get(index, (0.0, 0))
        found = formed[-at] if value >= ENOUGH else None
        matches.append(Match(passage=passage, standard=found, likeness=round(value, 3)))
    like = {at for (_, at), value in likeness.items() if value >= ENOUGH}
    missing = tuple(passage for at, passage in enumerate(formed) if at not in like)
    return Comparison(standard=standard, matches=tuple(matches), missing=missing)


def _likeness(users: Sequence[_Compared], forms: Sequence[_Compared]) -> Mapping[tuple[int, int], float]:
    """Return how alike the passages are that have any word in common, by the indexes of both."""
    forward, backward = _shares(users, forms), _shares(forms, users)
    return {
        (user, form): _with_titles(math.sqrt(share * backward.get((form, user), 0.0)), users[user], forms[form])
        for (user, form), share in forward.items()
    }


def _shares(asked: Sequence[_Compared], texts: Sequence[_Compared]) -> dict[tuple[int, int], float]:
    """Return the share of the highest possible score that each text has for each asked one."""
    index = Bm25([one.counts for one in texts])
    found = {}
    for at, one in enumerate(asked):
        highest = index.highest(one.counts) or 1.0
        for text, score in index.scores(dict.fromkeys(one.counts, 1.0)).items():
            found[at, text] = min(1.0, score / highest)
    return found


def _with_titles(content: float, user: _Compared, form: _Compared) -> float:
    if content < _LIFTED or not user.title or not form.title:
        return content
    common = 2 * len(user.title & form.title) / (len(user.title) + len(form.title))
    return (content + common) / 2


def closest(passages: Sequence[Passage], standards: Iterable[AgreementDocument]) -> AgreementDocument | None:
    """Return the form of the contract's sort, by the words of both; None if none is.

    Of forms whose titles differ in brackets only, the first one is for contracts that do not say what stands there.
    """
    forms = tuple(standards)
    own = "\n".join(_text(passage) for passage in passages[:_SAMPLE] if not passage.id.startswith("contents-"))
    rarity = _rarity(forms)
    asked = _weighted(own, rarity)
    likeness = {index: _cosine(asked, _weighted(_whole(form), rarity)) for index, form in enumerate(forms)}
    best = max(likeness, key=lambda index: likeness[index], default=None)
    # No form is about secrecy, but that of data supply reads alike.
    on_secrecy = 2 * sum(bool(_SECRECY.search(_text(one))) for one in passages) > len(passages)
    if best is None or likeness[best] < _RELATED or on_secrecy:
        return None
    base = forms[best].title.partition("(")[0]
    family = [index for index, form in enumerate(forms) if form.title.partition("(")[0] == base]
    named = [index for index in family[1:] if _says(own, forms[index].title, 1 if index == best else 2)]
    return forms[max(named, key=lambda index: likeness[index], default=family[0])]


def _says(text: str, title: str, times: int) -> bool:
    """Return whether a text says so often what stands in the brackets of a title, as 미성년 for 미성년자."""
    sorts = (word[:2] for word in re.findall(r"\w+", title.partition("(")[2]))
    return any(text.count(sort) >= times for sort in sorts)


def _text(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}"


def _whole(document: AgreementDocument) -> str:
    return "\n".join(map(_text, document.passages))


def _rarity(forms: Sequence[AgreementDocument]) -> Callable[[str], float]:
    passages = [passage for form in forms for passage in form.passages]
    spread = Counter(unit for passage in passages for unit in set(units_of(_text(passage))))
    return lambda unit: math.log((len(passages) + 1) / (spread[unit] + 0.5))


def _weighted(text: str, rarity: Callable[[str], float]) -> dict[str, float]:
    return {unit: (1 + math.log(count)) * rarity(unit) for unit, count in Counter(units_of(text)).items()}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    product = sum(weight * other.get(unit, 0.0) for unit, weight in one.items())
    size = math.hypot(*one.values()) * math.hypot(*other.values())
    return product / size if size else 0.0
