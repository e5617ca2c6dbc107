"""Frees leases and claims at start: their holders are dead, since only one server may use a data directory."""

from local.embedded.sqlite_file import SqliteFile
from shared.domain.ids import ConversationId

_RELEASE = """
UPDATE documents SET data = json_set(data, '$.lease', NULL), version = (SELECT last FROM versions)
WHERE path LIKE 'mailboxes/%' AND json_extract(data, '$.lease') IS NOT NULL
"""

_UNCLAIM = """
UPDATE documents SET data = json_set(data, '$.claims', json('{}')), version = (SELECT last FROM versions)
WHERE path LIKE 'sessions/%' AND path NOT LIKE 'sessions/%/%' AND json_extract(data, '$.claims') != '{}'
"""

_WAITING = """
SELECT json_extract(data, '$.conversation_id') FROM documents
WHERE path LIKE 'mailboxes/%' AND json_array_length(data, '$.inbox') > 0
"""


async def waiting_conversations(file: SqliteFile) -> list[ConversationId]:
    """Return the conversations with unanswered messages."""
    return [ConversationId(row[0]) for row in await file.fetch(_WAITING)]


async def release_leases(file: SqliteFile) -> None:
    """Free every lease and claim of a killed server, so that retries need not wait for their expiry."""
    await file.fetch("UPDATE versions SET last = last + 1")
    await file.fetch(_RELEASE)
    await file.fetch(_UNCLAIM)
