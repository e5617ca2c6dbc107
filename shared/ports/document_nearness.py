"""The cosine of vectors, for databases that cannot compare them."""

import math
from collections.abc import Iterable, Sequence

from shared.ports.document_database import Nearest
from shared.ports.document_writes import Document, Vector


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors; 0.0 if either has no direction.

    Raises:
        ValueError: They differ in length: two models or versions are mixed.
    """
    product = sum(a * b for a, b in zip(one, other, strict=True))
    size = math.sqrt(sum(a * a for a in one)) * math.sqrt(sum(b * b for b in other))
    return product / size if size else 0.0


def nearest_of(documents: Iterable[Document], nearest: Nearest) -> list[tuple[Document, float]]:
    """Return the nearest of all documents of a collection, as the port says."""
    found = []
    for document in documents:
        vector = document.data.get(nearest.field)
        if isinstance(vector, Vector) and len(vector) == len(nearest.vector):
            found.append((document, cosine(vector, nearest.vector)))
    return sorted(found, key=lambda one: (-one[1], one[0].path))[: nearest.limit]
