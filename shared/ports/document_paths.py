"""Paths and fields that every document database can hold: Firestore's rules."""

import re

_RESERVED = re.compile(r"\.|\.\.|__.*__")
_FIELD = re.compile(r"(?!__\w*__(\.|$))[A-Za-z_]\w*(\.(?!__\w*__(\.|$))[A-Za-z_]\w*)*", re.ASCII)
_LONGEST_ID = 1500
"""Bytes. https://cloud.google.com/firestore/quotas#collections_documents_and_fields"""


def can_hold_document(path: str) -> bool:
    """Tell whether a document can be at `path`, by Firestore's rules.

    Ids may come from outside; a refused path is treated like that of a missing document.
    """
    ids = path.split("/")
    fit = (one and not _RESERVED.fullmatch(one) and len(one.encode()) <= _LONGEST_ID for one in ids)
    return len(ids) % 2 == 0 and path.isprintable() and all(fit)


def require_document_path(path: str) -> None:
    """Check a path before a write.

    Raises:
        ValueError: See `can_hold_document`.
    """
    if not can_hold_document(path):
        raise ValueError(f"{path!r} is no document's path")


def require_field(name: str) -> None:
    """Check that every database can query a field.

    Raises:
        ValueError: The name is not made of letters, digits, `_` and dots, or Firestore reserves it (`__x__`).
    """
    if not _FIELD.fullmatch(name):
        raise ValueError(f"{name!r} is no field that can be asked for")
