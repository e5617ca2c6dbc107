"""Port of the documents that a service answers questions on."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

from shared.domain.ids import UserId
from shared.locale import Locale

D_co = TypeVar("D_co", covariant=True)


class Named(NamedTuple):
    """A document by its title."""

    document_id: str
    title: str


class DocumentSource(Protocol[D_co]):
    """Documents by id, as far as a user may read them."""

    async def get(self, document_id: str, user_id: UserId, locale: Locale) -> D_co | None:
        """Return a document; None if there is none of this id that the user may read.

        Args:
            document_id: The document.
            user_id: Who asks.
            locale: The language of a document that is shipped in several.

        Raises:
            StoreUnavailable: It could not be read now.
        """
        ...

    async def own(self, user_id: UserId) -> Sequence[Named]:
        """Return the documents that a user uploaded, the newest first.

        Raises:
            StoreUnavailable: They could not be read now.
        """
        ...
