"""Lists of documents: the queries that several methods of a store ask, and all pages of one."""

from dataclasses import replace
from datetime import datetime

from shared.adapters.documents import paths
from shared.domain.ids import UserId
from shared.ports.document_database import Document, DocumentDatabase, Query


def views_of(user_id: UserId, before: datetime | None, limit: int) -> Query:
    """Return the query for a user's conversations, the newest first."""
    return Query(
        collection=paths.CONVERSATIONS,
        order_by="created_at",
        descending=True,
        after=before,
        limit=limit,
        where={"user_id": user_id},
    )


async def whole(database: DocumentDatabase, query: Query) -> list[Document]:
    """Return all documents of a query, whose limit is that of a page.

    A page begins behind a value, and skips all that share it: those at the end of a full page are read with the next.
    """
    documents: list[Document] = []
    while True:
        found = await database.query(query)
        if len(found) < query.limit:
            return documents + found
        last = found[-1].data[query.order_by]
        before = [document for document in found if document.data[query.order_by] != last]
        if not before:
            query = replace(query, limit=query.limit * 2)
            continue
        documents += before
        query = replace(query, after=before[-1].data[query.order_by])
