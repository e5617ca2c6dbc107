"""Whose look it was, whose case it is, and how old its person is."""

import pytest

from shared.domain.counseling.risk_events import AgeStated, RiskRaised
from shared.domain.counseling.staff_review import FlagReason, Look, Span, whose
from shared.domain.counseling.staff_review_events import LookedAt
from shared.safety.ages import StatedAge
from shared.safety.levels import CrisisOutcome
from tests.support.reviewing import QUEUE, change, flag, looked, seen, talked

CLEARED = {"note": "안전을 확인했어요", "clear_risk": True}


@pytest.fixture
async def colleague(world):
    """Another reviewer."""
    async with world.client("roy/reviewer") as client:
        yield client


async def in_crisis(world, conversation):
    await talked(world, conversation)
    await change(world, conversation, RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("ko-1",), seq=3))


async def audit(world, conversation):
    lines = [document.data for document in await world.database.tree("audit")]
    return [
        (line["actor_id"], line["action"], line["level"])
        for line in sorted(lines, key=lambda line: line["at"])
        if line["conversation_id"] == conversation and line["actor_id"]
    ]


async def test_a_reviewer_marks_and_clears_nothing_by_what_a_colleague_was_shown(world, staff, colleague, mine):
    await in_crisis(world, mine)
    shown = await looked(staff, mine)
    refused = await colleague.post(f"{QUEUE}/{mine}/seen", json={**CLEARED, "look": shown["look"]})
    assert (refused.status_code, "열어 본 뒤에" in refused.json()["detail"]) == (422, True)
    (entry,) = (await staff.get(QUEUE)).json()["entries"]
    assert (entry["status"], entry["follow_through"]) == ("open", True)
    assert await audit(world, mine) == [("rae", "review_looked", "crisis")]
    assert (await staff.post(f"{QUEUE}/{mine}/seen", json={**CLEARED, "look": shown["look"]})).status_code == 200


async def test_each_reviewer_marks_by_their_own_look(world, staff, colleague, mine):
    await in_crisis(world, mine)
    own = [(one, (await looked(one, mine))["look"]) for one in (staff, colleague)]
    for one, look in own:
        marked = await one.post(f"{QUEUE}/{mine}/seen", json={"note": "봤어요", "look": look})
        assert marked.status_code == 200
    assert {note["by"] for note in (await looked(staff, mine))["notes"]} == {"rae", "roy"}


async def test_a_look_that_was_stored_without_saying_whose_is_nobodys(world, staff, mine):
    await in_crisis(world, mine)
    old = Look.model_validate({"look_id": "review-old", "spans": (Span(first=0, last=9),), "upto": 9})
    await change(world, mine, LookedAt(look=old))
    refused = await staff.post(f"{QUEUE}/{mine}/seen", json={**CLEARED, "look": "review-old"})
    assert refused.status_code == 422
    assert (await seen(staff, mine)).status_code == 200


async def test_the_session_does_not_name_who_looked(world, staff, mine):
    await in_crisis(world, mine)
    await looked(staff, mine)
    (look,) = (await world.store.load(mine)).session.state.staff_review.looks
    assert "rae" not in str(look.model_dump())
    assert look.whose == whose(look.look_id, "rae") != whose(look.look_id, "roy")


async def test_nobody_reviews_their_own_case(world, staff, colleague):
    own = await world.conversation("rae")
    await in_crisis(world, own)
    theirs = await looked(colleague, own)
    assert (await staff.get(QUEUE)).json()["entries"] == []
    assert (await staff.get(f"{QUEUE}/{own}")).status_code == 404
    for look in (theirs["look"], "review-id999"):
        assert (await staff.post(f"{QUEUE}/{own}/seen", json={**CLEARED, "look": look})).status_code == 404
    (entry,) = (await colleague.get(QUEUE)).json()["entries"]
    assert (entry["conversation_id"], entry["follow_through"]) == (own, True)
    assert await audit(world, own) == [("roy", "review_looked", "crisis"), ("rae", "review_looked", "none")]


async def test_the_queue_goes_on_behind_a_reviewers_own_case(world, staff):
    own, other = await world.conversation("rae"), await world.conversation("ann")
    await flag(world, own, FlagReason.IMMINENT)
    await flag(world, other, FlagReason.CRISIS)
    first = (await staff.get(QUEUE, params={"limit": 1})).json()
    rest = (await staff.get(QUEUE, params={"limit": 1, "after": first["next"]})).json()
    assert [entry["conversation_id"] for entry in (*first["entries"], *rest["entries"])] == [other]


@pytest.mark.parametrize(
    ("chosen", "said", "shown"),
    [
        ("adult", None, "adult"),
        ("adult", StatedAge.ADULT, "adult"),
        ("adult", StatedAge.MINOR, "minor"),
        ("14_18", None, "minor"),
        ("14_18", StatedAge.UNDER_14, "under_14"),
        ("adult", StatedAge.UNDER_14, "under_14"),
    ],
)
async def test_reviewers_see_an_age_group_by_what_was_chosen_and_said(world, staff, consents, chosen, said, shown):
    opening = {"age_band": chosen, "locale": "ko", "consents": consents}
    async with world.client("ann") as ann:
        opened = await ann.post("/api/conversations", json=opening)
    conversation = opened.json()["conversation_id"]
    await change(world, conversation, *([AgeStated(age=said)] if said else []))
    await flag(world, conversation, FlagReason.CRISIS)
    assert (await looked(staff, conversation))["entry"]["age_group"] == shown
    assert (await staff.get(QUEUE)).json()["entries"][0]["age_group"] == shown
