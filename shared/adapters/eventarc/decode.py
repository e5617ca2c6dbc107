"""Decodes the event of a created document from HTTP headers and body.

Eventarc sends binary CloudEvents: attributes in `ce-` headers and a `DocumentEventData` as body, in protobuf or JSON
according to the trigger's `event_data_content_type`. The Firestore emulator declares production's content type but
sends base64 of the protobuf; its `ce-source` has `projects/` twice, and non-ASCII paths are garbled in its headers. So
the body's resource name identifies the document, and the attributes must agree.
https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto
"""

import base64
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from cloudevents.exceptions import GenericException
from cloudevents.http import CloudEvent, from_http
from google.events.cloud.firestore import DocumentEventData
from google.protobuf.json_format import ParseError
from google.protobuf.message import DecodeError

from shared.contracts.triggers import CREATED
from shared.domain.ids import ConversationId
from shared.engine.jobs import CreatedDocument
from shared.observability.traces import OwnWords

log = logging.getLogger(__name__)

PROTOBUF = "application/protobuf"
JSON = "application/json"

_RESOURCE = re.compile(r"projects/([^/]+)/databases/([^/]+)/documents/(.+)", re.DOTALL)
_DOCUMENT = re.compile(r"sessions/([A-Za-z0-9_-]{1,64})/([a-z_]{1,40})/([A-Za-z0-9_-]{1,128})", re.ASCII)
_TAG_OF_VALUE = 0x0A
"""Precedes `value` in every protobuf body that has one, and is no base64 character."""
# The SDK has errors of its own and passes on those of json, base64 and dict.
_NOT_PARSED = (GenericException, ParseError, DecodeError, ValueError, TypeError, AttributeError, RecursionError)


class _NotOurs(OwnWords):
    """The event is of no document that this function handles; the message quotes nothing of it."""


@dataclass(frozen=True)
class CreatedEvents:
    """Decodes events of created documents of one database.

    Attributes:
        project, database: The database. Events of other databases are refused, since the same path there belongs to
            another user.
    """

    project: str
    database: str = "(default)"

    def __call__(self, headers: Mapping[str, str], body: bytes) -> CreatedDocument | None:
        """Return the created document; for anything else log the reason and return None. Never raises.

        Args:
            headers: Headers of the request, in binary or structured content mode.
            body: The raw body.
        """
        try:
            event = _parsed(headers, body)
            return self._document(event, _name(event))
        except _NotOurs as problem:
            log.error("event refused: %s", problem)
            return None

    def _document(self, event: CloudEvent, name: str) -> CreatedDocument:
        resource = _RESOURCE.fullmatch(name)
        if resource is None:
            raise _NotOurs("its body names no document")
        project, database, path = resource.groups()
        if (project, database) != (self.project, self.database):
            raise _NotOurs(f"it is about another database than {self.database} of {self.project}")
        for attribute, prefix in (("document", ""), ("subject", "documents/")):
            told = event.get(attribute)
            # https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#3132-http-header-values
            if told is not None and not (isinstance(told, str) and unquote(told) == prefix + path):
                raise _NotOurs(f"its {attribute} is not the document of its body")
        match = _DOCUMENT.fullmatch(path)
        if match is None:
            raise _NotOurs("it is about no document below a session")
        return CreatedDocument(ConversationId(match[1]), match[2], match[3])


def _parsed(headers: Mapping[str, str], body: bytes) -> CloudEvent:
    try:
        event = from_http(headers, body, data_unmarshaller=lambda data: data)
    except _NOT_PARSED as error:
        raise _NotOurs(f"it is no CloudEvent ({type(error).__name__})") from None
    if event.get("type") != CREATED:
        raise _NotOurs("it is of another type than a document's creation")
    return event


def _name(event: CloudEvent) -> str:
    """Return the resource name of the document in the event's data, or ""."""
    kind = str(event.get("datacontenttype")).partition(";")[0].strip().lower()
    data = event.get_data()
    try:
        if kind == PROTOBUF and isinstance(data, bytes):
            message = DocumentEventData.deserialize(_raw(data))
        elif kind == JSON and isinstance(data, bytes | str):
            message = DocumentEventData.from_json(data, ignore_unknown_fields=True)
        else:
            raise _NotOurs("its data is neither protobuf nor JSON")
    except _NOT_PARSED as error:
        raise _NotOurs(f"its data is no DocumentEventData ({type(error).__name__})") from None
    return str(message.value.name)


def _raw(data: bytes) -> bytes:
    """Return the protobuf, as production sends it or from the emulator's base64.

    Raises:
        ValueError: It is neither.
    """
    return data if _TAG_OF_VALUE in data else base64.b64decode(data, validate=True)
