"""Kinds of documents and their histories, by the id of their collection.

A kind that is not listed has had one version: 1.
"""

from collections.abc import Mapping
from datetime import datetime

from shared.adapters.documents.earlier import completed_tasks_join_the_others
from shared.adapters.documents.retention import EXPIRY
from shared.adapters.documents.versions import DocumentKind
from shared.domain.records import AUDIT_RETENTION
from shared.ports.document_writes import Data


def _unchanged(data: Data) -> Data:
    """0 to 1: documents got a version; nothing else changed."""
    return data


def _audit_entry_expires(data: Data) -> Data:
    """0 to 1: audit entries got an expiry."""
    at = data.get("at")
    return {**data, EXPIRY: at + AUDIT_RETENTION if isinstance(at, datetime) else None}


def _module_change_has_a_code(data: Data) -> Data:
    """1 to 2: the code of a module's change has a field of its own; `module_change_reason` has it in words.

    The words of a change before that are not known; the next change brings them.
    """
    brought: Data = {**data, "module_change_code": data.get("module_change_reason"), "module_change_reason": None}
    return brought


def _flow_tells_whether_it_waits(data: Data) -> Data:
    """2 to 3: `mid_flow` is no field; each flow tells by its own state whether it waits for the user."""
    return {name: value for name, value in data.items() if name != "mid_flow"}


KINDS: Mapping[str, DocumentKind] = {
    "audit": DocumentKind((_audit_entry_expires,), oldest=0),
    "checkpoints": DocumentKind(beside=frozenset({EXPIRY})),
    "conversations": DocumentKind((_unchanged,), oldest=0),
    "messages": DocumentKind((_unchanged,), oldest=0, beside=frozenset({"position", EXPIRY})),
    "sessions": DocumentKind(
        (completed_tasks_join_the_others, _module_change_has_a_code, _flow_tells_whether_it_waits), oldest=0
    ),
    "vectors": DocumentKind(beside=frozenset({"embedding"})),
}


def kind_of(path: str) -> DocumentKind:
    return KINDS.get(path.split("/")[-2], DocumentKind())
