"""`firestore.indexes.json` against the queries that the code makes and the documents that it stores.

Firestore indexes every field unless it is exempted. An unused index costs storage and time at every write; a text over
1,500 bytes is cut in the index, a document may have 40,000 entries, and an index over rising times takes 500 writes a
second. https://firebase.google.com/docs/firestore/query-data/index-overview
"""

import json

from shared.adapters.documents.passage_vectors import FIELD
from shared.adapters.documents.retention import EXPIRY
from shared.config.agents import agent_models
from shared.ports.document_database import Query
from tests.unit.shared.adapters.documents.stored_kinds import ROOT, models
from tests.unit.shared.adapters.documents.whole_session import recorded

FILE = json.loads((ROOT / "infra" / "firestore.indexes.json").read_text("utf-8"))
OVERRIDES = {(one["collectionGroup"], one["fieldPath"]): one for one in FILE["fieldOverrides"]}
AUTOMATIC = [{"order": "ASCENDING"}, {"order": "DESCENDING"}, {"arrayConfig": "CONTAINS"}]
LABELS = {
    "action", "age_band", "current_module", "current_task", "flow", "answered_by", "kind", "last_asked", "level",
    "previous_module", "recommendation", "rule", "status", "suggested_module",
}  # fmt: skip
"""Texts from a short fixed list, as are fields that end with `_id`. Any other text may be long."""
OTHERS = [Query("conversations", order_by="__name__", where={"user_id": "u1"}), Query("audit", "at", descending=True)]
"""Queries that the functions do not make: one that the security rules allow a client, one of staff in the console."""


def group(query):
    return query.collection.rpartition("/")[2]


def asked():
    """Return a query of each form that the functions make."""
    made = recorded().queries
    return [*{(group(query), query.order_by, query.descending, *query.where): query for query in made}.values()]


def everything():
    return [*asked(), *OTHERS]


def order_of(query):
    return "DESCENDING" if query.descending else "ASCENDING"


def single(collection, field, order):
    """Return whether there is an index of one field in an order."""
    indexes = OVERRIDES.get((collection, field), {"indexes": AUTOMATIC})["indexes"]
    return any(one.get("order") == order and one.get("queryScope", "COLLECTION") == "COLLECTION" for one in indexes)


def composite(query, order):
    wanted = [{"fieldPath": query.order_by, "order": order}]
    return any(
        index["collectionGroup"] == group(query)
        and index["queryScope"] == "COLLECTION"
        and index["fields"][-1:] == wanted
        and {field["fieldPath"] for field in index["fields"][:-1]} == set(query.where)
        for index in FILE["indexes"]
    )


def covered(query):
    """Return whether Firestore answers a query: one field by its own index, more by a composite one."""
    if query.order_by == "__name__":
        return all(single(group(query), field, "ASCENDING") for field in query.where)
    order = order_of(query)
    return composite(query, order) if query.where else single(group(query), query.order_by, order)


def test_every_query_has_an_index_and_every_composite_index_a_query():
    assert [query for query in everything() if not covered(query)] == []
    forms = {(group(query), *sorted(query.where), query.order_by) for query in asked() if query.where}
    found = [
        (index["collectionGroup"], *sorted(field["fieldPath"] for field in index["fields"][:-1]), last["fieldPath"])
        for index in FILE["indexes"]
        for last in index["fields"][-1:]
        if "vectorConfig" not in last
    ]
    assert sorted(found) == sorted(forms)


def test_the_vectors_of_passages_have_an_index_of_the_configured_dimension():
    wanted = {"dimension": agent_models().catalogue.embedding.dimension, "flat": {}}
    by_vector = [index for index in FILE["indexes"] if "vectorConfig" in index["fields"][-1]]
    assert [index["collectionGroup"] for index in by_vector] == ["vectors"]
    assert by_vector[0]["fields"][-1] == {"fieldPath": FIELD, "vectorConfig": wanted}
    assert OVERRIDES["vectors", FIELD]["indexes"] == [], "numbers of a vector are not indexed one by one"


def heavy(schema, field, definitions):
    """Return whether values of a field are large, or times that rise with every write."""
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return any(heavy(option, field, definitions) for option in schema["anyOf"])
    if schema.get("type") in ("integer", "number", "boolean", "null") or "enum" in schema or "const" in schema:
        return False
    if schema.get("type") == "string" and "format" not in schema:
        return not (field in LABELS or field.endswith("_id"))
    return True


def exempted():
    """Return the required overrides except those of expiry: (collection, field) to the indexed orders."""
    kept = {}
    for query in everything():
        if not query.where:
            kept.setdefault((group(query), query.order_by), set()).add(order_of(query))
    fields = {}
    for kind, model in models().items():
        schema = model.model_json_schema()
        for field, described in schema["properties"].items():
            if field != EXPIRY and heavy(described, field, schema.get("$defs", {})):
                fields[kind, field] = kept.get((kind, field), set())
    return fields


def test_large_or_rising_fields_are_indexed_only_in_the_orders_that_are_queried():
    others = {place: override["indexes"] for place, override in OVERRIDES.items() if place[1] not in {EXPIRY, FIELD}}
    found = {place: {index["order"] for index in indexes} for place, indexes in others.items()}
    assert found == exempted(), "a large or rising field is new or gone: say so in infra/firestore.indexes.json"


def test_the_expiry_field_of_every_kind_of_document_has_a_ttl_policy_and_no_index():
    expiring = {place[0]: override for place, override in OVERRIDES.items() if place[1] == EXPIRY}
    assert set(expiring) == set(models())
    assert all(override["ttl"] is True and override["indexes"] == [] for override in expiring.values())
    assert not [place for place, override in OVERRIDES.items() if "ttl" in override and place[1] != EXPIRY]
