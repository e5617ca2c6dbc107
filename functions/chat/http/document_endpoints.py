"""The endpoints of users' own documents."""

from functions.chat.http import documents
from functions.chat.http.api import ChatApi
from shared.contracts.documents import DocumentQuery, DocumentView, MyDocuments, PassageView, UploadForm
from shared.contracts.retrieval import ErasureAccepted
from shared.domain.errors import (
    FILE_PROBLEMS,
    ConsentRequired,
    DocumentLimitReached,
    GuardianRequired,
    Overloaded,
    TooManyRequests,
    UploadsUsedUp,
)
from shared.web.endpoint import Endpoint, Operation

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
        documents.upload,
    ),
    Operation(
        Endpoint("GET", ALL, "list_documents", "List the caller's documents, the newest first", response=MyDocuments),
        documents.mine,
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
        documents.get,
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
        documents.passage,
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
        documents.delete,
    ),
)
