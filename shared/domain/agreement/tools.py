"""The five tools, as pure functions over a document, its index and the standard forms."""

from collections.abc import Sequence
from functools import cached_property
from itertools import zip_longest

from shared.domain.agreement.document import AgreementDocument, Passage, PassageKind
from shared.domain.agreement.matching import closest, match
from shared.domain.agreement.numbers import passages_numbered
from shared.domain.agreement.search import Fusion, Index, Near
from shared.domain.agreement.tokens import units_of
from shared.domain.agreement.tool_calls import ToolCall, ToolName
from shared.model import Model

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
