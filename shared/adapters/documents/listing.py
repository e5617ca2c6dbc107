"""Queries used by several methods of the store: paging, and skipping unreadable documents."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from shared.adapters.documents import paths
from shared.adapters.documents.mapping import M, from_document
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.domain.ids import UserId
from shared.ports.document_database import DocumentDatabase, Query
from shared.ports.document_writes import Document

log = logging.getLogger(__name__)


def views_of(user_id: UserId, before: datetime | None, limit: int) -> Query:
    """Return the query for a user's conversations, newest first."""
    return Query(
        collection=paths.CONVERSATIONS,
        order_by="created_at",
        descending=True,
        after=before,
        limit=limit,
        where={"user_id": user_id},
    )


def uploads_of(user_id: UserId, limit: int) -> Query:
    """Return the query for a user's uploads, newest first."""
    return Query(
        collection=paths.UPLOADS,
        order_by="created_at",
        descending=True,
        limit=limit,
        where={"user_id": user_id},
    )


async def whole(database: DocumentDatabase, query: Query) -> list[Document]:
    """Return all documents of a query, whose limit is the page size.

    A page starts after a value and skips all documents with it, so those at the end of a full page are read again.
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


async def readable(database: DocumentDatabase, model: type[M], query: Query) -> list[M]:
    """Read up to the query's limit, skipping unreadable documents, so that they never hide others."""
    read: list[M] = []
    while True:
        found = await database.query(query)
        read += _read(model, found)
        if len(found) < query.limit or len(read) >= query.limit:
            return read[: query.limit]
        query = replace(query, after=found[-1].data[query.order_by])


def _read(model: type[M], documents: Sequence[Document]) -> Iterator[M]:
    for document in documents:
        try:
            yield from_document(model, document)
        except (DocumentTooNew, DocumentUnreadable) as error:
            log.error("passed over: %s", error)
