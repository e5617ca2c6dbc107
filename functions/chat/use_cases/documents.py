"""Users' own documents: uploaded, read and listed; and the service's agreement, which everyone may read."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from pathlib import PurePath
from typing import TYPE_CHECKING

from functions.chat.use_cases.user_documents import update_user_document
from shared.content.schemas.consents import ConsentFile, Operator
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.upload import (
    MOST_PASSAGES,
    MOST_TITLE,
    SERVICE,
    PassageChunk,
    UploadedDocument,
    chunks_of,
    locale_of_text,
    too_long,
    version_of,
)
from shared.domain.consents import lacking
from shared.domain.counseling.profile import Profile, uploaded
from shared.domain.counseling.session import Session
from shared.domain.errors import ConsentRequired, DocumentLimitReached, GuardianRequired, NotFound, UploadsUsedUp
from shared.domain.ids import UserId
from shared.domain.records import AuditEntry
from shared.domain.usage import end_of_day, service_day
from shared.engine.capacity import Capacity
from shared.engine.read_limits import ReadLimits
from shared.locale import Locale
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.document_source import Named
from shared.ports.file_reader import FileReader, FileText
from shared.ports.identity import Caller
from shared.ports.user_store import VersionedUser
from shared.visible_text import visible

if TYPE_CHECKING:
    from shared.content.agreements import Agreements

KEPT = "document_kept"
"""Action in the audit trail."""
MOST_KEPT = 5
MOST_A_DAY = 20
TRIES_A_MINUTE = 10
"""Files that one user may send to one instance, the refused ones included: reading them takes CPU time."""
MOST_WAITING = 8
"""Files that are read, or wait to be read, at one instance; one of each user."""
MOST_NAME = 200
_UNNAMED = {Locale.KO: "문서", Locale.EN: "Document"}


@dataclass(frozen=True)
class UploadedFile:
    """A file as it was sent.

    Attributes:
        title: How the user calls it, or "".
    """

    data: bytes
    file_name: str
    title: str = ""


@dataclass(frozen=True)
class Documents:
    """Keeps users' documents; a `DocumentSource` for the flows.

    Attributes:
        agreements: Returns the shipped agreements; called when one is first read.
        tries: Limits how fast one user sends files.
        operator: The operator named in the service's agreement.
        most: Documents that one user may keep.
        per_day: Documents that one user may upload in a service day.
        places: Limits the files that are read here at a time.
    """

    store: ConversationStore[Session]
    reader: FileReader
    clock: Clock
    ids: IdSource
    consents: ConsentFile
    agreements: Callable[[], "Agreements"]
    tries: ReadLimits
    operator: Operator | None = None
    most: int = MOST_KEPT
    per_day: int = MOST_A_DAY
    places: Capacity = field(default_factory=lambda: Capacity(MOST_WAITING, share=1))

    async def get(self, document_id: str, user_id: UserId, locale: Locale = Locale.KO) -> AgreementDocument | None:
        """See `DocumentSource`."""
        if document_id == SERVICE:
            return await asyncio.to_thread(self._service, locale)
        kept = await self.store.upload(document_id)
        return await self.store.uploaded(kept) if kept is not None and kept.user_id == user_id else None

    async def own(self, user_id: UserId) -> list[Named]:
        """See `DocumentSource`."""
        return [Named(kept.document_id, kept.title) for kept in await self.store.uploads_of(user_id)]

    async def read(
        self, caller: Caller, document_id: str, locale: Locale
    ) -> tuple[AgreementDocument, UploadedDocument | None]:
        """Return a document, and what is known of its upload; None for the service's agreement.

        Raises:
            NotFound: It does not exist or belongs to another user.
        """
        kept = None if document_id == SERVICE else await self.store.upload(document_id)
        if document_id != SERVICE and (kept is None or kept.user_id != caller.user_id):
            raise NotFound("document")
        found = await (self.get(document_id, caller.user_id, locale) if kept is None else self.store.uploaded(kept))
        if found is None:
            raise NotFound("document")
        return found, kept

    async def mine(self, caller: Caller) -> list[UploadedDocument]:
        """Return the caller's documents, newest first."""
        return await self.store.uploads_of(caller.user_id)

    async def admit(self, caller: Caller) -> None:
        """Check whether the caller may upload, before their file is received.

        Raises:
            TooManyRequests, ConsentRequired, GuardianRequired, DocumentLimitReached, UploadsUsedUp: They may not.
        """
        self.tries.take(caller.user_id)
        found = await self.store.user(caller.user_id, Profile)
        await self._admitted(caller, found, self.clock.now())

    async def upload(self, caller: Caller, file: UploadedFile) -> tuple[AgreementDocument, UploadedDocument]:
        """Read a file and keep its text; the file itself is not kept.

        It is written in one commit with the profile, so that parallel uploads keep the limits, nothing is stored after
        a withdrawal of consent, and an erasure of everything finds it.

        Raises:
            FileRefused: The file cannot be taken.
            Overloaded: Too many files are being read here, or the machine was too slow for this one.
            TooManyRequests: Another file of the caller's is being read here.
            ConsentRequired, GuardianRequired, DocumentLimitReached, UploadsUsedUp: See `admit`.
            StoreUnavailable: The store does not answer. Nothing is stored in any of these cases.
        """
        with self.places.place(caller.user_id):
            text = await self.reader.read(file.data, file.file_name)
            document = await asyncio.to_thread(_parsed, self.ids.new_id(), file, text)

        async def attempt(found: VersionedUser[Profile] | None) -> UploadedDocument:
            now = self.clock.now()
            profile, uploads = await self._admitted(caller, found, now)
            kept, chunks = _stored(document, caller.user_id, file, text.kind, now)
            changed = VersionedUser(uploaded(profile.document, uploads, now), profile.version)
            await self.store.add_upload(kept, chunks, changed, [self._line(now)])
            return kept

        return document, await update_user_document(self.store, caller.user_id, attempt)

    def _service(self, locale: Locale) -> AgreementDocument:
        return self.agreements().service(locale, self.consents.operator(locale, self.operator))

    async def _admitted(
        self, caller: Caller, found: VersionedUser[Profile] | None, now: datetime
    ) -> tuple[VersionedUser[Profile], Sequence[datetime]]:
        """Return the profile and the times of the day's uploads of a caller who may upload; errors as in `admit`."""
        missing = lacking(found.document.consents if found else {}, self.consents.required)
        if found is None or missing:
            raise ConsentRequired(missing, self.consents.versions)
        if found.document.under_14:
            raise GuardianRequired("under 14, as they stated in a talk")
        today = service_day(now)
        uploads = [at for at in found.document.uploads if service_day(at) == today]
        if len(uploads) >= self.per_day:
            raise UploadsUsedUp(ceil((end_of_day(today) - now).total_seconds()))
        if len(await self.mine(caller)) >= self.most:
            raise DocumentLimitReached(self.most)
        return found, uploads

    def _line(self, at: datetime) -> AuditEntry:
        return AuditEntry(audit_id=self.ids.new_id(), at=at, conversation_id="", rule="document", level="", action=KEPT)


