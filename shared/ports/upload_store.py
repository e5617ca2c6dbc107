"""Port of the documents that users uploaded."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.upload import PassageChunk, UploadedDocument
from shared.domain.erasure import Erasure
from shared.domain.ids import UserId
from shared.domain.records import AuditEntry
from shared.domain.user_document import UserDocument
from shared.ports.user_store import VersionedUser


class UploadStore(Protocol):
    """Uploaded documents with their passages.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def add_upload(
        self,
        upload: UploadedDocument,
        chunks: Sequence[PassageChunk],
        user: VersionedUser[UserDocument],
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Write an upload in one commit with its user's document, so that it is counted and erased with the user.

        Raises:
            VersionConflict: The user's document was changed or erased; nothing was written.
        """
        ...

    async def upload(self, document_id: str) -> UploadedDocument | None:
        """Return an upload without its passages."""
        ...

    async def uploaded(self, upload: UploadedDocument) -> AgreementDocument | None:
        """Return an upload with its passages; None if it was deleted since."""
        ...

    async def uploads_of(self, user_id: UserId) -> list[UploadedDocument]:
        """Return a user's uploads, newest first; unreadable ones are skipped."""
        ...

    async def hide_upload(self, erasure: Erasure, upload: UploadedDocument) -> None:
        """Hide an upload and delete its passages, but not its vectors; raises `DocumentExists` if it is hidden."""
        ...

    async def erase_upload(self, document_id: str) -> None:
        """Delete an upload with all below it, readable or not; safe to repeat."""
        ...
