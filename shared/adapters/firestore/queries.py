"""Converts a `Query`, and the tree below a path, to Firestore's structured queries."""

from typing import TypeAlias

from google.cloud.firestore_v1 import types

from shared.adapters.firestore.names import Names
from shared.adapters.firestore.values import put_value
from shared.ports.document_database import Nearest, Query
from shared.ports.document_paths import require_field
from shared.ports.document_writes import Value

_Structured: TypeAlias = types.StructuredQuery
_NAME = "__name__"
_FIRST_ID = "__id-9223372036854775808__"
"""Sorts before every id. https://github.com/googleapis/nodejs-firestore/blob/main/dev/src/recursive-delete.ts"""


def of_collection(query: Query, names: Names) -> types.RunQueryRequest:
    """Return the request of a query.

    Firestore orders by the document's name last, in the direction of the field, as the port requires.

    Raises:
        ValueError: A field cannot be queried.
    """
    parent, _, collection = query.collection.rpartition("/")
    direction = _Structured.Direction.DESCENDING if query.descending else _Structured.Direction.ASCENDING
    structured = _Structured(
        from_=[_Structured.CollectionSelector(collection_id=collection)],
        order_by=[_Structured.Order(field=_field(query.order_by), direction=direction)],
        limit=query.limit,
    )
    conditions = [_equal(name, value) for name, value in query.where.items()]
    if query.until is not None:
        operator = _Structured.FieldFilter.Operator
        within = operator.GREATER_THAN_OR_EQUAL if query.descending else operator.LESS_THAN_OR_EQUAL
        conditions.append(_compared(query.order_by, within, query.until))
    if conditions:
        both = _Structured.CompositeFilter.Operator.AND
        structured.where = _Structured.Filter(composite_filter=_Structured.CompositeFilter(op=both, filters=conditions))
    if query.after is not None:
        # A cursor without a name starts after all documents with this value.
        structured.start_at = types.Cursor(values=[_value(query.after)], before=False)
    return types.RunQueryRequest(parent=names.document(parent), structured_query=structured)


def of_nearest(nearest: Nearest, names: Names) -> types.RunQueryRequest:
    """Return the request for the nearest documents, which needs a vector index of the field.

    Raises:
        ValueError: The field cannot be queried.
    """
    parent, _, collection = nearest.collection.rpartition("/")
    found = _Structured.FindNearest(
        vector_field=_field(nearest.field),
        query_vector=_value(nearest.vector),
        distance_measure=_Structured.FindNearest.DistanceMeasure.COSINE,
        limit=nearest.limit,
    )
    structured = _Structured(from_=[_Structured.CollectionSelector(collection_id=collection)], find_nearest=found)
    return types.RunQueryRequest(parent=names.document(parent), structured_query=structured)


def below(path: str, names: Names, *, limit: int | None = None, names_only: bool = False) -> types.RunQueryRequest:
    """Return the request for everything below a document or collection, also below missing documents.

    It queries all descendants of every kind in one consistent request. For a collection it limits the whole database to
    the names between its first and the next collection's.
    """
    structured = _Structured(from_=[_Structured.CollectionSelector(all_descendants=True)], limit=limit)
    if names_only:
        structured.select = _Structured.Projection(fields=[_Structured.FieldReference(field_path=_NAME)])
    segments = path.split("/")
    if len(segments) % 2 == 0:
        return types.RunQueryRequest(parent=names.document(path), structured_query=structured)
    structured.order_by = [_Structured.Order(field=_Structured.FieldReference(field_path=_NAME))]
    structured.start_at = types.Cursor(values=[_reference(f"{path}/{_FIRST_ID}", names)], before=True)
    structured.end_at = types.Cursor(values=[_reference(f"{path}\0/{_FIRST_ID}", names)], before=True)
    return types.RunQueryRequest(parent=names.root, structured_query=structured)


def _equal(name: str, value: Value) -> types.StructuredQuery.Filter:
    if value is None:
        # In Firestore nothing equals null; IS_NULL is a filter of its own.
        null = _Structured.UnaryFilter(field=_field(name), op=_Structured.UnaryFilter.Operator.IS_NULL)
        return _Structured.Filter(unary_filter=null)
    return _compared(name, _Structured.FieldFilter.Operator.EQUAL, value)


def _compared(name: str, operator: int, value: Value) -> types.StructuredQuery.Filter:
    comparison = _Structured.FieldFilter(field=_field(name), op=operator, value=_value(value))
    return _Structured.Filter(field_filter=comparison)


def _field(name: str) -> types.StructuredQuery.FieldReference:
    require_field(name)
    return _Structured.FieldReference(field_path=name)


def _value(value: Value) -> types.Value:
    wrapped = types.Value()
    put_value(value, types.Value.pb(wrapped))
    return wrapped


def _reference(path: str, names: Names) -> types.Value:
    return types.Value(reference_value=names.document(path))
