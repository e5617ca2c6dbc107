"""All pages of a query, whatever shares a value at their ends."""

from shared.adapters.documents.listing import whole
from shared.ports.document_database import Query
from shared.ports.document_writes import Put
from tests.fakes.memory_database import MemoryDocumentDatabase


async def test_each_document_is_listed_once_and_in_order(subtests):
    cases = [(), (1,), (1, 2, 3, 4, 5), (1, 1, 1, 1), (1, 2, 2, 2, 3, 3), (1, 1, 2, 3, 3)]
    for limit in (1, 2, 3, 10):
        for values in cases:
            for descending in (False, True):
                with subtests.test(limit=limit, values=values, descending=descending):
                    database = MemoryDocumentDatabase()
                    await database.commit([Put(f"things/{place}", {"at": value}) for place, value in enumerate(values)])
                    found = await whole(database, Query("things", order_by="at", descending=descending, limit=limit))
                    listed = [(document.data["at"], document.path) for document in found]
                    assert listed == sorted(
                        ((value, f"things/{n}") for n, value in enumerate(values)), reverse=descending
                    )
