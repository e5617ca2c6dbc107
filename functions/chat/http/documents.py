"""Handlers of users' own documents."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import PATH_PATTERNS, ChatApi, caller_of
from functions.chat.http.rights import erased
from functions.chat.use_cases.documents import UploadedFile
from functions.chat.use_cases.retrieval import passage_view, summary_view, upload_view
from shared.contracts.documents import DocumentQuery, DocumentView, MyDocuments, PassageHead
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.upload import MOST_BYTES, UploadedDocument
from shared.domain.errors import NotFound
from shared.locale import Locale
from shared.web.answers import answer
from shared.web.negotiation import locale_of
from shared.web.requests import path_id, read_query
from shared.web.uploads import read_file


async def upload_document(api: ChatApi, request: Request) -> Response:
    """Upload an agreement to ask about; its text is kept, and the file is not.

    Limits and consents are checked before the file is received.
    """
    caller = await caller_of(api, request)
    await api.documents.admit(caller)
    sent = await read_file(request, MOST_BYTES)
    document, kept = await api.documents.upload(caller, UploadedFile(sent.data, sent.file_name, sent.title))
    return answer(_view(document, kept), 201, {"Location": f"/api/documents/{kept.document_id}"})


async def list_documents(api: ChatApi, request: Request) -> Response:
    """List the caller's documents, the newest first."""
    caller = await caller_of(api, request)
    found = await api.documents.mine(caller)
    return answer(MyDocuments(documents=tuple(map(summary_view, found)), limit=api.documents.most))


async def get_document(api: ChatApi, request: Request) -> Response:
    """Show a document with its articles; `service` is the service's own agreement."""
    document, kept = await _read(api, request)
    return answer(_view(document, kept))


async def get_passage(api: ChatApi, request: Request) -> Response:
    """Show the text of an article or another passage."""
    document, _ = await _read(api, request)
    found = document.passage(path_id(request, "passage_id", PATH_PATTERNS["passage_id"]))
    if found is None:
        raise NotFound("passage")
    return answer(passage_view(found))


async def delete_document(api: ChatApi, request: Request) -> Response:
    """Delete a document of the caller's; 202 where it is hidden and the rest takes longer."""
    caller = await caller_of(api, request)
    return erased(whole=await api.erasure_requests.document(caller, _document_of(request)))


async def _read(api: ChatApi, request: Request) -> tuple[AgreementDocument, UploadedDocument | None]:
    caller = await caller_of(api, request)
    asked = read_query(request, DocumentQuery).locale
    return await api.documents.read(caller, _document_of(request), Locale(asked) if asked else locale_of(request))


def _document_of(request: Request) -> str:
    return path_id(request, "document_id", PATH_PATTERNS["document_id"])


def _view(document: AgreementDocument, kept: UploadedDocument | None) -> DocumentView:
    return DocumentView(
        document_id=document.id,
        title=document.title,
        locale=document.locale.value,
        version=document.version,
        upload=upload_view(kept) if kept else None,
        passages=len(document.passages),
        articles=tuple(PassageHead.model_validate(one.model_dump(exclude={"text"})) for one in document.passages),
    )
