"""After a person took back a consent, reviewers see that something was flagged, and none of the words."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.engine.unit_of_work import update
from shared.safety.levels import CrisisOutcome
from tests.support.reviewing import change, flag

QUEUE, MINE = "/api/review", "/api/me/consents"
VERSIONS = content().consents.versions


@pytest.fixture
async def flagged(world, mine):
    found = FlaggedForReview(reason=FlagReason.CRISIS, seq=0, rules=("ko-ideation",))
    await update(world.store, world.api.service.policy, world.clock, mine, found)
    return mine


@pytest.mark.parametrize("name", VERSIONS)
async def test_the_words_are_closed_to_them_and_the_flags_are_not(ann, staff, flagged, name):
    assert "저는 AI예요" in (await staff.get(f"{QUEUE}/{flagged}")).text
    await ann.put(MINE, json={"consents": {name: False}})
    found = (await staff.get(f"{QUEUE}/{flagged}")).json()
    assert [one["reason"] for one in found["entry"]["flags"]] == ["crisis"]
    assert (found["withdrawn"], found["clearable"]) == (True, False)
    assert [found[part] for part in ("shown", "messages", "judgements", "notes")] == [[], [], [], []]
    (listed,) = (await staff.get(QUEUE)).json()["entries"]
    assert listed["status"] == "open"


async def test_such_a_look_is_in_the_audit_trail_too(world, ann, staff, flagged):
    await ann.put(MINE, json={"consents": {"terms": False}})
    await staff.get(f"{QUEUE}/{flagged}")
    lines = [document.data for document in await world.database.tree("audit")]
    assert [one["level"] for one in lines if one["action"] == "review_looked"] == ["crisis"]


async def test_they_are_open_again_once_the_person_consents_again(ann, staff, flagged):
    await ann.put(MINE, json={"consents": {"terms": False}})
    await ann.put(MINE, json={"consents": {"terms": True}, "versions": VERSIONS})
    found = (await staff.get(f"{QUEUE}/{flagged}")).json()
    assert (found["withdrawn"], len(found["messages"])) == (False, 1)


async def listed(staff, status):
    return [one["conversation_id"] for one in (await staff.get(QUEUE, params={"status": status})).json()["entries"]]


async def mark(staff, conversation, note="동의를 거두셔서 볼 수 없어요", **more):
    look = (await staff.get(f"{QUEUE}/{conversation}")).json()["look"]
    return await staff.post(f"{QUEUE}/{conversation}/seen", json={"note": note, "look": look, **more})


class TestSettingAside:
    @pytest.fixture(autouse=True)
    async def withdrawn(self, ann, flagged):
        await ann.put(MINE, json={"consents": {"terms": False, "sensitive_data": False}})

    async def test_a_note_takes_it_out_of_the_queue_and_says_that_nothing_was_seen(self, world, staff, flagged):
        marked = (await mark(staff, flagged)).json()
        assert [marked[name] for name in ("status", "waiting_since", "seen_upto")] == ["set_aside", None, None]
        assert (await listed(staff, "open"), await listed(staff, "set_aside")) == ([], [flagged])
        lines = [document.data for document in await world.database.tree("audit")]
        (line,) = [one for one in lines if one["action"] == "review_set_aside"]
        assert (line["actor_id"], line["conversation_id"], line["level"]) == ("rae", flagged, "none")

    async def test_the_same_note_again_changes_nothing(self, world, staff, flagged):
        look = (await staff.get(f"{QUEUE}/{flagged}")).json()["look"]
        body = {"note": "볼 수 없어요", "look": look}
        answers = [(await staff.post(f"{QUEUE}/{flagged}/seen", json=body)).json() for _ in range(2)]
        assert answers[0] == answers[1]
        assert len((await world.store.load(flagged)).session.state.staff_review.notes) == 1

    async def test_it_waits_again_with_its_flags_once_every_consent_is_back(self, ann, staff, flagged):
        await mark(staff, flagged)
        await ann.put(MINE, json={"consents": {"terms": True, "overseas_transfer": False}, "versions": VERSIONS})
        assert await listed(staff, "open") == [], "another is missing still"
        await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, True), "versions": VERSIONS})
        assert (await listed(staff, "open"), await listed(staff, "set_aside")) == ([flagged], [])
        found = (await staff.get(f"{QUEUE}/{flagged}")).json()
        assert ([one["reason"] for one in found["entry"]["flags"]], found["withdrawn"]) == (["crisis"], False)
        assert [note["note"] for note in found["notes"]] == ["동의를 거두셔서 볼 수 없어요"]

    async def test_a_look_without_words_marks_nothing_that_may_be_read_by_now(self, ann, staff, flagged):
        look = (await staff.get(f"{QUEUE}/{flagged}")).json()["look"]
        await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, True), "versions": VERSIONS})
        marked = await staff.post(f"{QUEUE}/{flagged}/seen", json={"note": "봤어요", "look": look})
        assert (marked.status_code, await listed(staff, "open")) == (422, [flagged])

    async def test_no_risk_is_cleared_without_a_look_at_the_words(self, world, staff, flagged):
        await change(world, flagged, RiskRaised(outcome=CrisisOutcome.CONCERN, rule_ids=("ko-1",), seq=0))
        assert (await mark(staff, flagged, clear_risk=True)).status_code == 422

    async def test_what_is_flagged_later_opens_it_again(self, world, staff, flagged):
        await mark(staff, flagged)
        await flag(world, flagged, FlagReason.IMMINENT, seq=1)
        assert await listed(staff, "open") == [flagged]
