"""After a person took back a consent, reviewers see that something was flagged, and none of the words."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.engine.update import update

QUEUE, MINE = "/api/review", "/api/me/consents"
VERSIONS = content().consents.versions


@pytest.fixture
async def flagged(world, mine):
    found = FlaggedForReview(reason=FlagReason.CRISIS, seq=0, rules=("ko-ideation",))
    await update(world.store, world.api.service.house, mine, lambda state: (found,), clock=world.clock)
    return mine


@pytest.mark.parametrize("name", VERSIONS)
async def test_the_words_are_closed_to_them_and_the_flags_are_not(ann, staff, flagged, name):
    assert "저는 AI예요" in (await staff.get(f"{QUEUE}/{flagged}")).text
    await ann.put(MINE, json={"consents": {name: False}})

    found = (await staff.get(f"{QUEUE}/{flagged}")).json()

    assert [one["reason"] for one in found["entry"]["flags"]] == ["crisis"]
    assert (found["withdrawn"], found["clearable"]) == (True, False)
    assert [found[part] for part in ("shown", "messages", "judgements", "notes")] == [[], [], [], []]
    marked = await staff.post(f"{QUEUE}/{flagged}/seen", json={"note": "봤어요", "look": found["look"]})
    assert marked.status_code == 422, "nothing was seen"
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
