"""What every `ConversationStore` does with the documents of users, over each database."""

import asyncio
from datetime import timedelta

import pytest

from functions.chat.use_cases.user_documents import update_user_document
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role, touch
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentExists, VersionConflict
from shared.domain.ids import UserId
from shared.domain.records import AuditEntry, Record
from shared.domain.user_document import UserDocument
from shared.domain.withdrawal import Withdrawal
from shared.ports.conversation_documents import Versioned
from shared.ports.user_store import VersionedUser
from shared.services.counseling.policy import CounselingPolicy
from tests.fakes.counselling import NOW, session
from tests.support import databases
from tests.support.erasing import erase_everything

LATER = NOW + timedelta(days=30)


class Card(UserDocument):
    """A user's document of no service."""

    words: tuple[str, ...] = ()


class Finding(Record):
    """A record of no service."""

    collection = "findings"


@pytest.fixture(params=databases.DATABASES)
def opener(request):
    return databases.opener(request)


@pytest.fixture
async def store(opener):
    async with opener() as connect:
        yield DocumentConversationStore(await connect(), Session)


def card(*words, user_id="u1"):
    return Card(user_id=user_id, updated_at=NOW, expire_at=LATER, words=words)


async def opened(store, conversation_id="c1"):
    state = session(conversation_id=conversation_id)
    greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW)
    await store.create(state, greeting, CounselingPolicy(content().crisis_replies).view(state))
    return (await store.load(conversation_id)).session


async def save(store, before, user=None, records=()):
    state = touch(before.state, LATER)
    await store.save_state(
        Versioned(state, before.version), CounselingPolicy(content().crisis_replies).view(state), records, user
    )


async def words(store, user_id="u1"):
    found = await store.user(user_id, Card)
    return found and found.document.words


async def test_a_user_without_a_document_has_none(store):
    assert await store.user("u1", Card) is None


async def test_it_is_written_with_the_state_and_read_back_as_it_was(store):
    await save(
        store,
        await opened(store),
        VersionedUser(card("하나"), None),
        [Finding(record_id="1", created_at=NOW, expire_at=LATER)],
    )
    found = await store.user("u1", Card)
    assert found.document == card("하나")
    assert await store.record("c1", "findings", "1") is not None
    assert await store.user("u2", Card) is None


async def test_it_is_written_over_the_version_that_was_read_and_no_other(store):
    await save(store, await opened(store), VersionedUser(card("하나"), None))
    read = await store.user("u1", Card)
    await save(store, (await store.load("c1")).session, VersionedUser(card("하나", "둘"), read.version))
    with pytest.raises(VersionConflict):
        await save(store, (await store.load("c1")).session, VersionedUser(card("late"), read.version))
    assert await words(store) == ("하나", "둘")
    assert (await store.load("c1")).session.state.state_version == 2, "all or nothing"


async def test_a_first_one_that_another_wrote_first_is_a_conflict(store):
    await save(store, await opened(store), VersionedUser(card("하나"), None))
    second = await opened(store, "c2")
    with pytest.raises(VersionConflict):
        await save(store, second, VersionedUser(card("둘"), None))
    assert await words(store) == ("하나",)


async def test_of_two_sessions_that_write_the_first_one_at_once_one_succeeds(store):
    sessions = [await opened(store, name) for name in ("c1", "c2")]
    outcomes = await asyncio.gather(
        *(save(store, one, VersionedUser(card(one.state.conversation_id), None)) for one in sessions),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes if outcome] == [VersionConflict]
    assert len(await words(store)) == 1


async def test_a_record_that_is_there_already_is_told_apart_from_a_conflict(store):
    finding = Finding(record_id="1", created_at=NOW, expire_at=LATER)
    await save(store, await opened(store), None, [finding])
    with pytest.raises(DocumentExists, match="findings/1"):
        await save(store, (await store.load("c1")).session, VersionedUser(card("하나"), None), [finding])
    assert await words(store) is None


@pytest.mark.parametrize("all_of_the_user", [False, True])
async def test_late_work_on_an_erased_conversation_writes_no_user_document(store, all_of_the_user):
    before = await opened(store)
    await (erase_everything(store, "u1") if all_of_the_user else store.erase("c1"))
    with pytest.raises(VersionConflict):
        await save(store, before, VersionedUser(card("하나"), None))
    assert await store.user("u1", Card) is None


