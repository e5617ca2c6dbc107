"""The contract of `ConversationStore`: `DocumentConversationStore` over each database."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.conversation import RETENTION, Message, Role
from shared.domain.counseling.measure_events import MeasureTaken
from shared.domain.counseling.measures import MeasureAnswers, MeasureResult
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import DocumentExists, DocumentUnreadable, VersionConflict
from shared.domain.mailbox import QueuedMessage, claim, receive, renew, settle
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.turn import Hook, TurnResult
from shared.ports.conversation_documents import TurnCommit, Versioned, VersionedMailbox
from shared.ports.document_writes import Put
from tests.builders.conversations import LATER, finding, greeting, opened, view_of, write
from tests.builders.sessions import NOW, session, slot, task
from tests.builders.turn_records import turn_record

USER_INFO = {"name": "지민", "count": 0, "prior": False, "nobody": ""}
TASK = task("a", status="in_progress", required_slots=(slot("name", kind="name"),), started_at=NOW)
LINE = AuditEntry(audit_id="a1", at=NOW, conversation_id="c1", rule="r", level="l", action="a", actor_id="rae")
CONSENTS = {"terms": {"granted": True, "version": "1", "at": NOW}}
FULL = {"tasks": (TASK,), "current_task": "a", "user_info": USER_INFO, "consents": CONSENTS}


async def create(store, **more):
    return await opened(store, **FULL, **more)


def waiting(message_id="m1", text="안녕"):
    return QueuedMessage(message_id=message_id, text=text, received_at=NOW)


async def take(store, message_id="m1", text="안녕"):
    """Store a message and claim the lease for it."""
    snapshot = await store.load("c1")
    box = claim(receive(snapshot.mailbox.box, waiting(message_id, text), LATER), "one", NOW)
    return snapshot, await store.save_mailbox(VersionedMailbox(box, snapshot.mailbox.version))


def spoken(seq, message_id="m1"):
    asked = Message(seq=seq, role=Role.USER, text=f"user {seq}", created_at=NOW, message_id=message_id)
    replied = asked.model_copy(update={"role": Role.COUNSELOR, "text": f"notice {seq}", "fixed": ("notice",)})
    return asked, replied


def commit_of(snapshot, mailbox, seq=1, message_id="m1", **more):
    state = snapshot.session.state.model_copy(update={"seq": seq, "state_version": seq, "title": f"after {seq}"})
    hooks = (Hook(type="h", data={"x": [1, None, {"y": "z"}]}),)
    reply = {"reply": f"reply {seq}", "state_snapshot": {"n": seq}, "hooks": hooks}
    result = TurnResult(message_id=message_id, seq=seq, **reply)
    return TurnCommit(
        session=Versioned(state, snapshot.session.version),
        mailbox=VersionedMailbox(settle(mailbox.box, mailbox.box.lease.token), mailbox.version),
        turn=turn_record("c1", seq, message_id=message_id, text="안녕", expire_at=LATER, result=result),
        messages=spoken(seq, message_id),
        view=view_of(state),
        **more,
    )


async def commit_turn(store, seq, **more):
    snapshot, mailbox = await take(store, f"m{seq}")
    commit = commit_of(snapshot, mailbox, seq, f"m{seq}", **more)
    await store.commit_turn(commit)
    return commit


async def write_mailbox(store, mailbox):
    box = renew(mailbox.box, mailbox.box.lease.token, LATER)
    return await store.save_mailbox(VersionedMailbox(box, mailbox.version))


def ids(found):
    return [one.conversation_id for one in found]


async def assert_nothing_is_left(store, name="c1"):
    assert [await store.load(name), await store.view(name), await store.mailbox(name)] == [None] * 3
    assert [await store.turn(name, "m1"), await store.record(name, "findings", "1")] == [None] * 2
    assert [await store.messages(name, -1, 10), await store.export(name)] == [[], []]


class TestCreating:
    async def test_a_created_conversation_is_loaded_unchanged_with_its_greeting_as_history(self, store):
        odd = datetime(2026, 11, 1, 9, 0, 0, 123456, tzinfo=UTC)
        state, snapshot = session(**FULL, updated_at=odd), await create(store, updated_at=odd)
        assert (snapshot.session.state, snapshot.session.state.user_info["prior"]) == (state, False)
        assert (snapshot.mailbox.box.inbox, snapshot.mailbox.box.lease) == ((), None)
        assert snapshot.mailbox.box.expire_at == state.expire_at
        assert await store.messages("c1", -1, 10) == [greeting()]
        assert await store.view("c1") == view_of(state)

    async def test_an_id_is_created_once_and_an_unknown_id_gives_nothing(self, store):
        await create(store)
        other = session(user_id="u2")
        with pytest.raises(DocumentExists):
            await store.create(other, greeting("다른 인사"), view_of(other))
        assert (await store.load("c1")).session.state.user_id == "u1"
        assert await store.messages("c1", -1, 10) == [greeting()]
        await assert_nothing_is_left(store, "c9")


class TestReceiving:
    async def test_any_text_is_queued_in_the_mailbox_unchanged_and_has_no_turn_record_yet(self, store):
        hostile = "\x00\u202e👩‍👧\n\t\"'\\ </x> ﷽ " + "가" * 4000
        await create(store)
        _, mailbox = await take(store, text=hostile)
        assert (await store.load("c1")).mailbox == await store.mailbox("c1") == mailbox
        assert mailbox.box.inbox == (waiting(text=hostile),)
        assert (mailbox.box.certainly_new("m1"), mailbox.box.certainly_new("m2")) == (False, True)
        assert await store.turn("c1", "m1") is None

    async def test_mailbox_writes_do_not_conflict_with_session_writes(self, store):
        snapshot = await create(store)
        _, mailbox = await take(store)
        await write(store, snapshot.session)
        assert (await write_mailbox(store, mailbox)).version != mailbox.version
        with pytest.raises(VersionConflict):
            await store.save_mailbox(mailbox)


class TestTheReviewersQueue:
    async def test_is_listed_by_status_in_order_of_place_and_in_pages(self, store):
        places = ["open.02.a.c1", "open.00.b.c2", "open.00.a.c3", "seen.00.a.c4", None]
        for number, place in enumerate(places, 1):
            await opened(store, f"c{number}", review_place=place)
        found = await store.for_review("open", None, 2)
        assert ids(found) == ["c3", "c2"]
        assert ids(await store.for_review("open", found[-1].review_place, 2)) == ["c1"]
        assert ids(await store.for_review("seen", None, 9)) == ["c4"]

    async def test_a_line_of_the_audit_trail_is_written_once(self, store, database):
        await store.add_audit(LINE)
        with pytest.raises(DocumentExists):
            await store.add_audit(LINE)
        (found,) = await database.get(["audit/a1"])
        assert found.data["actor_id"] == "rae"


class TestCommittingATurn:
    async def test_writes_every_document_of_the_turn(self, store, database):
        await create(store)
        commit = await commit_turn(store, 1, records=(finding(text="f"),), audit=(LINE,))
        snapshot = await store.load("c1")
        assert (snapshot.session.state, snapshot.mailbox.box) == (commit.session.state, commit.mailbox.box)
        assert await store.turn("c1", "m1") == commit.turn
        assert await store.view("c1") == commit.view
        assert await store.messages("c1", 0, 10) == list(spoken(1))
        assert (await store.record("c1", "findings", "1"))["text"] == "f"
        assert [line.path for line in await database.tree("audit")] == ["audit/a1"]
        assert await store.waiting(LATER, None, 9) == [], "the sweep finds only unanswered messages"

    async def assert_nothing_was_committed(self, store):
        snapshot = await store.load("c1")
        assert snapshot.session.state.title != "after 1"
        assert snapshot.mailbox.box.inbox == (waiting("m1"),)
        assert await store.turn("c1", "m1") is None
        assert await store.messages("c1", 0, 10) == []
        assert await store.record("c1", "findings", "new") is None

    @pytest.mark.parametrize("older", ["session", "mailbox"])
    async def test_over_a_changed_session_or_mailbox_writes_nothing(self, store, older):
        await create(store)
        snapshot, mailbox = await take(store)
        await (write(store, snapshot.session) if older == "session" else write_mailbox(store, mailbox))
        with pytest.raises(VersionConflict):
            await store.commit_turn(commit_of(snapshot, mailbox, records=(finding("new"),)))
        await self.assert_nothing_was_committed(store)

    async def test_with_an_existing_record_writes_nothing_and_names_the_record_in_the_error(self, store):
        before = await create(store)
        await write(store, before.session, finding("old", text="first"))
        snapshot, mailbox = await take(store)
        with pytest.raises(DocumentExists) as caught:
            await store.commit_turn(commit_of(snapshot, mailbox, records=(finding("new"), finding("old"))))
        assert caught.value.path.endswith("/findings/old")
        await self.assert_nothing_was_committed(store)
        assert (await store.record("c1", "findings", "old"))["text"] == "first"

    async def test_of_an_answered_message_writes_nothing_and_names_the_turn_record_in_the_error(self, store):
        await create(store)
        before = await commit_turn(store, 1)
        snapshot, mailbox = await take(store, "m1")
        with pytest.raises(DocumentExists) as caught:
            await store.commit_turn(commit_of(snapshot, mailbox, 2, "m1", records=(finding("new"),)))
        assert caught.value.path.endswith("/turns/m1")
        assert await store.turn("c1", "m1") == before.turn
        assert (await store.load("c1")).session.state == before.session.state
        assert await store.messages("c1", 1, 10) == []
        assert await store.record("c1", "findings", "new") is None

    async def test_of_an_erased_conversation_writes_nothing(self, store):
        await create(store)
        snapshot, mailbox = await take(store)
        await store.erase("c1")
        with pytest.raises(VersionConflict):
            await store.commit_turn(commit_of(snapshot, mailbox))
        await assert_nothing_is_left(store)


class Request(Record):
    collection = "requests"
    seq: int
    status: str = "pending"


class TestSavingAState:
    async def test_writes_state_view_and_records_and_replaces_a_message(self, store, database):
        snapshot, replacement = await create(store), greeting("다른 인사")
        ended = snapshot.session.state.model_copy(update={"status": SessionStatus.COMPLETED, "title": "끝"})
        state = Versioned(ended, snapshot.session.version)
        await store.save_state(state, view_of(ended), [finding()], messages=[replacement])
        assert (await store.load("c1")).session.state.title == "끝"
        assert (await store.view("c1")).status == SessionStatus.COMPLETED
        assert (await store.record("c1", "findings", "1"))["record_id"] == "1"
        assert await store.messages("c1", -1, 10) == [replacement]
        (document,) = await database.get(["conversations/c1/messages/0-counselor"])
        assert document.data["expire_at"] == replacement.created_at + RETENTION, (
            "the replacement expires with the first version"
        )

    async def test_over_a_changed_session_or_an_existing_record_writes_nothing(self, store):
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

    async def test_rewrites_a_record_and_the_newest_records_of_a_status_are_listed_in_order(self, store):
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


async def test_answers_to_a_measure_are_replaced_and_the_view_has_the_newest_result(store):
    await create(store)
    for total in (4, 2):
        result = MeasureResult(total=total, highest=27, band="least", measure="phq9", moment="start", seq=0, at=NOW)
        read = (await store.load("c1")).session
        answers = MeasureAnswers(
            record_id="phq9-start",
            created_at=NOW,
            expire_at=LATER,
            measure="phq9",
            moment="start",
            locale="ko",
            answers={"sleep": total},
            result={"total": total, "highest": 27, "band": "least"},
            seq=0,
        )
        state = MeasureTaken(result=result).apply(read.state, NOW)
        record = Rewritten(answers) if read.state.measures else answers
        await store.save_state(Versioned(state, read.version), view_of(state), [record])
    assert MeasureAnswers.model_validate(await store.record("c1", "measures", "phq9-start")) == answers
    assert (await store.load("c1")).session.state.measures == (result,)
    (view,) = await store.views_of("u1", None, 10)
    assert [(one["measure"], one["moment"], one["total"]) for one in view.measures] == [("phq9", "start", 2)]
    assert "sessions/c1/measures/phq9-start" in [path for path, _ in await store.export("c1")]


async def test_the_history_is_in_order_beyond_nine_turns_and_is_paged_by_whole_turns(store, subtests):
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


async def test_a_users_conversations_are_listed_newest_first_and_their_ids_even_if_one_is_unreadable(store, database):
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


class TestExportAndErasure:
    async def test_the_export_holds_every_document_as_json_including_waiting_messages(self, store, database):
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
        for document in await database.get(list(exported)):
            assert document.data["expire_at"].tzinfo is not None, f"{document.path}: the expiry is stored as a time"

    async def test_erasing_a_conversation_removes_all_its_documents_and_no_others(self, store):
        await create(store)
        await opened(store, "c10")
        await commit_turn(store, 1, records=(finding(),))
        await take(store, "m2")
        for _ in range(2):
            await store.erase("c1")
        await assert_nothing_is_left(store)
        assert await store.load("c10") is not None


async def test_the_sweep_finds_overdue_sessions_oldest_first_and_mailboxes_with_waiting_messages(store):
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
