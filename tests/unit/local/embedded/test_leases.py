import pytest

from local.embedded.leases import release_leases
from shared.domain.errors import VersionConflict
from shared.ports.document_writes import Create, Put, ReplaceDocument

MAILBOX = "mailboxes/c1"


async def test_a_killed_servers_lease_is_freed_and_nothing_else_is_touched(database):
    await database.commit(
        [
            Create(MAILBOX, {"inbox": [{"message_id": "m1"}], "lease": {"token": 3}}),
            Create("sessions/c1", {"lease": "a word"}),
        ]
    )
    await release_leases(database.file)
    mailbox, session = await database.get([MAILBOX, "sessions/c1"])
    assert mailbox.data == {"inbox": [{"message_id": "m1"}], "lease": None}
    assert session.data == {"lease": "a word"}


async def test_what_a_killed_servers_jobs_had_claimed_is_free_again(database):
    session = {"claims": {"plan": {"holder": "c1-plan-3", "attempt": 1}}, "seq": 3}
    await database.commit([Create("sessions/c1", session), Create("sessions/c1/turns/m1", {"claims": {"a": 1}})])
    await release_leases(database.file)
    found, turn = await database.get(["sessions/c1", "sessions/c1/turns/m1"])
    assert found.data == {"claims": {}, "seq": 3}
    assert turn.data == {"claims": {"a": 1}}


async def test_a_writer_from_before_the_release_is_stale_and_no_later_write_bears_the_same_version(database):
    (before,) = await database.commit([Create(MAILBOX, {"lease": {"token": 3}})])
    await release_leases(database.file)
    (mailbox,) = await database.get([MAILBOX])
    (other,) = await database.commit([Put("audit/a1", {})])
    assert len({before, mailbox.version, other}) == 3
    with pytest.raises(VersionConflict):
        await database.commit([ReplaceDocument(MAILBOX, {}, before)])
    (claimed,) = await database.commit([ReplaceDocument(MAILBOX, {"lease": {"token": 4}}, mailbox.version)])
    assert claimed not in (mailbox.version, other)