def _parsed(document_id: str, file: UploadedFile, text: FileText) -> AgreementDocument:
    # The parser's patterns take a moment to load, which a cold start need not wait for.
    from shared.domain.agreement.parsing import parse  # noqa: PLC0415

    locale = locale_of_text(text.text)
    title = _line_of(file.title or PurePath(_base_name(file.file_name)).stem, MOST_TITLE) or _UNNAMED[locale]
    document = parse(text.text, id=document_id, version=version_of(text.text), title=title, locale=locale)
    if len(document.passages) > MOST_PASSAGES:
        raise too_long()
    return document


def _stored(
    document: AgreementDocument, user_id: UserId, file: UploadedFile, kind: str, now: datetime
) -> tuple[UploadedDocument, tuple[PassageChunk, ...]]:
    kept = UploadedDocument(
        document_id=document.id,
        user_id=user_id,
        title=document.title,
        file_name=_line_of(_base_name(file.file_name), MOST_NAME),
        kind=kind,
        size=len(file.data),
        locale=document.locale,
        version=document.version,
        passages=len(document.passages),
        chunks=0,
        created_at=now,
    )
    chunks = chunks_of(document.passages, kept.expire_at)
    return kept.model_copy(update={"chunks": len(chunks)}), chunks


def _base_name(file_name: str) -> str:
    """Return the name without folders, which some clients send along."""
    return file_name.replace("\\", "/").rpartition("/")[2]


def _line_of(text: str, most: int) -> str:
    return " ".join(visible(text).split())[:most].strip()
