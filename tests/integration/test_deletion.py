"""Deleted data is gone from the disk, even if the server is killed while it deletes."""

import asyncio
import signal
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import pytest

from functions.chat.dispatch import dispatch
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.system_clock import SystemClock
from shared.content.catalogue import content
from shared.domain.counseling.session import Session
from shared.engine.sweep import Sweep
from shared.ports.document_writes import Put
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.composed import chat_over, client_of
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.support.chat_client import CONSENTS
from tests.support.emulators import new_project
from tests.support.forked import run_forked
from tests.support.process import clean_environment

ALL = "/api/conversations"
MESSAGES = 210
"""More than are removed at once."""
ENDS_WITHIN_S = 60


async def test_deleting_a_conversation_removes_its_text_from_every_file_of_the_running_server(person, server):
    def holding():
        files = server.database.parent.rglob("*")
        return [path.name for path in files if path.is_file() and word.encode() in path.read_bytes()]

    word = f"word{uuid4().hex}"  # ASCII, as documents are stored as JSON that escapes all else
    conversation = await person.open()
    await person.say(conversation.id, f"요즘 {word} 때문에 힘들어요.")
    assert holding()
    assert (await person.http.delete(f"{ALL}/{conversation.id}")).status_code == 204
    assert server.alive
    assert holding() == []


@dataclass(frozen=True)
class ErasedUser:
    """A user whose erasure is killed after one of its writes."""

    uid: str
    conversations: tuple[str, ...]
    everything: bool

    @property
    def erased(self):
        return self.conversations if self.everything else self.conversations[:1]

    @property
    def address(self):
        return "/api/me" if self.everything else f"{ALL}/{self.erased[0]}"


class KilledErasures:
    """Runs erasures in processes that are killed, and reads the rest through a server that runs."""

    def __init__(self, emulator):
        self.address, self.project = emulator, new_project()
        self.database = FirestoreDocumentDatabase.connect(self.project, emulator=self.address)
        self.store = DocumentConversationStore(self.database, Session)
        self.chat = chat_over(self.database)

    async def all_killed(self, *, everything):
        """Kill one erasure after each number of writes, until one ends by itself."""
        users = []
        while True:
            number = len(users)
            uid = f"u{int(everything)}{number}"
            async with client_of(self.chat, uid) as client:
                body = {"age_band": "adult", "consents": CONSENTS}
                opened = [(await client.post(ALL, json=body)).json()["conversation_id"] for _ in range(2)]
            path = f"conversations/{opened[0]}/messages"
            await self.database.commit([Put(f"{path}/{n}-user", {"text": "말"}) for n in range(1, MESSAGES)])
            user = ErasedUser(uid, tuple(opened), everything)
            arguments = [self.address, self.project, uid, user.address, str(number)]
            command = ["-m", "tests.support.killed_erasure", *arguments]
            run = await asyncio.to_thread(run_forked, command, clean_environment({}), ENDS_WITHIN_S)
            if run.returncode == 0:
                return users
            assert run.returncode == -signal.SIGKILL, run.stderr
            users.append(user)

    async def shown(self, user):
        """Return the addresses and ids of erased conversations that the API still shows."""
        message = {"message_id": str(uuid4()), "text": "저기요."}
        posts = {"chat": message, "end": None, "satisfaction": {"rating": 5}}
        async with client_of(self.chat, user.uid) as client:
            everything = (await client.get(ALL)).text + (await client.get("/api/me/export")).text
            found = [one for one in user.erased if one in everything]
            for one in user.erased:
                paths = ("", "/messages", "/export", f"/turns/{uuid4()}")
                reads = [await client.get(f"{ALL}/{one}{path}") for path in paths]
                reads += [await client.post(f"{ALL}/{one}/{rest}", json=body) for rest, body in posts.items()]
                found += [str(read.url) for read in reads if read.status_code != 404]
        return found

    async def sweep(self):
        """Continue all unfinished erasures, and return how many there were."""
        queue = MemoryTaskQueue()
        policy = CounselingPolicy(content())
        await Sweep(self.store, policy, queue, SystemClock(), patience=timedelta()).run()
        tasks = queue.take()
        for task in tasks:
            await dispatch(self.chat.turns, self.chat.erasure_requests, self.chat.consents, self.chat.reminders, task)
        return len(tasks)


@pytest.mark.emulator
async def test_an_erasure_killed_after_any_write_hides_its_data_at_once_and_the_sweep_finishes_it(firestore_emulator):
    erasures = KilledErasures(firestore_emulator)
    both = await asyncio.gather(*(erasures.all_killed(everything=everything) for everything in (False, True)))
    users = [user for each in both for user in each]
    assert len(both[0]) >= 4, "the mark, the pieces of the trees, the end"

    assert {user.address: shown for user in users if (shown := await erasures.shown(user))} == {}
    assert await erasures.sweep() == len(users) - len(both), "each but those killed after their end"
    names = ("conversations", "sessions", "mailboxes", "users", "erasures", "audit")
    left = {name: [document.path for document in await erasures.database.tree(name)] for name in names}
    doomed = {one for user in users for one in user.erased}
    spared = {one for user in users if not user.everything for one in user.conversations[1:]}
    kept = [path for name in left if name != "audit" for path in left[name]]
    assert not [path for path in kept if doomed & set(path.split("/"))]
    assert left["erasures"] == []
    assert spared <= {path.split("/")[1] for path in left["sessions"]}
    assert not {f"users/{user.uid}" for user in users if user.everything} & set(left["users"])
    assert len([path for path in left["audit"] if "-erasure" in path]) == 2 * (len(users) + 2), "asked and done, once"
    assert await erasures.sweep() == 0
    await erasures.database.aclose()
