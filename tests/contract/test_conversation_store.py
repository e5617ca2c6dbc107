"""What every `ConversationStore` does, as `DocumentConversationStore` over each database."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.conversation import RETENTION, Message, Role
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import DocumentExists, DocumentUnreadable, VersionConflict
from shared.domain.mailbox import QueuedMessage, claim, receive, renew, settle
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.turn import Hook, TurnRecord, TurnResult
from shared.ports.conversation_documents import TurnCommit, Versioned, VersionedMailbox
from shared.ports.document_writes import Put
from tests.builders.conversations import LATER, finding, greeting, opened, view_of, write
from tests.builders.sessions import NOW, session, slot, task

USER_INFO = {"name": "지민", "count": 0, "prior": False, "nobody": ""}
TASK = task("a", status="in_progress", required_slots=(slot("name", kind="name"),), started_at=NOW)
FULL = session(
    TASK, current_task="a", user_info=USER_INFO, consents={"terms": {"granted": True, "version": "1", "at": NOW}}
)


async def create(store, state=FULL):
    await store.create(state, greeting(), view_of(state))
    return await store.load(state.conversation_id)


def waiting(message_id="m1", text="안녕"):
    return QueuedMessage(message_id=message_id, text=text, received_at=NOW)


async def take(store, message_id="m1", snapshot=None, text="안녕"):
    """Store a message and claim the lease for it."""
    snapshot = snapshot or await store.load("c1")
    box = claim(receive(snapshot.mailbox.box, waiting(message_id, text), LATER), "one", NOW)
    return snapshot, await store.save_mailbox(VersionedMailbox(box, snapshot.mailbox.version))


def spoken(seq, message_id="m1"):
    return tuple(
        Message(seq=seq, role=role, text=f"{role.value} {seq}", created_at=NOW, message_id=message_id)
        for role in (Role.USER, Role.COUNSELOR)
    )


def commit_of(snapshot, mailbox, seq=1, message_id="m1", **more):
    state = snapshot.session.state.model_copy(update={"seq": seq, "state_version": seq, "title": f"after {seq}"})
    named = {"message_id": message_id, "seq": seq}
    hooks = (Hook(type="h", data={"x": [1, None, {"y": "z"}]}),)
    times = {"received_at": NOW, "expire_at": LATER, "committed_at": NOW}
    result = TurnResult(**named, reply=f"reply {seq}", state_snapshot={"n": seq}, hooks=hooks)
    said = {"text": "안녕", "text_digest": "d" * 64, "flow": "counseling", "snapshot_version": 0, "result": result}
    return TurnCommit(
        session=Versioned(state, snapshot.session.version),
        mailbox=VersionedMailbox(settle(mailbox.box, mailbox.box.lease.token), mailbox.version),
        turn=TurnRecord(conversation_id="c1", **named, **times, **said),
        messages=spoken(seq, message_id),
        view=view_of(state),
        **more,
    )


async def commit_turn(store, seq, message_id=None, **more):
    snapshot, mailbox = await take(store, message_id or f"m{seq}")
    commit = commit_of(snapshot, mailbox, seq, message_id or f"m{seq}", **more)
    await store.commit_turn(commit)
    return commit


async def write_mailbox(store, mailbox):
    box = renew(mailbox.box, mailbox.box.lease.token, LATER)
    return await store.save_mailbox(VersionedMailbox(box, mailbox.version))


def ids(found):
    return [one.conversation_id for one in found]


async def nothing_is_left(store, name="c1"):
    assert [await store.load(name), await store.view(name), await store.mailbox(name)] == [None] * 3
    assert [await store.turn(name, "m1"), await store.record(name, "findings", "1")] == [None] * 2
    assert [await store.messages(name, -1, 10), await store.export(name)] == [[], []]


class TestCreating:
    async def test_a_created_conversation_is_loaded_as_it_was_with_its_greeting_as_history(self, store):
        odd = datetime(2026, 11, 1, 9, 0, 0, 123456, tzinfo=UTC)
        state = FULL.model_copy(update={"updated_at": odd})
        snapshot = await create(store, state)
        assert (snapshot.session.state, snapshot.session.state.user_info["prior"]) == (state, False)
        assert (snapshot.mailbox.box.inbox, snapshot.mailbox.box.lease) == ((), None)
        assert snapshot.mailbox.box.expire_at == state.expire_at
        assert await store.messages("c1", -1, 10) == [greeting()]
        assert await store.view("c1") == view_of(state)

    async def test_an_id_is_given_once_and_what_was_never_created_is_none(self, store):
        await create(store)
        other = session(user_id="u2")
        with pytest.raises(DocumentExists):
            await store.create(other, greeting("다른 인사"), view_of(other))
        assert (await store.load("c1")).session.state.user_id == "u1"
        assert await store.messages("c1", -1, 10) == [greeting()]
        await nothing_is_left(store, "c9")


class TestReceiving:
    async def test_whatever_a_person_writes_is_stored_with_its_place_in_the_queue_and_has_no_record(self, store):
        hostile = "\x00\u202e👩‍👧\n\t\"'\\ </x> ﷽ " + "가" * 4000
        await create(store)
        _, mailbox = await take(store, text=hostile)
        assert (await store.load("c1")).mailbox == await store.mailbox("c1") == mailbox
        assert mailbox.box.inbox == (waiting(text=hostile),)
        assert (mailbox.box.certainly_new("m1"), mailbox.box.certainly_new("m2")) == (False, True)
        assert await store.turn("c1", "m1") is None

    async def test_the_mailbox_does_not_collide_with_writers_of_the_session(self, store):
        snapshot = await create(store)
        _, mailbox = await take(store)
        await write(store, snapshot.session)
        assert (await write_mailbox(store, mailbox)).version != mailbox.version
        with pytest.raises(VersionConflict):
            await store.save_mailbox(mailbox)


class TestTheReviewersQueue:
    async def test_is_listed_by_place_one_status_at_a_time_behind_a_place(self, store):
        places = ["open.02.a.c1", "open.00.b.c2", "open.00.a.c3", "seen.00.a.c4", None]
        for number, place in enumerate(places, 1):
            await opened(store, f"c{number}", review_place=place)
        found = await store.for_review("open", None, 2)
        assert ids(found) == ["c3", "c2"]
        assert ids(await store.for_review("open", found[-1].review_place, 2)) == ["c1"]
        assert ids(await store.for_review("seen", None, 9)) == ["c4"]

    async def test_a_line_of_the_audit_trail_is_written_once(self, store, database):
        line = AuditEntry(audit_id="a1", at=NOW, conversation_id="c1", rule="r", level="l", action="a", actor_id="rae")
        await store.add_audit(line)
        with pytest.raises(DocumentExists):
            await store.add_audit(line)
        (found,) = await database.get(["audit/a1"])
        assert found.data["actor_id"] == "rae"


class TestCommittingATurn:
    async def test_everything_is_there_at_once(self, store, database):
        await create(store)
        audit = AuditEntry(audit_id="c1-1", at=NOW, conversation_id="c1", rule="r", level="l", action="a")
        commit = await commit_turn(store, 1, records=(finding(text="f"),), audit=(audit,))
        snapshot = await store.load("c1")
        assert (snapshot.session.state, snapshot.mailbox.box) == (commit.session.state, commit.mailbox.box)
        assert await store.turn("c1", "m1") == commit.turn
        assert await store.view("c1") == commit.view
        assert await store.messages("c1", 0, 10) == list(spoken(1))
        assert (await store.record("c1", "findings", "1"))["text"] == "f"
        assert [line.path for line in await database.tree("audit")] == ["audit/c1-1"]
        assert await store.waiting(LATER, None, 9) == [], "the sweep no longer finds what is answered"

    async def nothing_of_it_is_there(self, store):
        snapshot = await store.load("c1")
        assert snapshot.session.state.title != "after 1"
        assert snapshot.mailbox.box.inbox == (waiting("m1"),)
        assert await store.turn("c1", "m1") is None
        assert await store.messages("c1", 0, 10) == []
        assert await store.record("c1", "findings", "new") is None

    @pytest.mark.parametrize("older", ["session", "mailbox"])
    async def test_over_an_older_session_or_mailbox_nothing_is_written(self, store, older):
        await create(store)
        snapshot, mailbox = await take(store)
        await (write(store, snapshot.session) if older == "session" else write_mailbox(store, mailbox))
        with pytest.raises(VersionConflict):
            await store.commit_turn(commit_of(snapshot, mailbox, records=(finding("new"),)))
        await self.nothing_of_it_is_there(store)

    async def test_with_a_record_that_exists_nothing_is_written_and_the_error_names_it(self, store):
        before = await create(store)
        await write(store, before.session, finding("old", text="first"))
        snapshot, mailbox = await take(store)
        with pytest.raises(DocumentExists) as caught:
            await store.commit_turn(commit_of(snapshot, mailbox, records=(finding("new"), finding("old"))))
        assert caught.value.path.endswith("/findings/old")
        await self.nothing_of_it_is_there(store)
        assert (await store.record("c1", "findings", "old"))["text"] == "first"

    async def test_a_message_that_has_a_record_is_not_answered_again_and_the_error_names_it(self, store):
        await create(store)
        before = await commit_turn(store, 1, "m1")
        snapshot, mailbox = await take(store, "m1")
        with pytest.raises(DocumentExists) as caught:
            await store.commit_turn(commit_of(snapshot, mailbox, 2, "m1", records=(finding("new"),)))
        assert caught.value.path.endswith("/turns/m1")
        assert await store.turn("c1", "m1") == before.turn
        assert (await store.load("c1")).session.state == before.session.state
        assert await store.messages("c1", 1, 10) == []
        assert await store.record("c1", "findings", "new") is None

    async def test_of_an_erased_conversation_nothing_is_written(self, store):
        await create(store)
        snapshot, mailbox = await take(store)
        await store.erase("c1")
        with pytest.raises(VersionConflict):
            await store.commit_turn(commit_of(snapshot, mailbox))
        await nothing_is_left(store)


class Request(Record):
    """A record that a job rewrites when it has dealt with it."""

    collection = "requests"
    seq: int
    status: str = "pending"


class TestSavingAState:
    async def test_state_view_and_records_are_written_and_a_message_told_anew_in_its_place(self, store, database):
        snapshot, anew = await create(store), greeting("다른 인사")
        ended = snapshot.session.state.model_copy(update={"status": SessionStatus.COMPLETED, "title": "끝"})
        state = Versioned(ended, snapshot.session.version)
        await store.save_state(state, view_of(ended), [finding()], messages=[anew])
        assert (await store.load("c1")).session.state.title == (await store.view("c1")).title == "끝"
        assert (await store.record("c1", "findings", "1"))["record_id"] == "1"
        assert await store.messages("c1", -1, 10) == [anew]
        (document,) = await database.get(["conversations/c1/messages/0-counselor"])
        assert document.data["expire_at"] == anew.created_at + RETENTION, "it is kept no longer"

    async def test_over_an_older_one_or_a_record_that_exists_nothing_is_written(self, store):
        snapshot = await create(store)
        await write(store, snapshot.session, finding(text="first"))
        for session_read, record, error in (
            (snapshot.session, finding("2"), VersionConflict),
            ((await store.load("c1")).session, finding(text="second"), DocumentExists),
        ):
            late = session_read.state.model_copy(update={"title": "late"})
            with pytest.raises(error):
                await store.save_state(Versioned(late, session_read.version), view_of(late), [record])
            assert (await store.load("c1")).session.state.title == (await store.view("c1")).title == ""
        assert (await store.record("c1", "findings", "1"))["text"] == "first"
        assert await store.record("c1", "findings", "2") is None

    async def test_a_stored_record_is_written_anew_with_the_state_and_the_newest_of_a_status_come_in_order(self, store):
        def request(seq, **more):
            return Request(record_id=f"{seq}-x", created_at=NOW, expire_at=LATER, seq=seq, **more)

        async def found(status="pending", newest=10):
            return [one["record_id"] for one in await store.records("c1", "requests", status, newest)]

        before = (await create(store)).session
        await write(store, before, *map(request, (10, 2, 1)), request(9, status="done"))
        done = Rewritten(request(2, status="done"))
        with pytest.raises(VersionConflict):
            await write(store, before, done)
        assert await found() == ["1-x", "2-x", "10-x"]
        assert (await found(newest=2), await found("lost")) == (["2-x", "10-x"], [])
        await write(store, (await store.load("c1")).session, done, request(3))
        assert (await found(), await found("done")) == (["1-x", "3-x", "10-x"], ["2-x", "9-x"])
        assert Request.model_validate(await store.record("c1", "requests", "2-x")) == done.record


async def test_the_history_is_in_order_beyond_nine_turns_and_comes_by_whole_turns(store, subtests):
    await create(store)
    for seq in range(1, 13):
        await commit_turn(store, seq)
    whole = await store.messages("c1", -1, 100)
    expected = [(0, "counselor")] + [(seq, role) for seq in range(1, 13) for role in ("user", "counselor")]
    assert [(entry.seq, entry.role.value) for entry in whole] == expected
    assert whole[1:3] == list(spoken(1))
    for after, limit, seqs in ((-1, 3, [0, 1, 2]), (0, 2, [1, 2]), (5, 3, [6, 7, 8]), (11, 5, [12]), (12, 5, [])):
        with subtests.test(after=after, limit=limit):
            found = await store.messages("c1", after, limit)
            assert [entry.seq for entry in found] == [entry.seq for entry in whole if entry.seq in seqs]
    paged, after = [], -1
    while page := await store.messages("c1", after, 5):
        paged += page
        after = page[-1].seq
    assert paged == whole


async def test_a_users_conversations_are_listed_the_newest_first_in_pages_and_though_one_cannot_be_read(
    store, database
):
    for number in range(5):
        await opened(store, f"c{number}", created_at=NOW + timedelta(minutes=number))
    await opened(store, "x1", user_id="u2")
    newest = ["c4", "c3", "c2", "c1", "c0"]
    assert ids(await store.views_of("u1", None, 10)) == newest
    page = await store.views_of("u1", None, 2)
    assert ids(page + await store.views_of("u1", page[-1].created_at, 2)) == newest[:4]
    assert (await store.views_of("u9", None, 10), await store.conversations_of("u9")) == ([], [])
    assert await store.conversations_of("u1", since=NOW + timedelta(minutes=2)) == newest[:3]
    (document,) = await database.get(["conversations/c2"])
    await database.commit([Put(document.path, {**document.data, "progress": "broken"})])
    with pytest.raises(DocumentUnreadable):
        await store.views_of("u1", None, 10)
    assert await store.conversations_of("u1") == newest


class TestRights:
    async def test_the_export_holds_every_document_as_json_and_the_words_of_a_message_that_waits(self, store, database):
        await create(store)
        await commit_turn(store, 1, records=(finding(text="f"),))
        await take(store, "m2", text="아직 답을 못 받은 말")
        exported = dict(await store.export("c1"))
        messages = {f"conversations/c1/messages/{name}" for name in ("0-counselor", "1-user", "1-counselor")}
        below = {"sessions/c1/findings/1", "sessions/c1/turns/m1"}
        assert set(exported) == {"conversations/c1", "sessions/c1", "mailboxes/c1"} | messages | below
        assert exported["sessions/c1"]["user_info"] == USER_INFO
        assert datetime.fromisoformat(exported["sessions/c1"]["created_at"]) == NOW
        assert exported["conversations/c1/messages/1-user"]["text"] == "user 1"
        assert [waiting["text"] for waiting in exported["mailboxes/c1"]["inbox"]] == ["아직 답을 못 받은 말"]
        for path in exported:
            (document,) = await database.get([path])
            assert isinstance(document.data["expire_at"], datetime), f"{path}: retention stands as a time"
            assert document.data["expire_at"].tzinfo is not None

    async def test_an_erased_conversation_leaves_nothing_and_others_alone(self, store):
        await create(store)
        await opened(store, "c10")
        await commit_turn(store, 1, records=(finding(),))
        await take(store, "m2")
        for _ in range(2):
            await store.erase("c1")
        await nothing_is_left(store)
        assert await store.load("c10") is not None


async def test_the_sweep_finds_overdue_sessions_the_oldest_first_in_pages_and_mailboxes_in_which_messages_wait(store):
    for number in range(5):
        await opened(store, f"c{number}", due_since=NOW + timedelta(minutes=number) if number else None)
    until = NOW + timedelta(minutes=3)
    found = await store.overdue(until, None, 2)
    assert ids(found) == ["c1", "c2"]
    assert ids(await store.overdue(until, found[-1].due_since, 2)) == ["c3"]
    assert await store.overdue(NOW, None, 9) == []
    await take(store)
    assert ids(await store.waiting(LATER, None, 9)) == ["c1"]
    assert await store.waiting(NOW - timedelta(seconds=1), None, 9) == []
