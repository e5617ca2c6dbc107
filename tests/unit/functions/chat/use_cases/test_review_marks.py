"""What a reviewer marks as seen: what they were shown, and nothing else."""

import pytest

from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.staff_review import FlagReason
from shared.safety.levels import CrisisOutcome
from tests.support.reviewing import QUEUE, change, flag, looked, seen, talked


async def test_marked_as_seen_it_leaves_the_queue_with_a_note_until_something_newer_is_flagged(world, staff, mine):
    await talked(world, mine)
    await flag(world, mine, FlagReason.CRISIS, seq=3)

    marked = await seen(staff, mine, " 109 안내 확인했어요. ")

    assert marked.status_code == 200, marked.text
    assert (marked.json()["status"], marked.json()["seen_upto"]) == ("seen", 5)
    assert (await staff.get(QUEUE)).json()["entries"] == []
    (entry,) = (await staff.get(QUEUE, params={"status": "seen"})).json()["entries"]
    assert entry["conversation_id"] == mine
    (note,) = (await staff.get(f"{QUEUE}/{mine}")).json()["notes"]
    assert (note["by"], note["note"], note["upto_seq"], note["cleared_risk"]) == (
        "rae",
        "109 안내 확인했어요.",
        5,
        False,
    )
    await flag(world, mine, FlagReason.DEGRADED, seq=10)
    assert (await staff.get(QUEUE)).json()["entries"][0]["priority"] == "degraded"


async def test_the_same_mark_again_leaves_one_note(world, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    mark = {"note": "봤어요", "look": (await looked(staff, mine))["look"]}
    for _ in range(2):
        assert (await staff.post(f"{QUEUE}/{mine}/seen", json=mark)).status_code == 200
    assert len((await looked(staff, mine))["notes"]) == 1


async def test_a_mark_that_does_not_fit_marks_nothing(world, staff, mine, subtests):
    cases = [
        ({"note": None}, "invalid_request"), ({"note": ""}, "invalid_request"),
        ({"note": " \u200b "}, "empty_text"), ({"note": "가" * 1001}, "invalid_request"),
        ({"look": None}, "invalid_request"), ({"look": ""}, "invalid_request"),
        ({"look": "review-id999"}, "invalid_request"), ({"upto_seq": 9}, "invalid_request"),
        ({"clear_risk": "yes"}, "invalid_request"),
    ]  # fmt: skip
    for body, code in cases:
        with subtests.test(body=body, code=code):
            await flag(world, mine, FlagReason.CRISIS)
            mark = {"note": "봄", "look": (await looked(staff, mine))["look"], **body}
            answered = await staff.post(
                f"{QUEUE}/{mine}/seen", json={name: value for name, value in mark.items() if value is not None}
            )
            assert (answered.status_code, answered.json()["code"]) == (422, code)
            assert (await staff.get(QUEUE)).json()["entries"][0]["status"] == "open"


async def test_nobody_marks_what_they_were_not_shown(world, staff, mine):
    await talked(world, mine, turns=30)
    other = await world.conversation("bob")
    await flag(world, mine, FlagReason.CRISIS, seq=2)
    await flag(world, other, FlagReason.CRISIS)
    elsewhere = (await looked(staff, other))["look"]
    refused = await staff.post(f"{QUEUE}/{mine}/seen", json={"note": "봄", "look": elsewhere})
    assert (refused.status_code, "열어 본 뒤에" in refused.json()["detail"]) == (422, True)

    await flag(world, mine, FlagReason.CRISIS, seq=29)
    shown = await looked(staff, mine)
    assert shown["shown"] == [{"first": 0, "last": 4}, {"first": 26, "last": 30}]
    await staff.post(f"{QUEUE}/{mine}/seen", json={"note": "봄", "look": shown["look"]})
    waiting = []
    for late in (27, 15):
        await flag(world, mine, FlagReason.RED_ITEM, seq=late)
        entries = (await staff.get(QUEUE)).json()["entries"]
        waiting.append([entry["priority"] for entry in entries if entry["conversation_id"] == mine])
    assert waiting == [[], ["red_item"]]


async def test_a_turn_that_came_after_the_look_is_not_marked_by_it(world, staff, mine):
    await talked(world, mine, turns=3)
    await flag(world, mine, FlagReason.CRISIS, seq=3)
    shown = await looked(staff, mine)
    await flag(world, mine, FlagReason.DEGRADED, seq=4)
    marked = await staff.post(f"{QUEUE}/{mine}/seen", json={"note": "봄", "look": shown["look"]})
    assert (marked.json()["status"], marked.json()["priority"]) == ("open", "degraded")


async def test_the_follow_through_is_left_only_where_the_reviewer_says_so_and_saw_all_of_it(world, staff, mine):
    await talked(world, mine, turns=70)
    await change(world, mine, RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("ko-1",), seq=4))
    first = await looked(staff, mine)
    assert ({one["seq"] for one in first["messages"]}, first["clearable"]) == (set(range(1, 64)), False)
    mark = {"note": "안전을 확인했어요", "look": first["look"], "clear_risk": True}
    assert (await staff.post(f"{QUEUE}/{mine}/seen", json=mark)).status_code == 422
    assert (await staff.post(f"{QUEUE}/{mine}/seen", json={**mark, "clear_risk": False})).json()["follow_through"]
    rest = await looked(staff, mine)
    assert (rest["shown"][-1]["last"], rest["clearable"]) == (70, True)
    cleared = await staff.post(f"{QUEUE}/{mine}/seen", json={**mark, "look": rest["look"]})
    assert not cleared.json()["follow_through"]


