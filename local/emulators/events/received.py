"""Converts the Firestore emulator's posts to the events that Eventarc would send.

As measured, the emulator sends a binary CloudEvent with content type `application/protobuf` and base64 of it as body;
`ce-source` has `projects/` twice; `ce-datacontenttype` and `Content-Type` are both present; a non-ASCII path is UTF-8
read as Latin-1 in RFC 2047 words. The protobuf itself is correct, so the attributes are rebuilt from its name.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from google.events.cloud.firestore import DocumentEventData
from google.protobuf.message import DecodeError

from local.eventarc import Announcement, DocumentName, named
from shared.contracts.triggers import CREATED
from shared.observability.traces import OwnWords


class NotAnEvent(OwnWords):
    """It is no event of the emulator for one of our triggers; the message says why."""


@dataclass(frozen=True)
class Received:
    """A stored event.

    Attributes:
        name: Resource name of the document.
        data: Base64 of the protobuf.
    """

    trigger_id: str
    event_id: str
    name: str
    time: str
    location: str
    data: str

    @classmethod
    def read(cls, trigger_id: str, headers: Mapping[str, str], body: bytes) -> "Received":
        """Parse the emulator's request.

        Args:
            trigger_id: The trigger it was posted to.
            headers: Headers by lower-case name.
            body: Base64 of a `DocumentEventData`.

        Raises:
            NotAnEvent: Something is missing or unreadable.
        """
        missing = [name for name in ("ce-id", "ce-type", "ce-time") if not headers.get(name)]
        if missing:
            raise NotAnEvent(f"without {', '.join(missing)}")
        if headers["ce-type"] != CREATED:
            raise NotAnEvent(f"of another type than {CREATED}")
        try:
            message = DocumentEventData.deserialize(base64.b64decode(body, validate=True))
            name = DocumentName.parse(message.value.name)
        except (ValueError, DecodeError) as error:
            raise NotAnEvent(f"its body is no base64 of a document's event ({type(error).__name__})") from None
        return cls(
            trigger_id=trigger_id,
            event_id=headers["ce-id"],
            name=str(name),
            time=headers["ce-time"],
            location=headers.get("ce-location", ""),
            data=body.decode("ascii"),
        )

    @property
    def key(self) -> str:
        """Id of the delivery: one event may concern several triggers."""
        return f"{self.event_id}:{self.trigger_id}"

    def headers(self) -> dict[str, str]:
        """Return Eventarc's headers, without the bearer token."""
        name = DocumentName.parse(self.name)
        return Announcement(self.event_id, name, self.time, self.location).headers()

    def body(self) -> bytes:
        """Return the protobuf."""
        return base64.b64decode(self.data)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Received":
        return cls(**json.loads(text))


def announced(trigger_id: str, name: str, created: str) -> Received:
    """Return the event of an existing document whose own event may be lost.

    Args:
        trigger_id: The trigger.
        name: Resource name of the document.
        created: Time of its creation, in RFC 3339.
    """
    data = base64.b64encode(named(DocumentName.parse(name))).decode()
    return Received(trigger_id, f"missed-{name}", name, created, "", data)
