"""What the Firestore emulator posts about a document, and what Eventarc would have sent instead.

Measured on the emulator: a binary CloudEvent that calls its body `application/protobuf` and sends base64 text of it;
`ce-source` has `projects/` twice; `ce-datacontenttype` stands beside `Content-Type`; a path beyond ASCII is UTF-8 read
as Latin-1 in the words of RFC 2047. The protobuf itself is right, so the attributes are made anew from its name.
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
    """It is no event that the emulator could have sent for a trigger of ours; says why."""


@dataclass(frozen=True)
class Received:
    """An event as it is kept until it is delivered.

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
        """Read the emulator's request.

        Args:
            trigger_id: The trigger it was posted to.
            headers: By lower-case name.
            body: Base64 of a `DocumentEventData`.

        Raises:
            NotAnEvent: Something is missing or cannot be read.
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
        """Of the delivery: one event may concern several triggers."""
        return f"{self.event_id}:{self.trigger_id}"

    def headers(self) -> dict[str, str]:
        """Return the headers as Eventarc sends them, but for the bearer token."""
        name = DocumentName.parse(self.name)
        return Announcement(self.event_id, name, self.time, self.location).headers()

    def body(self) -> bytes:
        """Return the protobuf as it is."""
        return base64.b64decode(self.data)

    def to_json(self) -> str:
        """Encode for the backlog."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Received":
        """Decode what `to_json` wrote."""
        return cls(**json.loads(text))


def announced(trigger_id: str, name: str, created: str) -> Received:
    """Return the event of a document that exists, whose own event nobody may have taken.

    Args:
        trigger_id: The trigger it is for.
        name: Resource name of the document.
        created: When, in RFC 3339.
    """
    data = base64.b64encode(named(DocumentName.parse(name))).decode()
    return Received(trigger_id, f"missed-{name}", name, created, "", data)
