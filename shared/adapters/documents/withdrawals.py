"""`WithdrawalStore` over a `DocumentDatabase`."""

from datetime import datetime

from shared.adapters.documents import paths
from shared.adapters.documents.listing import readable
from shared.adapters.documents.mapping import from_document
from shared.domain.withdrawal import Withdrawal
from shared.ports.document_database import DocumentDatabase, Query
from shared.ports.document_writes import Remove


class DocumentWithdrawals:
    """The part of the store for unfinished withdrawals."""

    _database: DocumentDatabase

    async def withdrawal(self, withdrawal_id: str) -> Withdrawal | None:
        """See the port."""
        (found,) = await self._database.get([paths.withdrawal(withdrawal_id)])
        return None if found is None else from_document(Withdrawal, found)

    async def withdrawals(self, until: datetime, after: datetime | None, limit: int) -> list[Withdrawal]:
        """See the port."""
        query = Query(collection=paths.WITHDRAWALS, order_by="requested_at", after=after, until=until, limit=limit)
        return await readable(self._database, Withdrawal, query)

    async def end_withdrawal(self, withdrawal_id: str) -> None:
        """See the port."""
        await self._database.commit([Remove(paths.withdrawal(withdrawal_id))])
