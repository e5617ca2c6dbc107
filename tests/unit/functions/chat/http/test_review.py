"""What reviewers get, and who is one."""

import json

from shared.domain.counseling.records import Supervision
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.ports.document_writes import Put
from shared.safety.levels import CrisisOutcome
from tests.support.reviewing import QUEUE, SECRET, change, flag, looked, seen, talked


async def audit(world):
    entries = [document.data for document in await world.database.tree("audit")]
    staff = [entry for entry in entries if entry["actor_id"] is not None]
    return [
        (entry["actor_id"], entry["action"], entry["conversation_id"], entry["rule"], entry["level"])
        for entry in sorted(staff, key=lambda entry: entry["at"])
    ]


async def test_nobody_but_a_reviewer_learns_whether_there_is_anything(world, mine, subtests):
    for who in ("ann", "ann/user", "ann/reviewers", "ann/REVIEWER", "ann/admin"):
        with subtests.test(who=who):
            await flag(world, mine, FlagReason.CRISIS)
            async with world.client(who) as client:
                answers = [
                    await client.get(QUEUE),
                    await client.get(f"{QUEUE}/{mine}"),
                    await client.get(f"{QUEUE}/nothing"),
                    await client.post(f"{QUEUE}/{mine}/seen", json={"note": "봄", "look": "l"}),
                    await client.post(f"{QUEUE}/nothing/seen", content="{"),
                ]
            assert {(one.status_code, one.json()["code"]) for one in answers} == {(403, "forbidden")}
            assert await audit(world) == []


async def test_without_a_token_that_holds_nobody_is_anything(world, mine):
    for who in (None, "forged/reviewer"):
        async with world.client(who) as client:
            assert (await client.get(QUEUE)).status_code == 401


async def test_a_reviewer_has_no_way_around_the_queue(staff, mine):
    for path in (f"/api/conversations/{mine}", f"/api/conversations/{mine}/messages", f"{QUEUE}/{mine}"):
        assert (await staff.get(path)).status_code == 404, path


async def test_the_queue_shows_what_is_open_the_most_pressing_first_page_by_page(world, staff):
    names = [await world.conversation(f"user{number}") for number in range(4)]
    await flag(world, names[0], FlagReason.DEGRADED)
    await flag(world, names[1], FlagReason.CRISIS)
    await flag(world, names[2], FlagReason.DEGRADED, FlagReason.IMMINENT)
    await flag(world, names[3], FlagReason.CRISIS)
    await world.conversation("calm")

    first = (await staff.get(QUEUE, params={"limit": 3})).json()
    rest = (await staff.get(QUEUE, params={"limit": 3, "after": first["next"]})).json()

    assert [entry["conversation_id"] for entry in first["entries"]] == [names[2], names[1], names[3]]
    assert [entry["conversation_id"] for entry in rest["entries"]] == [names[0]]
    assert rest["next"] is None
    assert [flag["reason"] for flag in first["entries"][0]["flags"]] == ["imminent", "degraded"]
    assert (await staff.get(QUEUE, params={"status": "seen"})).json() == {"entries": [], "next": None}


async def test_the_list_holds_no_words_and_nobodys_name(world, staff, mine):
    await talked(world, mine)
    await flag(world, mine, FlagReason.CRISIS)
    text = (await staff.get(QUEUE)).text
    assert SECRET not in text
    assert "ann" not in text
    assert "저는 AI예요" not in text


async def test_a_look_shows_the_flagged_turns_and_those_around_them_only(world, staff, mine):
    await talked(world, mine, turns=30)
    await flag(world, mine, FlagReason.CRISIS, seq=20)
    found = (await staff.get(f"{QUEUE}/{mine}")).json()
    assert [(one["seq"], one["role"]) for one in found["messages"]] == [
        (seq, role) for seq in range(17, 23) for role in ("user", "counselor")
    ]
    assert {one["seq"] for one in found["messages"] if one["flagged"]} == {20}
    assert (found["latest_seq"], found["risk"], found["entry"]["status"]) == (30, "none", "open")


