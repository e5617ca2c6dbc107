"""A document that a user uploaded, and how its passages are stored."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from pydantic import Field

from shared.domain.agreement.document import AgreementDocument, Passage
from shared.domain.conversation import RETENTION
from shared.domain.errors import FileTooLong
from shared.domain.ids import UserId
from shared.locale import Locale
from shared.model import Model

CHUNK_BYTES = 200_000
"""Text of one stored chunk, if it has several passages. A Firestore document may have 1 MiB, and the longest passage is
the longest text of a file: 200,000 characters, 800,000 bytes at most."""
SERVICE = "service"
"""Id of the shipped counselling agreement, which no upload has."""
MOST_BYTES = 2 * 1024 * 1024
MOST_CHARACTERS = 200_000
"""About 150 printed pages of Korean."""
MOST_PAGES = 300
MOST_TITLE = 100
MOST_PASSAGES = 3000
"""A contract has dozens; the limit is for a file of countless short lines."""
_HANGUL, _LATIN = re.compile("[가-힣]"), re.compile("[A-Za-z]")
_DIGITS = 16


class UploadedDocument(Model):
    """What is known of an upload. Document: `documents/{document_id}`, with its passages in `chunks`.

    Attributes:
        file_name: As the user's device names it.
        kind: What the file was by its content: `docx`, `pdf`, `txt`, `md`.
        size: Of the file, bytes; the file itself is not stored.
        version: A digest of the text.
        embedder: Model and dimension of its passages' vectors; None if there are none, or not all.
    """

    document_id: str
    user_id: UserId
    title: str
    file_name: str
    kind: str
    size: int = Field(ge=0)
    locale: Locale
    version: str
    passages: int = Field(ge=0)
    chunks: int = Field(ge=0)
    embedder: str | None = None
    created_at: datetime
    expire_at: datetime = Field(default_factory=lambda upload: upload["created_at"] + RETENTION)


class PassageChunk(Model):
    """Passages of an upload, in order. Document: `documents/{document_id}/chunks/{position}`."""

    position: int = Field(ge=0)
    passages: tuple[Passage, ...]
    expire_at: datetime


class PassageVector(Model):
    """That a passage has a vector, which stands beside it. Document: `documents/{document_id}/vectors/{passage_id}`."""

    passage_id: str
    expire_at: datetime


def too_long() -> FileTooLong:
    """Return the error of a file with too much text."""
    return FileTooLong(MOST_CHARACTERS, MOST_PAGES, MOST_PASSAGES)


def version_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def locale_of_text(text: str) -> Locale:
    """Return the language of a text: Korean, unless Latin letters outnumber Hangul by far."""
    return Locale.EN if len(_LATIN.findall(text)) > 5 * len(_HANGUL.findall(text)) else Locale.KO


def chunks_of(passages: Iterable[Passage], expire_at: datetime) -> tuple[PassageChunk, ...]:
    """Divide passages into chunks that a database can hold."""
    divided = enumerate(_divided(passages))
    return tuple(PassageChunk(position=position, passages=some, expire_at=expire_at) for position, some in divided)


def whole(upload: UploadedDocument, chunks: Iterable[PassageChunk]) -> AgreementDocument:
    ordered = sorted(chunks, key=lambda chunk: chunk.position)
    return AgreementDocument(
        id=upload.document_id,
        version=upload.version,
        title=upload.title,
        locale=upload.locale,
        embedder=upload.embedder,
        passages=tuple(passage for chunk in ordered for passage in chunk.passages),
    )


def _divided(passages: Iterable[Passage]) -> Iterator[tuple[Passage, ...]]:
    some: list[Passage] = []
    size = 0
    for passage in passages:
        own = len(passage.model_dump_json().encode())
        if some and size + own > CHUNK_BYTES:
            yield tuple(some)
            some, size = [], 0
        some.append(passage)
        size += own
    if some:
        yield tuple(some)
