"""`PassageVectors` over a `DocumentDatabase`: a document for each passage below the upload, erased with it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from shared.adapters.documents import paths, writes
from shared.adapters.documents.mapping import from_document
from shared.domain.agreement.upload import PassageVector, UploadedDocument
from shared.domain.errors import VersionConflict
from shared.ports.document_database import DocumentDatabase, Nearest
from shared.ports.document_writes import Put, Vector

FIELD = "embedding"
AT_ONCE = 150
"""Vectors of a commit: about 1 MiB at 768 numbers; a Firestore commit may have 10 MiB and 500 writes."""
_DIGITS = 7
"""Of a number of a vector of length 1; more make no difference to a cosine."""


class DocumentPassageVectors:
    """The vectors of all uploads."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    async def keep_vectors(self, document_id: str, embedder: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """See the port. Each commit needs the version of the upload, so that none comes after its erasure."""
        path = paths.upload(document_id)
        (found,) = await self._database.get([path])
        if found is None:
            raise VersionConflict(path)
        upload, version = from_document(UploadedDocument, found), found.version
        left = list(vectors.items())
        while left:
            batch, left = left[:AT_ONCE], left[AT_ONCE:]
            named = upload.model_copy(update={"embedder": None if left else embedder})
            done = await self._database.commit(
                [
                    writes.replace(path, named, version),
                    *(_put(document_id, passage, vector, upload.expire_at) for passage, vector in batch),
                ]
            )
            version = done[0]

    async def nearest_passages(self, document_id: str, question: Sequence[float], limit: int) -> dict[str, float]:
        """See the port."""
        nearest = Nearest(paths.vectors(document_id), FIELD, Vector(question), limit)
        found = await self._database.nearest(nearest)
        return {document.path.rpartition("/")[2]: near for document, near in found}


def _put(document_id: str, passage_id: str, vector: Sequence[float], expire_at: datetime) -> Put:
    rounded = Vector(round(number, _DIGITS) for number in vector)
    kept = PassageVector(passage_id=passage_id, expire_at=expire_at)
    return writes.put(paths.vector(document_id, passage_id), kept, **{FIELD: rounded})
