"""Converts between domain models and documents.

A document is its model's JSON with `schema_version`. Top-level times stay times, for retention (Firestore's TTL) and
ordering.
"""

from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from shared.adapters.documents.kinds import kind_of
from shared.adapters.documents.retention import EXPIRY
from shared.adapters.documents.versions import VERSION
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.ports.document_writes import Data, Document, Value, Vector

M = TypeVar("M", bound=BaseModel)


def to_document(path: str, model: BaseModel, **beside: Value) -> Data:
    """Convert a model for storing at a path.

    Args:
        path: The document's path, which determines its kind.
        model: The model.
        beside: Further fields of the document.

    Raises:
        ValueError: It has no expiry.
    """
    data: Data = model.model_dump(mode="json", by_alias=True)
    times = {name: value for name, value in model if isinstance(value, datetime)}
    document: Data = {**data, **times, **beside, VERSION: kind_of(path).newest}
    if not isinstance(document.get(EXPIRY), datetime):
        raise ValueError(f"{path} has no {EXPIRY}: it would be kept for ever")  # noqa: TRY004 - a field, not a type
    return document


def from_document(model: type[M], document: Document) -> M:
    """Convert a document of any version to its model.

    Raises:
        DocumentTooNew: Newer code wrote it.
        DocumentUnreadable: Its version is unknown, or it does not fit its version.
    """
    try:
        return model.model_validate(kind_of(document.path).fields(document))
    except ValidationError as error:
        raise _misfit(document.path, error) from None  # pydantic's message quotes the user's text


def to_json(value: Any) -> JsonValue:
    """Convert stored fields to JSON, times to ISO 8601."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, list | Vector):
        return [to_json(item) for item in value]
    plain: JsonValue = value
    return plain


def _misfit(path: str, error: ValidationError) -> DocumentTooNew | DocumentUnreadable:
    """Distinguish a document with unknown fields, from newer code, from a damaged one."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    where = ", ".join(sorted({f"{'.'.join(map(str, one['loc']))} ({one['type']})" for one in found}))
    if all(one["type"] == "extra_forbidden" for one in found):
        return DocumentTooNew(path, f"fields that are not known here: {where}")
    return DocumentUnreadable(path, where)
