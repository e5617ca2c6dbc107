"""Conversations and users' documents of no service, for what stores them."""

from datetime import timedelta

from shared.content.catalogue import content
from shared.domain.conversation import Message, Role, touch
from shared.domain.records import Record
from shared.domain.user_document import UserDocument
from shared.ports.conversation_documents import Versioned
from shared.ports.user_store import VersionedUser
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.sessions import NOW, session

LATER = NOW + timedelta(days=30)


class Card(UserDocument):
    words: tuple[str, ...] = ()


class Finding(Record):
    collection = "findings"
    text: str = ""


def card(*words, user_id="u1"):
    return Card(user_id=user_id, updated_at=NOW, expire_at=LATER, words=words)


def first(*words, **more):
    """Return a user's document to be written where there was none."""
    return VersionedUser(card(*words, **more), None)


def finding(record_id="1", **more):
    return Finding(record_id=record_id, created_at=NOW, expire_at=LATER, **more)


def greeting(text="안녕하세요"):
    return Message(seq=0, role=Role.COUNSELOR, text=text, created_at=NOW)


def view_of(state):
    return CounselingPolicy(content()).view(state)


async def opened(store, name="c1", user=None, **more):
    """Open a conversation, over what was read of its user, and return what is read of it."""
    state = session(conversation_id=name, **more)
    await store.create(state, greeting(), view_of(state), user)
    return await store.load(name)


async def write(store, before, *records, user=None):
    """Write a session as every writer does: marked."""
    state = touch(before.state, LATER)
    await store.save_state(Versioned(state, before.version), view_of(state), records, user)
