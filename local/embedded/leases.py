"""Leases and claims at start-up: their holders are dead, because one server alone may use a data directory."""

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
    """Return the conversations with messages that nobody has answered."""
    return [ConversationId(row[0]) for row in await file.fetch(_WAITING)]


async def release_leases(file: SqliteFile) -> None:
    """Free every lease and claim that a killed server left, so that a retry need not wait for it to expire."""
    await file.fetch("UPDATE versions SET last = last + 1")
    await file.fetch(_RELEASE)
    await file.fetch(_UNCLAIM)
