"""The contract of `ConversationStore` for user documents, over each database."""

import asyncio
from datetime import timedelta

import pytest

from shared.domain.counseling.profile import Profile, planned
from shared.domain.counseling.safety_plan import PlanStep, SafetyPlan
from shared.domain.errors import VersionConflict
from shared.domain.records import AuditEntry
from shared.domain.withdrawal import Withdrawal
from shared.ports.user_store import VersionedUser
from tests.builders.conversations import Card, card, finding, first, opened, write
from tests.builders.erasing import erase_everything
from tests.builders.sessions import NOW


async def words(store, user_id="u1"):
    found = await store.user(user_id, Card)
    return found and found.document.words


async def test_a_user_document_is_written_with_a_session_only_over_the_version_that_was_read(store):
    assert await store.user("u1", Card) is None
    await write(store, (await opened(store)).session, finding(), user=first("하나"))
    read = await store.user("u1", Card)
    assert (read.document, await store.user("u2", Card)) == (card("하나"), None)
    assert await store.record("c1", "findings", "1") is not None
    await write(store, (await store.load("c1")).session, user=VersionedUser(card("하나", "둘"), read.version))
    with pytest.raises(VersionConflict):
        await write(store, (await store.load("c1")).session, user=VersionedUser(card("late"), read.version))
    assert await words(store) == ("하나", "둘")
    assert (await store.load("c1")).session.state.state_version == 2, "all or nothing"


async def test_only_one_of_several_writers_creates_a_user_document_and_the_others_conflict(store):
    sessions = [(await opened(store, name)).session for name in ("c1", "c2")]
    writing = (write(store, one, user=first(one.state.conversation_id)) for one in sessions)
    outcomes = await asyncio.gather(*writing, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome] == [VersionConflict]
    written = await words(store)
    with pytest.raises(VersionConflict):
        await write(store, (await opened(store, "c3")).session, user=first("late"))
    assert (len(written), await words(store)) == (1, written)


@pytest.mark.parametrize("all_of_the_user", [False, True])
async def test_late_work_on_an_erased_conversation_writes_no_user_document(store, all_of_the_user):
    before = (await opened(store)).session
    await (erase_everything(store, "u1") if all_of_the_user else store.erase("c1"))
    with pytest.raises(VersionConflict):
        await write(store, before, user=first("하나"))
    assert await store.user("u1", Card) is None


async def test_a_user_document_is_saved_together_with_its_audit_lines_over_its_version_or_not_at_all(store, database):
    def line(name):
        return AuditEntry(audit_id=name, at=NOW, conversation_id="", rule="terms@1", level="", action="consent_given")

    await store.save_user(first("하나"), [line("a1")])
    read = await store.user("u1", Card)
    await store.save_user(VersionedUser(card("둘"), read.version))
    for late in (read.version, None):
        with pytest.raises(VersionConflict):
            await store.save_user(VersionedUser(card("late"), late), [line("a2")])
    assert await words(store) == ("둘",)
    assert [document.path for document in await database.tree("audit")] == ["audit/a1"]


async def test_a_withdrawal_is_saved_with_the_user_document_and_found_by_the_sweep_until_it_ends(store):
    def withdrawal(name, minutes):
        at = NOW + timedelta(minutes=minutes)
        return Withdrawal(withdrawal_id=name, user_id="u1", names=("terms",), requested_at=at)

    for number in range(3):
        await store.save_user(first("하나", user_id=f"u{number}"), (), withdrawal(f"w{number}", number))
    with pytest.raises(VersionConflict):
        await store.save_user(first("late"), (), withdrawal("late", 0))
    assert (await store.withdrawal("w0"), await store.withdrawal("late")) == (withdrawal("w0", 0), None)
    until = NOW + timedelta(minutes=1)
    assert await store.withdrawals(until, None, 1) == [withdrawal("w0", 0)]
    assert await store.withdrawals(until, NOW, 5) == [withdrawal("w1", 1)]
    for _ in range(2):
        await store.end_withdrawal("w0")
    assert await store.withdrawals(until, None, 5) == [withdrawal("w1", 1)]


async def test_the_version_of_an_erased_user_document_allows_no_write_and_no_conversation(store):
    await opened(store, "c1", first("하나"))
    await store.save_user(first("남의 것", user_id="u2"))
    read = await store.user("u1", Card)
    await erase_everything(store, "u1")
    with pytest.raises(VersionConflict):
        await store.save_user(VersionedUser(card("둘"), read.version))
    with pytest.raises(VersionConflict):
        await opened(store, "c2", VersionedUser(card("둘"), read.version))
    assert await store.export("c2") == []
    assert (await words(store), await words(store, "u2")) == (None, ("남의 것",))


async def test_a_conversation_is_opened_together_with_its_user_document_or_not_at_all(store):
    await opened(store, "c1", first("하나"))
    read = await store.user("u1", Card)
    await opened(store, "c2", VersionedUser(card("둘"), read.version))
    for late in (read.version, None):
        with pytest.raises(VersionConflict):
            await opened(store, "c3", VersionedUser(card("late"), late))
    assert await words(store) == ("둘",)
    assert (await store.load("c3"), await store.export("c3")) == (None, [])


async def test_a_safety_plan_is_read_as_it_was_written_and_gone_once_it_is_taken_out(store):
    plan = SafetyPlan(version=2, updated_at=NOW, steps={PlanStep.ALONE: "산책하기", PlanStep.HELPERS: "민지"})
    profile = Profile(user_id="u1", updated_at=NOW, expire_at=NOW + timedelta(days=1), safety_plan=plan)
    await store.save_user(VersionedUser(profile, None))
    read = await store.user("u1", Profile)
    assert read.document.safety_plan == plan
    await store.save_user(VersionedUser(planned(read.document, None, NOW), read.version))
    assert (await store.user("u1", Profile)).document.safety_plan is None