async def test_it_is_written_by_itself_over_its_version(store):
    await store.save_user(VersionedUser(card("하나"), None))
    read = await store.user("u1", Card)
    await store.save_user(VersionedUser(card("둘"), read.version))
    for late in (read.version, None):
        with pytest.raises(VersionConflict):
            await store.save_user(VersionedUser(card("late"), late))
    assert await words(store) == ("둘",)


async def test_its_audit_is_written_with_it_or_not_at_all(opener):
    def line(name):
        return AuditEntry(audit_id=name, at=NOW, conversation_id="", rule="terms@1", level="", action="consent_given")

    async with opener() as connect:
        database = await connect()
        store = DocumentConversationStore(database, Session)
        await store.save_user(VersionedUser(card("하나"), None), [line("a1")])
        with pytest.raises(VersionConflict):
            await store.save_user(VersionedUser(card("late"), None), [line("a2")])
        assert [document.path for document in await database.tree("audit")] == ["audit/a1"]
        assert await words(store) == ("하나",)


async def test_a_withdrawal_is_kept_with_it_or_not_at_all_and_found_by_the_sweep_until_it_is_ended(store):
    def withdrawal(name, minutes):
        at = NOW + timedelta(minutes=minutes)
        return Withdrawal(withdrawal_id=name, user_id="u1", names=("terms",), requested_at=at)

    await store.save_user(VersionedUser(card("하나"), None), (), withdrawal("w1", 0))
    for minutes, user in ((1, "u2"), (2, "u3")):
        await store.save_user(VersionedUser(card(user_id=user), None), (), withdrawal(f"w{minutes + 1}", minutes))
    with pytest.raises(VersionConflict):
        await store.save_user(VersionedUser(card("late"), None), (), withdrawal("late", 0))
    assert (await store.withdrawal("w1"), await store.withdrawal("late")) == (withdrawal("w1", 0), None)
    until = NOW + timedelta(minutes=1)
    assert await store.withdrawals(until, None, 1) == [withdrawal("w1", 0)]
    assert await store.withdrawals(until, NOW, 5) == [withdrawal("w2", 1)]
    for _ in range(2):
        await store.end_withdrawal("w1")
    assert await store.withdrawals(until, None, 5) == [withdrawal("w2", 1)]


async def test_a_change_never_brings_back_what_was_erased(store):
    await store.save_user(VersionedUser(card("하나"), None))
    await store.save_user(VersionedUser(card("남의 것", user_id="u2"), None))
    read = await store.user("u1", Card)
    await erase_everything(store, "u1")
    with pytest.raises(VersionConflict):
        await store.save_user(VersionedUser(card("둘"), read.version))
    assert await words(store) is None
    assert await words(store, "u2") == ("남의 것",)


async def open_over(store, name, user):
    """Open a conversation over what was read of its user."""
    state = session(conversation_id=name)
    greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW)
    await store.create(state, greeting, CounselingPolicy(content().crisis_replies).view(state), user)


async def test_a_conversation_is_opened_with_its_users_document_at_once_or_not_at_all(store):
    await open_over(store, "c1", VersionedUser(card("하나"), None))
    read = await store.user("u1", Card)
    await open_over(store, "c2", VersionedUser(card("둘"), read.version))
    for late in (read.version, None):
        with pytest.raises(VersionConflict):
            await open_over(store, "c3", VersionedUser(card("late"), late))
    assert await words(store) == ("둘",)
    assert await store.load("c3") is None
    assert await store.export("c3") == []


async def test_over_an_erased_users_document_nothing_is_opened(store):
    await open_over(store, "c1", VersionedUser(card("하나"), None))
    read = await store.user("u1", Card)
    await erase_everything(store, "u1")
    with pytest.raises(VersionConflict):
        await open_over(store, "c2", VersionedUser(card("둘"), read.version))
    assert await store.export("c2") == []
    assert await words(store) is None


async def test_twenty_changes_of_one_users_document_at_once_are_all_written(opener):
    async with opener() as connect:
        stores = [DocumentConversationStore(await connect(), Session) for _ in range(2)]

        async def add(number):
            async def written(found):
                after = Profile(
                    user_id="u1", updated_at=NOW, expire_at=LATER, name=f"{found.document.name}+" if found else "+"
                )
                await stores[number % 2].save_user(VersionedUser(after, found.version if found else None))

            await update_user_document(stores[number % 2], UserId("u1"), written)

        await asyncio.gather(*map(add, range(20)))
        assert (await stores[0].user("u1", Profile)).document.name == "+" * 20
