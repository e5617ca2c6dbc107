"""Port of the model that turns texts into vectors."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from shared.model import Model


class EmbedTask(StrEnum):
    """What a vector is for: the model places a question near its answer only if it is told which is which."""

    DOCUMENT = "document"
    QUERY = "query"


class EmbedText(Model):
    """A text to embed; a passage may have a title."""

    text: str
    title: str = ""


class Embedded(Model):
    """The vectors of some texts.

    Attributes:
        vectors: In the order of the texts, of length 1 each.
        tokens: That are paid for.
        sends: Requests that were sent.
        cost_krw: Their price, won.
    """

    vectors: tuple[tuple[float, ...], ...] = ()
    tokens: int = 0
    sends: int = 0
    cost_krw: float = 0.0


class Embedder(Protocol):
    """Embeds texts. Raises only `ModelError`s (shared/domain/errors) and lets cancellation through."""

    @property
    def name(self) -> str:
        """Model and dimension: vectors of different names must not be compared."""
        ...

    async def embed(self, texts: Sequence[EmbedText], task: EmbedTask, timeout_s: float) -> Embedded:
        """Return a vector for each text; a text beyond the model's limit is cut.

        Args:
            texts: As many as wanted; blank texts are refused.
            task: What the vectors are for.
            timeout_s: For all of them together.
        """
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...
