"""Converts writes with preconditions to one commit."""

import re
from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

from google.cloud.firestore_v1 import types

from shared.adapters.firestore.names import Names
from shared.adapters.firestore.values import PbValue, put_fields, put_value, value_of
from shared.domain.errors import StoreError, VersionConflict
from shared.ports.document_paths import require_document_path
from shared.ports.document_writes import Add, Create, Put, Remove, ReplaceDocument, Write, Written

PbTimestamp: TypeAlias = Any
PbWrite: TypeAlias = Any
PbWriteResult: TypeAlias = Any

_VERSION = re.compile(r"([1-9][0-9]{0,11})\.([0-9]{9})")


def commit_request(writes: Sequence[Write], names: Names) -> types.CommitRequest:
    """Return the request that does all writes or none, in order.

    A `Write` without a mask replaces the whole document, with any precondition. (The SDK's `WriteBatch.update`
    always sends a mask and so merges, and its `set` takes no precondition.)

    Raises:
        VersionConflict: A version is not from this database.
        ValueError: A path is no document path, or a value cannot be stored.
        TypeError: A value has an unsupported type.
    """
    request = types.CommitRequest(database=names.database)
    pb_writes = types.CommitRequest.pb(request).writes
    for write in writes:
        require_document_path(write.path)
        _put_write(write, names.document(write.path), pb_writes.add())
    return request


def version_of(moment: PbTimestamp) -> str:
    """Return an update time, to the nanosecond, as a version; "" for none (a deletion)."""
    return f"{moment.seconds}.{moment.nanos:09d}" if moment.seconds else ""


def written(write: Write, result: PbWriteResult) -> Written:
    """Return the result of a write."""
    numbers = {}
    if isinstance(write, Add):
        numbers = dict(zip(write.amounts, map(_number, result.transform_results), strict=True))
    return Written(version_of(result.update_time), numbers)


def _number(value: PbValue) -> int | float:
    found = value_of(value)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise StoreError("an addition was answered with no number")
    return found


def _put_write(write: Write, name: str, target: PbWrite) -> None:
    match write:
        case Remove():
            target.delete = name
            if write.version is not None:
                _put_version(write.path, write.version, target.current_document.update_time)
            return
        case Create():
            target.current_document.exists = False
        case ReplaceDocument():
            _put_version(write.path, write.version, target.current_document.update_time)
        case Put():
            pass
        case Add():
            _put_additions(write, target)
        case _:
            assert_never(write)
    target.update.name = name
    put_fields(write.data, target.update.fields)


def _put_additions(write: Add, target: PbWrite) -> None:
    """Write the named fields and the additions as one write, as billed."""
    target.update_mask.field_paths.extend(write.data)
    for name, amount in write.amounts.items():
        transform = target.update_transforms.add()
        transform.field_path = name
        put_value(amount, transform.increment)


def _put_version(path: str, version: str, moment: PbTimestamp) -> None:
    # Other versions must not reach the backend: an update time of zero means "missing", so it would create.
    given = _VERSION.fullmatch(version)
    if given is None:
        raise VersionConflict(path)
    moment.seconds, moment.nanos = int(given[1]), int(given[2])
