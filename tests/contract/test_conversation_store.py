"""What every `ConversationStore` does, as `DocumentConversationStore` over each database."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.domain.conversation import RETENTION, Message, Role, touch
from shared.domain.counseling.session import Session, SessionStatus
from shared.domain.errors import DocumentExists, DocumentUnreadable, VersionConflict
from shared.domain.mailbox import QueuedMessage, claim, receive, renew, settle
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.turn import Hook, TurnRecord, TurnResult
from shared.ports.conversation_documents import TurnCommit, Versioned, VersionedMailbox
from shared.ports.document_writes import Put
from shared.services.counseling.policy import CounselingPolicy
from tests.fakes.counselling import NOW, session, slot, task
from tests.support import databases

LATER = NOW + timedelta(days=30)


class Finding(Record):
    """A record of no service."""

    collection = "findings"
    text: str = ""


@pytest.fixture(params=databases.DATABASES)
def opener(request):
    return databases.opener(request)


@pytest.fixture
async def database(opener):
    async with opener() as connect:
        yield await connect()


@pytest.fixture
def store(database):
    return DocumentConversationStore(database, Session)


def full_session(conversation_id="c1", user_id="u1", **more):
    one = task("a", status="in_progress", required_slots=(slot("name", kind="name"),), started_at=NOW)
    return session(
        one,
        conversation_id=conversation_id,
        user_id=user_id,
        current_task="a",
        user_info={"name": "지민", "count": 0, "prior": False, "nobody": ""},
        consents={"terms": {"granted": True, "version": "1", "at": NOW}},
        **more,
    )


def view_of(state):
    return CounselingPolicy(content().crisis_replies).view(state)


def greeting(text="안녕하세요"):
    return Message(seq=0, role=Role.COUNSELOR, text=text, created_at=NOW)


async def create(store, state=None):
    state = state or full_session()
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
    return (
        Message(seq=seq, role=Role.USER, text=f"user {seq}", created_at=NOW, message_id=message_id),
        Message(seq=seq, role=Role.COUNSELOR, text=f"reply {seq}", created_at=NOW, message_id=message_id),
    )


def commit_of(snapshot, mailbox, seq=1, message_id="m1", **more):
    state = snapshot.session.state.model_copy(update={"seq": seq, "state_version": seq, "title": f"after {seq}"})
    result = TurnResult(
        message_id=message_id,
        seq=seq,
        reply=f"reply {seq}",
        state_snapshot={"n": seq},
        hooks=(Hook(type="h", data={"x": [1, None, {"y": "z"}]}),),
    )
    record = TurnRecord(
        conversation_id="c1",
        message_id=message_id,
        text="안녕",
        text_digest="d" * 64,
        received_at=NOW,
        expire_at=LATER,
        seq=seq,
        flow="counseling",
        snapshot_version=0,
        committed_at=NOW,
        result=result,
    )
    return TurnCommit(
        session=Versioned(state, snapshot.session.version),
        mailbox=VersionedMailbox(settle(mailbox.box, mailbox.box.lease.token), mailbox.version),
        turn=record,
        messages=spoken(seq, message_id),
        view=view_of(state),
        **more,
    )


async def commit_turn(store, seq, message_id=None, **more):
    snapshot, mailbox = await take(store, message_id or f"m{seq}")
    commit = commit_of(snapshot, mailbox, seq, message_id or f"m{seq}", **more)
    await store.commit_turn(commit)
    return commit


async def write(store, session, *records):
    """Write the session as every writer does: marked."""
    state = touch(session.state, LATER)
    await store.save_state(Versioned(state, session.version), view_of(state), records)


async def write_mailbox(store, mailbox):
    box = renew(mailbox.box, mailbox.box.lease.token, LATER)
    return await store.save_mailbox(VersionedMailbox(box, mailbox.version))


def finding(record_id="1", **more):
    return Finding(record_id=record_id, created_at=NOW, expire_at=LATER, **more)


class TestCreating:
    async def test_a_created_conversation_is_loaded_as_it_was(self, store):
        state = full_session()
        snapshot = await create(store, state)
        assert (snapshot.session.state, snapshot.session.state.user_info["prior"]) == (state, False)
        assert (snapshot.mailbox.box.inbox, snapshot.mailbox.box.lease) == ((), None)
        assert snapshot.mailbox.box.expire_at == state.expire_at

    async def test_its_greeting_is_the_history_and_its_view_is_there(self, store):
        await create(store)
        assert await store.messages("c1", -1, 10) == [greeting()]
        assert await store.view("c1") == view_of(full_session())

    async def test_an_id_is_given_once(self, store):
        await create(store)
        other = full_session(user_id="u2")
        with pytest.raises(DocumentExists):
            await store.create(other, greeting("다른 인사"), view_of(other))
        assert (await store.load("c1")).session.state.user_id == "u1"
        assert await store.messages("c1", -1, 10) == [greeting()]

    async def test_what_was_never_created_is_none(self, store):
        assert await store.load("c9") is None
        assert await store.view("c9") is None
        assert await store.turn("c9", "m1") is None
        assert await store.record("c9", "findings", "1") is None
        assert await store.messages("c9", -1, 10) == []
        assert await store.export("c9") == []


class TestTheMailbox:
    async def test_is_read_alone_at_the_version_it_is_written_over(self, store):
        await create(store)
        _, mailbox = await take(store)
        assert await store.mailbox("c1") == mailbox
        assert await store.mailbox("c9") is None


class TestReceiving:
    async def test_the_message_is_stored_with_its_place_in_the_queue_and_has_no_record(self, store):
        await create(store)
        _, mailbox = await take(store)
        assert (await store.load("c1")).mailbox == mailbox
        assert mailbox.box.inbox == (waiting(),)
        assert await store.turn("c1", "m1") is None

    async def test_whatever_a_person_writes_is_kept(self, store):
        hostile = "\x00\u202e👩‍👧\n\t\"'\\ </x> ﷽ " + "가" * 4000
        await create(store)
        await take(store, text=hostile)
        assert (await store.load("c1")).mailbox.box.head().text == hostile

    async def test_the_ids_that_came_are_known_again_and_a_new_one_is_new(self, store):
        await create(store)
        await take(store)
        box = (await store.load("c1")).mailbox.box
        assert not box.certainly_new("m1")
        assert box.certainly_new("m2")

    async def test_over_an_older_mailbox_nothing_is_stored(self, store):
        old = await create(store)
        await take(store)
        with pytest.raises(VersionConflict):
            await take(store, "m2", old)
        assert (await store.load("c1")).mailbox.box.inbox == (waiting("m1"),)

    async def test_of_ten_at_once_over_one_reading_one_is_stored(self, store):
        snapshot = await create(store)
        outcomes = await asyncio.gather(*(take(store, f"m{n}", snapshot) for n in range(10)), return_exceptions=True)
        assert sum(isinstance(outcome, VersionConflict) for outcome in outcomes) == 9
        assert len((await store.load("c1")).mailbox.box.inbox) == 1

    async def test_the_mailbox_does_not_collide_with_writers_of_the_session(self, store):
        snapshot = await create(store)
        _, mailbox = await take(store)
        await write(store, snapshot.session)
        saved = await write_mailbox(store, mailbox)
        assert saved.version != mailbox.version
        with pytest.raises(VersionConflict):
            await store.save_mailbox(mailbox)


class TestTheReviewersQueue:
    async def test_it_is_listed_by_place_one_status_at_a_time_behind_a_place(self, store):
        places = ["open.02.a.c1", "open.00.b.c2", "open.00.a.c3", "seen.00.a.c4", None]
        for number, place in enumerate(places, 1):
            await create(store, full_session(f"c{number}", review_place=place))
        found = await store.for_review("open", None, 2)
        assert [state.conversation_id for state in found] == ["c3", "c2"]
        rest = await store.for_review("open", found[-1].review_place, 2)
        assert [state.conversation_id for state in rest] == ["c1"]
        assert [state.conversation_id for state in await store.for_review("seen", None, 9)] == ["c4"]

    async def test_a_line_of_the_audit_trail_is_written_once(self, store, database):
        line = AuditEntry(audit_id="a1", at=NOW, conversation_id="c1", rule="r", level="l", action="a", actor_id="rae")
        await store.add_audit(line)
        with pytest.raises(DocumentExists):
            await store.add_audit(line)
        (found,) = await database.get(["audit/a1"])
        assert found.data["actor_id"] == "rae"


class TestCommittingATurn:
    async def test_everything_is_there_at_once(self, store):
        await create(store)
        audit = AuditEntry(audit_id="c1-1", at=NOW, conversation_id="c1", rule="r", level="l", action="a")
        commit = await commit_turn(store, 1, records=(finding(text="f"),), audit=(audit,))
        snapshot = await store.load("c1")
        assert (snapshot.session.state, snapshot.mailbox.box) == (commit.session.state, commit.mailbox.box)
        assert await store.turn("c1", "m1") == commit.turn
        assert await store.view("c1") == commit.view
        assert await store.messages("c1", 0, 10) == list(spoken(1))
        assert (await store.record("c1", "findings", "1"))["text"] == "f"

    async def nothing_of_it_is_there(self, store):
        snapshot = await store.load("c1")
        assert snapshot.session.state.title != "after 1"
        assert snapshot.mailbox.box.inbox == (waiting("m1"),)
        assert await store.turn("c1", "m1") is None
        assert await store.messages("c1", 0, 10) == []
        assert await store.record("c1", "findings", "new") is None

    async def test_over_an_older_session_nothing_is_written(self, store):
        await create(store)
        snapshot, mailbox = await take(store)
        await write(store, snapshot.session)
        with pytest.raises(VersionConflict):
            await store.commit_turn(commit_of(snapshot, mailbox, records=(finding("new"),)))
        await self.nothing_of_it_is_there(store)

    async def test_over_an_older_mailbox_nothing_is_written(self, store):
        await create(store)
        snapshot, mailbox = await take(store)
        await write_mailbox(store, mailbox)
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
        assert await store.export("c1") == []

    async def test_of_two_at_once_over_one_reading_one_is_written(self, store):
        await create(store)
        snapshot, mailbox = await take(store)
        outcomes = await asyncio.gather(
            *(store.commit_turn(commit_of(snapshot, mailbox)) for _ in range(2)), return_exceptions=True
        )
        assert [type(outcome) for outcome in outcomes if outcome] == [VersionConflict]


class TestSavingAState:
    async def test_state_view_and_records_are_written(self, store):
        snapshot = await create(store)
        ended = snapshot.session.state.model_copy(update={"status": SessionStatus.COMPLETED, "title": "끝"})
        await store.save_state(Versioned(ended, snapshot.session.version), view_of(ended), [finding()])
        assert (await store.load("c1")).session.state.title == "끝"
        assert (await store.view("c1")).title == "끝"
        assert (await store.record("c1", "findings", "1"))["record_id"] == "1"

    async def test_a_message_is_told_anew_in_its_place_and_kept_no_longer(self, store, database):
        snapshot = await create(store)
        anew = greeting("다른 인사")
        await store.save_state(snapshot.session, view_of(snapshot.session.state), messages=[anew])
        assert await store.messages("c1", -1, 10) == [anew]
        (document,) = await database.get(["conversations/c1/messages/0-counselor"])
        assert document.data["expire_at"] == anew.created_at + RETENTION

    async def test_over_an_older_one_nothing_is_written(self, store):
        snapshot = await create(store)
        await write(store, snapshot.session)
        other = snapshot.session.state.model_copy(update={"title": "late"})
        with pytest.raises(VersionConflict):
            await store.save_state(Versioned(other, snapshot.session.version), view_of(other), [finding()])
        assert (await store.load("c1")).session.state.title == ""
        assert (await store.view("c1")).title == ""
        assert await store.record("c1", "findings", "1") is None

    async def test_a_record_is_written_once(self, store):
        snapshot = await create(store)
        await write(store, snapshot.session, finding(text="first"))
        again = (await store.load("c1")).session
        with pytest.raises(DocumentExists):
            await write(store, again, finding(text="second"))
        assert (await store.record("c1", "findings", "1"))["text"] == "first"


class Request(Record):
    """A record that a job rewrites when it has dealt with it."""

    collection = "requests"
    seq: int
    status: str = "pending"


class TestRewritingRecords:
    def request(self, seq, **more):
        return Request(record_id=f"{seq}-x", created_at=NOW, expire_at=LATER, seq=seq, **more)

    async def ids(self, store, status="pending", newest=10):
        return [found["record_id"] for found in await store.records("c1", "requests", status, newest)]

    async def test_a_stored_record_is_written_anew_with_the_state(self, store):
        snapshot = await create(store)
        await write(store, snapshot.session, self.request(1), self.request(2))
        done = Rewritten(self.request(1, status="done"))
        await write(store, (await store.load("c1")).session, done, self.request(3))
        assert (await self.ids(store), await self.ids(store, "done")) == (["2-x", "3-x"], ["1-x"])
        found = await store.record("c1", "requests", "1-x")
        assert Request.model_validate(found) == done.record

    async def test_over_an_older_state_nothing_is_rewritten(self, store):
        snapshot = await create(store)
        await write(store, snapshot.session, self.request(1))
        with pytest.raises(VersionConflict):
            await write(store, snapshot.session, Rewritten(self.request(1, status="done")))
        assert await self.ids(store) == ["1-x"]

    async def test_the_newest_of_a_status_come_by_their_turns_the_oldest_first(self, store):
        snapshot = await create(store)
        late = self.request(9, status="done")
        await write(store, snapshot.session, *(self.request(seq) for seq in (10, 2, 1)), late)
        assert await self.ids(store) == ["1-x", "2-x", "10-x"]
        assert await self.ids(store, newest=2) == ["2-x", "10-x"]
        assert await self.ids(store, "lost") == []


class TestTheHistory:
    @pytest.fixture
    async def told(self, store):
        await create(store)
        for seq in range(1, 13):
            await commit_turn(store, seq)
        return store

    async def test_is_in_order_beyond_nine_turns_and_the_user_speaks_first(self, told):
        found = await told.messages("c1", -1, 100)
        expected = [(0, "counselor")] + [(seq, role) for seq in range(1, 13) for role in ("user", "counselor")]
        assert [(entry.seq, entry.role.value) for entry in found] == expected
        assert found[1:3] == list(spoken(1))

    async def test_comes_by_whole_turns_behind_a_turn(self, told, subtests):
        for after, limit, seqs in ((-1, 3, [0, 1, 2]), (0, 2, [1, 2]), (5, 3, [6, 7, 8]), (11, 5, [12]), (12, 5, [])):
            with subtests.test(after=after, limit=limit, seqs=seqs):
                found = await told.messages("c1", after, limit)
                assert sorted({entry.seq for entry in found}) == seqs
                assert len(found) == sum(1 if seq == 0 else 2 for seq in seqs)

    async def test_page_by_page_is_whole_and_without_repeats(self, told):
        whole, after = [], -1
        while page := await told.messages("c1", after, 5):
            whole += page
            after = page[-1].seq
        assert whole == await told.messages("c1", -1, 100)


class TestAUsersConversations:
    @pytest.fixture
    async def opened(self, store):
        for number in range(5):
            at = NOW + timedelta(minutes=number)
            await create(store, full_session(f"c{number}", "u1").model_copy(update={"created_at": at}))
        await create(store, full_session("x1", "u2"))
        return store

    async def test_are_the_newest_first_and_no_other_users(self, opened):
        found = await opened.views_of("u1", None, 10)
        assert [view.conversation_id for view in found] == ["c4", "c3", "c2", "c1", "c0"]

    async def test_come_in_pages(self, opened):
        first = await opened.views_of("u1", None, 2)
        second = await opened.views_of("u1", first[-1].created_at, 2)
        assert [view.conversation_id for view in first + second] == ["c4", "c3", "c2", "c1"]

    async def test_of_nobody_are_none(self, opened):
        assert await opened.views_of("u9", None, 10) == []
        assert await opened.conversations_of("u9") == []

    async def test_are_listed_by_id_all_of_them_or_those_since_a_time(self, opened):
        assert await opened.conversations_of("u1") == ["c4", "c3", "c2", "c1", "c0"]
        assert await opened.conversations_of("u1", since=NOW + timedelta(minutes=2)) == ["c4", "c3", "c2"]

    async def test_are_listed_though_one_cannot_be_read(self, opened, database):
        (document,) = await database.get(["conversations/c2"])
        await database.commit([Put(document.path, {**document.data, "progress": "broken"})])
        with pytest.raises(DocumentUnreadable):
            await opened.views_of("u1", None, 10)
        assert await opened.conversations_of("u1") == ["c4", "c3", "c2", "c1", "c0"]


class TestRights:
    async def test_the_export_holds_every_document_as_json(self, store):
        await create(store)
        await commit_turn(store, 1, records=(finding(text="f"),))
        exported = dict(await store.export("c1"))
        assert set(exported) == {
            "conversations/c1",
            "conversations/c1/messages/0-counselor",
            "conversations/c1/messages/1-user",
            "conversations/c1/messages/1-counselor",
            "sessions/c1",
            "mailboxes/c1",
            "sessions/c1/findings/1",
            "sessions/c1/turns/m1",
        }
        assert exported["sessions/c1"]["user_info"] == {"name": "지민", "count": 0, "prior": False, "nobody": ""}
        assert datetime.fromisoformat(exported["sessions/c1"]["created_at"]) == NOW
        assert exported["conversations/c1/messages/1-user"]["text"] == "user 1"

    async def test_the_export_holds_the_words_of_a_message_that_waits(self, store):
        await create(store)
        await take(store, text="아직 답을 못 받은 말")
        exported = dict(await store.export("c1"))
        assert [waiting["text"] for waiting in exported["mailboxes/c1"]["inbox"]] == ["아직 답을 못 받은 말"]

    async def test_an_erased_conversation_leaves_nothing_and_others_alone(self, store):
        await create(store)
        await create(store, full_session("c10"))
        await commit_turn(store, 1, records=(finding(),))
        await take(store, "m2")
        for _ in range(2):
            await store.erase("c1")
        assert await store.load("c1") is None
        assert await store.view("c1") is None
        assert await store.turn("c1", "m1") is None
        assert await store.messages("c1", -1, 10) == []
        assert await store.export("c1") == []
        assert await store.load("c10") is not None


class TestTheSweep:
    async def test_finds_sessions_whose_work_is_overdue_the_oldest_first_and_page_by_page(self, store):
        for number in range(5):
            since = NOW + timedelta(minutes=number) if number else None
            await create(store, full_session(f"c{number}", due_since=since))
        until = NOW + timedelta(minutes=3)
        found = await store.overdue(until, None, 2)
        assert [state.conversation_id for state in found] == ["c1", "c2"]
        rest = await store.overdue(until, found[-1].due_since, 2)
        assert [state.conversation_id for state in rest] == ["c3"]
        assert await store.overdue(NOW, None, 9) == []

    async def test_finds_mailboxes_in_which_messages_wait(self, store):
        for name in ("c1", "c2"):
            await create(store, full_session(name))
        await take(store)
        assert [box.conversation_id for box in await store.waiting(LATER, None, 9)] == ["c1"]
        assert await store.waiting(NOW - timedelta(seconds=1), None, 9) == []

    async def test_no_longer_finds_what_is_answered(self, store):
        await create(store)
        await commit_turn(store, 1)
        assert await store.waiting(LATER, None, 9) == []


class TestDocuments:
    async def test_retention_and_order_stand_as_times_and_the_rest_as_json(self, store, database):
        await create(store)
        await commit_turn(store, 1, records=(finding(),))
        for path in (
            "sessions/c1",
            "mailboxes/c1",
            "sessions/c1/turns/m1",
            "sessions/c1/findings/1",
            "conversations/c1",
            "conversations/c1/messages/1-user",
        ):
            (document,) = await database.get([path])
            assert isinstance(document.data["expire_at"], datetime), path
            assert document.data["expire_at"].tzinfo is not None
        (stored,) = await database.get(["sessions/c1"])
        assert (stored.data["register"], stored.data["schema_version"]) == ("존댓말", 1)
        assert stored.data["tasks"][0]["status"] == "in_progress"

    async def test_times_keep_their_instant(self, store):
        state = full_session()
        odd = datetime(2026, 11, 1, 9, 0, 0, 123456, tzinfo=UTC)
        await create(store, state.model_copy(update={"updated_at": odd}))
        assert (await store.load("c1")).session.state.updated_at == odd
