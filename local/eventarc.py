"""Events of created documents in Eventarc's format: attributes in headers, the document in protobuf."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from shared.contracts.triggers import CREATED

DATABASE = "(default)"
NAMESPACE = "(default)"
SCHEMA = "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto"
# header values are printable ASCII without space, quote and percent:
# https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#3132-http-header-values
_HEADER_SAFE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"%')
_NAME = re.compile(r"projects/([^/]+)/databases/([^/]+)/documents/(.+)", re.DOTALL)


@dataclass(frozen=True)
class DocumentName:
    """Resource name of a document."""

    project: str
    database: str
    path: str

    @classmethod
    def parse(cls, name: str) -> "DocumentName":
        """Parse a resource name.

        Raises:
            ValueError: It is none.
        """
        match = _NAME.fullmatch(name)
        if match is None:
            raise ValueError("this is no document's resource name")
        return cls(*match.groups())

    def __str__(self) -> str:
        return f"projects/{self.project}/databases/{self.database}/documents/{self.path}"


@dataclass(frozen=True)
class Announcement:
    """The event of a created document.

    Attributes:
        event_id: The same in every delivery of the event.
        time: RFC 3339, UTC.
        location: The region of the database.
    """

    event_id: str
    document: DocumentName
    time: str
    location: str

    def headers(self) -> dict[str, str]:
        """Return the headers of the binary content mode, without the bearer token."""
        name = self.document
        return {
            "content-type": "application/protobuf",
            "ce-specversion": "1.0",
            "ce-id": _header(self.event_id),
            "ce-type": CREATED,
            "ce-source": f"//firestore.googleapis.com/projects/{name.project}/databases/{name.database}",
            "ce-subject": _header(f"documents/{name.path}"),
            "ce-time": self.time,
            "ce-dataschema": SCHEMA,
            "ce-location": self.location,
            "ce-project": name.project,
            "ce-database": name.database,
            "ce-namespace": NAMESPACE,
            "ce-document": _header(name.path),
        }


def named(document: DocumentName) -> bytes:
    """Return a body with the document's name only: handlers read the document from the store."""
    # Imported at the first event, since protobuf takes 18 ms to import.
    from google.events.cloud.firestore import DocumentEventData  # noqa: PLC0415

    body: bytes = DocumentEventData.serialize(DocumentEventData(value={"name": str(document)}))
    return body


def _header(value: str) -> str:
    return quote(value, safe=_HEADER_SAFE)