async def test_a_look_shows_what_the_supervisor_said(world, staff, mine):
    await talked(world, mine)
    state = (await world.store.load(mine)).session.state
    judged = Supervision(
        record_id="3",
        created_at=world.clock.now(),
        expire_at=state.expire_at,
        seq=3,
        scores={"empathy": 2},
        total=2.0,
        improvements=("먼저 되비춰 주세요.",),
        strengths=(),
        needs_improvement=True,
    )
    await change(world, mine, FlaggedForReview(reason=FlagReason.RED_ITEM, seq=3), records=(judged,))
    (shown,) = (await staff.get(f"{QUEUE}/{mine}")).json()["judgements"]
    assert shown == {"seq": 3, "total": 2.0, "scores": {"empathy": 2}, "improvements": ["먼저 되비춰 주세요."]}


async def test_a_page_begins_behind_an_entry_of_its_own_status(staff):
    assert {
        after: got
        for after in ("x", "open", "seen.02.20261101T000000000000Z.c1", "open.2.x.c1")
        if (got := (await staff.get(QUEUE, params={"after": after})).status_code) != 422
    } == {}


async def test_every_list_look_and_mark_is_in_the_audit_trail_without_a_word_of_it(world, staff, mine):
    await talked(world, mine)
    await change(world, mine, RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("ko-1",), seq=3))
    await staff.get(QUEUE)
    await staff.get(f"{QUEUE}/{mine}")
    await staff.get(f"{QUEUE}/{mine}", params={"purpose": "complaint"})
    await staff.get(f"{QUEUE}/unknown")
    mark = {"note": "비밀스러운 메모", "look": (await looked(staff, mine))["look"], "clear_risk": True}
    for _ in range(2):
        await staff.post(f"{QUEUE}/{mine}/seen", json=mark)

    turns = "turns 0-9"
    assert await audit(world) == [
        ("rae", "review_listed", "", "review_queue", "open"),
        ("rae", "review_looked", mine, "safety_review", "crisis"),
        ("rae", "review_looked", mine, "complaint", "crisis"),
        ("rae", "review_looked", "unknown", "safety_review", "none"),
        ("rae", "review_looked", mine, "safety_review", "crisis"),
        ("rae", "review_seen_risk_cleared", mine, "review_queue", turns),
        ("rae", "review_seen", mine, "review_queue", turns),
    ]
    trail = json.dumps([str(document.data) for document in await world.database.tree("audit")], ensure_ascii=False)
    assert SECRET not in trail
    assert "메모" not in trail
    assert "ann" not in trail


async def test_where_the_audit_trail_cannot_be_written_nothing_is_shown(world, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    lines = [f"audit/review-id{number}" for number in range(1, 9)]
    await world.database.commit([Put(path, {"taken": True}) for path in lines])
    for path in (QUEUE, f"{QUEUE}/{mine}"):
        answered = await staff.get(path)
        assert answered.status_code == 500
        assert mine not in answered.text


async def test_the_queue_forgets_whoever_is_erased(world, ann, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    await seen(staff, mine)
    await ann.delete(f"/api/conversations/{mine}")
    assert (await staff.get(QUEUE, params={"status": "seen"})).json()["entries"] == []
    assert (await staff.get(f"{QUEUE}/{mine}")).status_code == 404
    assert (await staff.post(f"{QUEUE}/{mine}/seen", json={"note": "봤어요", "look": "l"})).status_code == 404
    left = [document.path for document in await world.database.tree(f"sessions/{mine}")]
    assert left == []


async def test_a_user_sees_nothing_of_the_queue_in_what_the_service_shows(world, ann, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    await seen(staff, mine, "비밀스러운 메모")
    shown = (await ann.get(f"/api/conversations/{mine}")).text + (await ann.get("/api/conversations")).text
    assert "메모" not in shown
    assert "review" not in shown


async def test_what_a_reviewer_wrote_is_in_the_export_and_who_they_are_is_not(world, ann, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    await seen(staff, mine, "안내를 확인했어요")
    exported = await ann.get(f"/api/conversations/{mine}/export")
    (note,) = [one["fields"] for one in exported.json()["documents"] if "/reviewer_notes/" in one["path"]]
    assert note["note"] == "안내를 확인했어요"
    assert '"rae"' not in exported.text
