"""Users' own documents on the wire."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from shared.contracts.retrieval import RetrievalQuery
from shared.contracts.wire import Wire

MOST_TITLE = 100


class UploadForm(Wire):
    """A file to upload, as multipart/form-data: .docx, .pdf with text, .txt or .md, 2 MiB at most."""

    file: bytes = Field(json_schema_extra={"format": "binary"}, description="The file, with its name")
    title: str = Field(default="", description="How to call it; by default the file's name")


class DocumentQuery(RetrievalQuery):
    """In which language the service's agreement is shown; by default that of `Accept-Language`."""

    locale: Literal["ko", "en"] | None = None


class PassageHead(Wire):
    """A passage that an answer may cite, without its text."""

    id: str
    kind: Literal["article", "exhibit", "paragraph"]
    number: str = Field(description="As the document writes it: `5`, `5의2`")
    title: str
    heading: str = Field(description="The chapter above it, or empty")


class PassageView(PassageHead):
    """A passage with its text."""

    text: str


class UploadView(Wire):
    """What is known of an uploaded file."""

    file_name: str
    kind: Literal["docx", "pdf", "txt", "md"]
    size: int = Field(description="Bytes")
    created_at: datetime
    expire_at: datetime = Field(description="When it is deleted")


class DocumentSummary(Wire):
    """A document without its passages."""

    document_id: str
    title: str
    locale: Literal["ko", "en"]
    version: str
    upload: UploadView | None = Field(description="null: the service's own agreement")
    passages: int


class DocumentView(DocumentSummary):
    """A document with its articles, in order; their texts are read one by one."""

    articles: tuple[PassageHead, ...]


class MyDocuments(Wire):
    """The caller's documents, the newest first."""

    documents: tuple[DocumentSummary, ...]
    limit: int = Field(description="How many may be kept")


class DocumentExport(Wire):
    """An uploaded document with its text; the vectors that search makes of the text are left out."""

    document_id: str
    title: str
    locale: Literal["ko", "en"]
    version: str
    upload: UploadView
    passages: tuple[PassageView, ...]
