"""Answers on agreements on the wire."""

from pydantic import Field

from shared.contracts.wire import Wire

CITATIONS = "citations"
"""The hook of a reply that cites a document."""


class Citation(Wire):
    """A passage that the reply cites; the page opens it."""

    document_id: str
    passage_id: str
    label: str = Field(description="As it stands in square brackets in the reply: 제5조")
    title: str


class Citations(Wire):
    """Data of the hook `citations`, in the order of the reply."""

    citations: tuple[Citation, ...]
