"""Deleted words are gone from the disk, not only from the answers."""

from pathlib import Path
from uuid import uuid4

from tests.support.chat_client import Person
from tests.support.local_server import LocalServer


async def test_a_deleted_conversations_words_are_in_no_file_while_the_server_runs(
    person: Person, server: LocalServer
) -> None:
    word = f"word{uuid4().hex}"  # ASCII, as documents are stored as JSON that escapes all else
    conversation = await person.open()
    await person.say(conversation.id, f"요즘 {word} 때문에 힘들어요.")
    assert _holding(server.database.parent, word)

    assert (await person.http.delete(f"/api/conversations/{conversation.id}")).status_code == 204

    assert server.alive
    assert _holding(server.database.parent, word) == []


def _holding(directory: Path, word: str) -> list[str]:
    return [path.name for path in directory.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]
