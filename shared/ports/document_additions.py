"""Additions for databases that have no such operation."""

from collections.abc import Mapping

from shared.ports.document_writes import Add, Data, Value


def after_addition(before: Data, write: Add) -> Data:
    """Return a document's fields after an addition."""
    sums: Data = {}
    for name, amount in write.amounts.items():
        found = before.get(name)
        sums[name] = amount + found if isinstance(found, int | float) and not isinstance(found, bool) else amount
    return {**before, **write.data, **sums}


def added(data: Mapping[str, Value], write: Add) -> dict[str, int | float]:
    """Return the fields that an addition changed."""
    found = {name: data[name] for name in write.amounts}
    return {name: value for name, value in found.items() if isinstance(value, int | float)}
