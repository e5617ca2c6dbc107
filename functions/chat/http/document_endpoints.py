"""The endpoints of users' own documents."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import PATH_PATTERNS, ChatApi, caller_of
from functions.chat.http.rights import erased
from functions.chat.use_cases.documents import UploadedFile
from functions.chat.use_cases.retrieval import passage_view, summary_view, upload_view
from shared.contracts.documents import DocumentQuery, DocumentView, MyDocuments, PassageHead, PassageView, UploadForm
from shared.contracts.retrieval import ErasureAccepted
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.upload import MOST_BYTES, UploadedDocument
from shared.domain.errors import (
    FILE_PROBLEMS,
    ConsentRequired,
    DocumentLimitReached,
    GuardianRequired,
    NotFound,
    Overloaded,
    TooManyRequests,
    UploadsUsedUp,
)
from shared.locale import Locale
from shared.web.answers import answer
from shared.web.endpoint import Endpoint, Operation
from shared.web.negotiation import locale_of
from shared.web.requests import path_id, read_query
from shared.web.uploads import read_file


async def upload(api: ChatApi, request: Request) -> Response:
    """Keep a file's text; limits and consents are checked before the file is received."""
    caller = await caller_of(api, request)
    await api.documents.admit(caller)
    sent = await read_file(request, MOST_BYTES)
    document, kept = await api.documents.upload(caller, UploadedFile(sent.data, sent.file_name, sent.title))
    return answer(_view(document, kept), 201, {"Location": f"/api/documents/{kept.document_id}"})


async def mine(api: ChatApi, request: Request) -> Response:
    """List the caller's documents."""
    caller = await caller_of(api, request)
    found = await api.documents.mine(caller)
    return answer(MyDocuments(documents=tuple(map(summary_view, found)), limit=api.documents.most))


async def get(api: ChatApi, request: Request) -> Response:
    """Show a document with its articles."""
    document, kept = await _read(api, request)
    return answer(_view(document, kept))


async def passage(api: ChatApi, request: Request) -> Response:
    """Show one passage with its text."""
    document, _ = await _read(api, request)
    found = document.passage(path_id(request, "passage_id", PATH_PATTERNS["passage_id"]))
    if found is None:
        raise NotFound("passage")
    return answer(passage_view(found))


async def delete(api: ChatApi, request: Request) -> Response:
    """Delete a document of the caller's."""
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


ALL = "/api/documents"
ONE = "/api/documents/{document_id}"

OPERATIONS: tuple[Operation[ChatApi], ...] = (
    Operation(
        Endpoint(
            "POST",
            ALL,
            "upload_document",
            "Upload an agreement to ask about; its text is kept, and the file is not",
            form=UploadForm,
            response=DocumentView,
            status=201,
            errors=(
                *FILE_PROBLEMS,
                ConsentRequired,
                GuardianRequired,
                DocumentLimitReached,
                UploadsUsedUp,
                TooManyRequests,
                Overloaded,
            ),
        ),
        upload,
    ),
    Operation(
        Endpoint("GET", ALL, "list_documents", "List the caller's documents, the newest first", response=MyDocuments),
        mine,
    ),
    Operation(
        Endpoint(
            "GET",
            ONE,
            "get_document",
            "Show a document with its articles; `service` is the service's own agreement",
            query=DocumentQuery,
            response=DocumentView,
        ),
        get,
    ),
    Operation(
        Endpoint(
            "GET",
            f"{ONE}/passages/{{passage_id}}",
            "get_passage",
            "Show the text of an article or another passage",
            query=DocumentQuery,
            response=PassageView,
        ),
        passage,
    ),
    Operation(
        Endpoint(
            "DELETE",
            ONE,
            "delete_document",
            "Delete a document of the caller's; 202 where it is hidden and the rest takes longer",
            status=204,
            also={202: ErasureAccepted},
        ),
        delete,
    ),
)
