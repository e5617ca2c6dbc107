"""Port of the vectors of uploaded documents' passages."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class PassageVectors(Protocol):
    """The vectors of uploads, stored with them: they are erased with their document, and never outlive it.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def keep_vectors(self, document_id: str, embedder: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Store the vectors of all passages by id, in the place of earlier ones; the document then names the embedder.

        Until the last one is stored the document names none, so that vectors of two models are never compared.

        Raises:
            VersionConflict: The document was deleted or changed meanwhile.
        """
        ...

    async def nearest_passages(self, document_id: str, question: Sequence[float], limit: int) -> dict[str, float]:
        """Return the passages nearest to a question, with their cosines, the nearest first."""
        ...
