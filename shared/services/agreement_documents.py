"""`DocumentSource` of the shipped counselling agreement."""

from collections.abc import Callable

from shared.content.agreements import Agreements
from shared.content.schemas.consents import Operator
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.domain.ids import UserId
from shared.locale import Locale
from shared.ports.document_source import Named


class ShippedAgreements:
    """The counselling agreement, which every user may read, and the standard forms."""

    def __init__(self, agreements: Callable[[], Agreements], operator: Operator) -> None:
        """Create the source.

        Args:
            agreements: Returns the content; called when a document is first asked for.
            operator: Who runs the service.
        """
        self._agreements = agreements
        self._operator = operator

    async def get(self, document_id: str, user_id: UserId, locale: Locale) -> AgreementDocument | None:
        """See the port."""
        return self._agreements().service(locale, self._operator) if document_id == SERVICE_AGREEMENT else None

    async def own(self, user_id: UserId) -> tuple[Named, ...]:
        """See the port."""
        return ()

    def forms(self) -> tuple[AgreementDocument, ...]:
        """Return the standard forms."""
        return tuple(self._agreements().standards.values())