async def test_a_danger_that_is_newer_than_the_look_is_not_cleared_by_it(world, staff, mine):
    await talked(world, mine)
    await change(world, mine, RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("ko-1",), seq=7))
    shown = await looked(staff, mine)
    await change(world, mine, RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("ko-1",), seq=10))
    mark = {"note": "안전을 확인했어요", "look": shown["look"], "clear_risk": True}
    assert (await staff.post(f"{QUEUE}/{mine}/seen", json=mark)).status_code == 422
    assert await cleared(world, staff, mine) == ([], [])
    marked = (await staff.post(f"{QUEUE}/{mine}/seen", json={**mark, "clear_risk": False})).json()
    assert (marked["status"], marked["follow_through"]) == ("open", True)


async def cleared(world, staff, mine):
    """Return what trail and notes say of a risk that was cleared."""
    lines = [document.data["action"] for document in await world.database.tree("audit")]
    notes = (await looked(staff, mine))["notes"]
    return [line for line in lines if line == "review_seen_risk_cleared"], [one for one in notes if one["cleared_risk"]]


async def test_a_concern_is_cleared_by_who_saw_its_newest_finding(world, staff, mine):
    await talked(world, mine)
    await flag(world, mine, FlagReason.DEGRADED, seq=7)
    shown = await looked(staff, mine)
    await change(world, mine, RiskRaised(outcome=CrisisOutcome.CONCERN, rule_ids=("ko-1",), seq=10))
    mark = {"note": "안전을 확인했어요", "look": shown["look"], "clear_risk": True}
    assert (await staff.post(f"{QUEUE}/{mine}/seen", json=mark)).status_code == 422
    await talked(world, mine, turns=10)
    assert (await seen(staff, mine, clear_risk=True)).status_code == 200
    assert (await looked(staff, mine))["risk"] == "none"
    assert [len(found) for found in await cleared(world, staff, mine)] == [1, 1]


async def test_where_there_was_no_risk_nothing_is_said_to_be_cleared(world, staff, mine):
    await talked(world, mine)
    await flag(world, mine, FlagReason.DEGRADED, seq=3)
    assert (await seen(staff, mine, clear_risk=True)).json()["status"] == "seen"
    assert await cleared(world, staff, mine) == ([], [])


@pytest.mark.parametrize("outcome", [CrisisOutcome.CRISIS, CrisisOutcome.ABUSE_NOW])
async def test_who_ends_by_the_endpoint_in_a_follow_through_is_brought_to_the_reviewers(
    world, ann, staff, mine, outcome
):
    await talked(world, mine, turns=2)
    await change(world, mine, RiskRaised(outcome=outcome, rule_ids=("ko-1",), seq=2))
    assert (await seen(staff, mine)).json()["status"] == "seen"

    for _ in range(2):
        assert (await ann.post(f"/api/conversations/{mine}/end")).status_code == 200

    found = (await looked(staff, mine))["entry"]
    assert (found["status"], found["priority"], found["after_end"]) == ("open", outcome.value, True)
    assert "ended_in_follow_through" in found["flags"][0]["rules"]
    lines = [document.data for document in await world.database.tree("audit")]
    (line,) = [line for line in lines if line["action"] == "ended_in_follow_through"]
    assert (line["conversation_id"], line["level"]) == (mine, outcome.value)


async def test_who_ends_without_a_danger_is_nobodys_to_look_at(world, ann, staff, mine):
    await ann.post(f"/api/conversations/{mine}/end")
    assert (await staff.get(QUEUE)).json()["entries"] == []
    assert [d for d in await world.database.tree("audit") if d.data["action"] == "ended_in_follow_through"] == []
