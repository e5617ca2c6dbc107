"""An agreement or contract, divided into the passages that an answer may cite."""

from enum import StrEnum

from pydantic import Field

from shared.locale import Locale
from shared.model import Model


class PassageKind(StrEnum):
    """What a passage is called in its document."""

    ARTICLE = "article"
    """An article: 제N조, 제N조의M, "Article N", or a numbered clause."""
    EXHIBIT = "exhibit"
    """An exhibit: 별지, 별표, "Exhibit N"."""
    PARAGRAPH = "paragraph"
    """A paragraph of a document that has no articles, numbered from 1."""


class Passage(Model):
    """The smallest part that is cited.

    Attributes:
        id: Unique in its document and stable over versions, e.g. `article-5`, `article-5-2` (제5조의2), `exhibit-1`.
        number: As the document writes it, without the word around it: `5`, `5의2`.
        title: Its title, or "" if it has none.
        heading: The chapter or heading above it ("제2장 비밀보장"), or "".
        text: Its whole text, with 항 and 호 on lines of their own.
    """

    id: str = Field(pattern=r"^[a-z]+(-[0-9]+)+$")
    kind: PassageKind
    number: str
    title: str = ""
    heading: str = ""
    text: str


class AgreementDocument(Model):
    """A document with its passages, in their order.

    Attributes:
        id: `service` for the shipped counselling agreement; else the id of the user's document.
        version: Of a shipped document as its consent names it; of an upload a digest of its text.
        embedder: Model and dimension of the stored vectors of its passages; None if none are stored.
    """

    id: str
    version: str
    title: str
    locale: Locale = Locale.KO
    embedder: str | None = None
    passages: tuple[Passage, ...]

    def passage(self, passage_id: str) -> Passage | None:
        return next((passage for passage in self.passages if passage.id == passage_id), None)
