"""Between domain models and documents.

A document is its model's JSON with `schema_version`, but for the top-level times: they stay times, because retention
(Firestore's TTL) and ordering work on them.
"""

from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from shared.adapters.documents.kinds import kind_of
from shared.adapters.documents.retention import EXPIRY
from shared.adapters.documents.versions import VERSION
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.ports.document_writes import Data, Document, Value

M = TypeVar("M", bound=BaseModel)


def to_document(path: str, model: BaseModel, **beside: Value) -> Data:
    """Return a model's fields for storing at a path.

    Args:
        path: Where it will lie, which tells its kind.
        model: What it holds.
        beside: Fields that the document has and the model has not.

    Raises:
        ValueError: It would be kept for ever.
    """
    data: Data = model.model_dump(mode="json", by_alias=True)
    times = {name: value for name, value in model if isinstance(value, datetime)}
    document: Data = {**data, **times, **beside, VERSION: kind_of(path).newest}
    if not isinstance(document.get(EXPIRY), datetime):
        raise ValueError(f"{path} has no {EXPIRY}: it would be kept for ever")  # noqa: TRY004 - a field, not a type
    return document


def from_document(model: type[M], document: Document) -> M:
    """Read a model back, whatever version it was stored in.

    Raises:
        DocumentTooNew: Newer code wrote it.
        DocumentUnreadable: It is of no version there ever was, or does not fit the one it bears.
    """
    try:
        return model.model_validate(kind_of(document.path).fields(document))
    except ValidationError as error:
        raise _misfit(document.path, error) from None  # pydantic's words quote what a person wrote


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


def _misfit(path: str, error: ValidationError) -> DocumentTooNew | DocumentUnreadable:
    """Tell a document with more fields than this code knows from one that no code of ours wrote."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    where = ", ".join(sorted({f"{'.'.join(map(str, one['loc']))} ({one['type']})" for one in found}))
    if all(one["type"] == "extra_forbidden" for one in found):
        return DocumentTooNew(path, f"fields that are not known here: {where}")
    return DocumentUnreadable(path, where)
