"""`UploadStore` over a `DocumentDatabase`."""

from collections.abc import Sequence

from shared.adapters.documents import paths, writes
from shared.adapters.documents.erasures import hiding
from shared.adapters.documents.listing import readable, uploads_of
from shared.adapters.documents.mapping import from_document
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.upload import PassageChunk, UploadedDocument, whole
from shared.domain.erasure import Erasure
from shared.domain.ids import UserId
from shared.domain.records import AuditEntry
from shared.domain.user_document import UserDocument
from shared.ports.document_database import DocumentDatabase
from shared.ports.document_writes import Remove, Write
from shared.ports.user_store import VersionedUser

MOST_LISTED = 100


class DocumentUploads:
    """The part of the store for users' own documents."""

    _database: DocumentDatabase

    async def add_upload(
        self,
        upload: UploadedDocument,
        chunks: Sequence[PassageChunk],
        user: VersionedUser[UserDocument],
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """See the port."""
        name = upload.document_id
        documents: list[Write] = [
            writes.create(paths.upload(name), upload),
            *(writes.create(paths.chunk(name, chunk.position), chunk) for chunk in chunks),
            *(writes.audit(entry) for entry in audit),
            writes.user(user),
        ]
        await self._database.commit(documents)

    async def upload(self, document_id: str) -> UploadedDocument | None:
        """See the port."""
        (found,) = await self._database.get([paths.upload(document_id)])
        return None if found is None else from_document(UploadedDocument, found)

    async def uploaded(self, upload: UploadedDocument) -> AgreementDocument | None:
        """See the port."""
        found = await self._database.get(_chunks(upload))
        chunks = [from_document(PassageChunk, document) for document in found if document is not None]
        return whole(upload, chunks) if len(chunks) == upload.chunks else None

    async def uploads_of(self, user_id: UserId) -> list[UploadedDocument]:
        """See the port."""
        return await readable(self._database, UploadedDocument, uploads_of(user_id, MOST_LISTED))

    async def hide_upload(self, erasure: Erasure, upload: UploadedDocument) -> None:
        """See the port."""
        removed = [Remove(path) for path in (paths.upload(upload.document_id), *_chunks(upload))]
        await self._database.commit([*hiding(erasure), *removed])

    async def erase_upload(self, document_id: str) -> None:
        """See the port."""
        await self._database.remove_tree(paths.upload(document_id))


def _chunks(upload: UploadedDocument) -> list[str]:
    return [paths.chunk(upload.document_id, position) for position in range(upload.chunks)]
