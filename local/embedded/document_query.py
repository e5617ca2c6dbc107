"""Converts a `Query` to one SQL statement that orders values like Firestore.

Values of different types compare by type first: null, bool, number, datetime, string, array.
https://cloud.google.com/firestore/docs/concepts/data-types#value_type_ordering
"""

from typing import Literal

from local.embedded.sqlite_file import Row, SqliteFile
from local.embedded.values import to_json
from shared.ports.document_database import Query
from shared.ports.document_paths import require_field
from shared.ports.document_writes import Value


def _statement(behind: Literal["<", ">"], within: Literal["<=", ">="], direction: Literal["ASC", "DESC"]) -> str:
    # both sides of a comparison are JSON, so that SQLite reads numbers and text the same way
    return f"""
WITH ranks (type, rank) AS (
  VALUES ('null', 0), ('false', 1), ('true', 1), ('integer', 2), ('real', 2),
  ('object', 3), ('text', 4), ('array', 5)
), listed AS MATERIALIZED (
  SELECT path, data, version, data -> :field AS item FROM documents
  WHERE collection = :collection AND NOT EXISTS (
    SELECT 1 FROM (SELECT data -> key AS found, type, value FROM json_each(:wanted)) AS want
    WHERE json_extract(found, '$') IS NOT want.value
      OR (SELECT rank FROM ranks WHERE type = json_type(found))
        IS NOT (SELECT rank FROM ranks WHERE ranks.type = want.type)
  )
), ranked AS MATERIALIZED (
  SELECT path, data, version, rank, json_extract(item, '$') AS value
  FROM listed JOIN ranks ON ranks.type = json_type(item)
)
SELECT path, data, version FROM ranked
WHERE (:after IS NULL
  OR (rank, value) {behind} (
    SELECT (SELECT rank FROM ranks WHERE type = json_type(:after)), json_extract(:after, '$')
  ))
  AND (:until IS NULL
  OR (rank = (SELECT rank FROM ranks WHERE type = json_type(:until)) AND value {within} json_extract(:until, '$')))
ORDER BY rank {direction}, value {direction}, path {direction}
LIMIT :limit
"""  # noqa: S608 - only the literals of the signature are put in


_ASCENDING = _statement(">", "<=", "ASC")
_DESCENDING = _statement("<", ">=", "DESC")


async def documents_of(file: SqliteFile, query: Query) -> list[Row]:
    """Return `(path, data, version)` of each document of the query.

    Raises:
        ValueError: A field cannot be queried.
    """
    wanted: dict[str, Value] = {_json_path(name): value for name, value in query.where.items()}
    parameters = {
        "collection": query.collection,
        "field": _json_path(query.order_by),
        "wanted": _wanted_json(wanted),
        "after": None if query.after is None else to_json(query.after),
        "until": None if query.until is None else to_json(query.until),
        "limit": query.limit,
    }
    return await file.fetch(_DESCENDING if query.descending else _ASCENDING, parameters)


def _wanted_json(wanted: dict[str, Value]) -> str:
    # not to_json of the whole, which would escape the `$` of the JSON paths
    return "{" + ",".join(f"{to_json(path)}:{to_json(value)}" for path, value in wanted.items()) + "}"


def _json_path(name: str) -> str:
    require_field(name)
    return f"$.{name}"
