"""Between domain models and documents.

A document is its model's JSON with `schema_version`, but for the top-level times: they stay times, because retention
(Firestore's TTL) and ordering work on them.
"""

from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue

from shared.domain.conversation import Message
from shared.ports.document_database import Data, Document

M = TypeVar("M", bound=BaseModel)


def to_document(model: BaseModel) -> Data:
    """Return a model's fields for storing."""
    data: Data = model.model_dump(mode="json", by_alias=True)
    times = {name: value for name, value in model if isinstance(value, datetime)}
    return {**data, **times}


def from_document(model: type[M], document: Document, *, without: tuple[str, ...] = ()) -> M:
    """Read a model back; `without` names fields that only the document has."""
    return model.model_validate({name: value for name, value in document.data.items() if name not in without})


def message_document(entry: Message, position: int, expire_at: datetime) -> Data:
    """Return a message with its place in the history and its retention."""
    return {**to_document(entry), "position": position, "expire_at": expire_at}


def to_json(value: Any) -> JsonValue:
    """Return stored fields as JSON, times in ISO 8601."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    plain: JsonValue = value
    return plain
