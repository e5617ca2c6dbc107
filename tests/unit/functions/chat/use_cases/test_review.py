"""The review endpoints: their access, what the queue and a look show, and that a mark covers only what was shown."""

import pytest

from shared.domain.counseling.records import Supervision
from shared.domain.counseling.risk_events import AgeStated, RiskRaised
from shared.domain.counseling.staff_review import FlagReason, Look, Span, whose
from shared.domain.counseling.staff_review_events import FlaggedForReview, LookedAt
from shared.ports.document_writes import Put
from shared.safety.ages import StatedAge
from shared.safety.levels import CrisisOutcome
from tests.builders.staff_reviews import QUEUE, SECRET, change, flag, looked, seen, talked
from tests.unit.functions.chat.conftest import ALL, GREETING, MINE, VERSIONS

CLEARING = {"note": "안전을 확인했어요", "clear_risk": True}
UNSEEN = "열어 본 뒤에"
"""Of the refusal of a look that does not cover the conversation."""
ALL_GIVEN = {"consents": dict.fromkeys(VERSIONS, True), "versions": VERSIONS}


async def raise_risk(world, conversation, outcome=CrisisOutcome.CRISIS, seq=3):
    await change(world, conversation, RiskRaised(outcome=outcome, rule_ids=("ko-1",), seq=seq))


async def mark(staff, conversation, look, **more):
    return await staff.post(f"{QUEUE}/{conversation}/seen", json={"note": "봄", "look": look, **more})


async def listed(staff, status="open"):
    return (await staff.get(QUEUE, params={"status": status})).json()["entries"]


async def ids(staff, status="open"):
    return [one["conversation_id"] for one in await listed(staff, status)]


async def cleared(world, staff, mine):
    """Count the audit lines and the notes that say that a risk was cleared."""
    notes = (await looked(staff, mine))["notes"]
    return len(await world.audit("review_seen_risk_cleared")), [one["cleared_risk"] for one in notes].count(True)


async def audit(world, conversation=None, fields=("actor_id", "action", "level")):
    """Return these fields of the lines that have an actor, of one conversation or of all."""
    lines = [one for one in await world.audit() if one["actor_id"] is not None]
    return [tuple(one[each] for each in fields) for one in lines if conversation in (None, one["conversation_id"])]


@pytest.fixture
async def crisis(world, mine):
    """Ann's conversation after nine turns, with a crisis in the third."""
    await talked(world, mine)
    await raise_risk(world, mine)
    return mine


@pytest.mark.parametrize("who", ["ann", "ann/user", "ann/reviewers", "ann/REVIEWER", "ann/admin"])
async def test_only_a_reviewer_may_use_the_review_endpoints(world, mine, who):
    await flag(world, mine, FlagReason.CRISIS)
    async with world.client(who) as client:
        answers = [await client.get(path) for path in (QUEUE, f"{QUEUE}/{mine}", f"{QUEUE}/nothing")]
        answers += [await mark(client, mine, "l"), await client.post(f"{QUEUE}/nothing/seen", content="{")]
    assert {(one.status_code, one.json()["code"]) for one in answers} == {(403, "forbidden")}
    assert await audit(world) == []


async def test_a_reviewer_can_read_no_conversation_that_is_not_in_the_queue(staff, mine):
    paths = (f"{ALL}/{mine}", f"{ALL}/{mine}/messages", f"{QUEUE}/{mine}")
    assert [(await staff.get(path)).status_code for path in paths] == [404] * 3


async def test_the_queue_lists_open_entries_page_by_page_the_most_pressing_first(world, staff):
    names = [await world.conversation(f"user{number}") for number in range(4)]
    for name, reason in zip(names, ("degraded", "crisis", "degraded", "crisis"), strict=True):
        await flag(world, name, FlagReason(reason))
    await flag(world, names[2], FlagReason.IMMINENT)
    await world.conversation("calm")
    first = (await staff.get(QUEUE, params={"limit": 3})).json()
    rest = (await staff.get(QUEUE, params={"limit": 3, "after": first["next"]})).json()
    assert [entry["conversation_id"] for entry in first["entries"]] == [names[2], names[1], names[3]]
    assert [entry["conversation_id"] for entry in rest["entries"]] == [names[0]]
    assert rest["next"] is None
    assert [flag["reason"] for flag in first["entries"][0]["flags"]] == ["imminent", "degraded"]
    assert (await staff.get(QUEUE, params={"status": "seen"})).json() == {"entries": [], "next": None}


@pytest.mark.parametrize("after", ["x", "seen.02.20261101T000000000000Z.c1"])
async def test_an_invalid_page_position_is_refused(staff, after):
    assert (await staff.get(QUEUE, params={"after": after})).status_code == 422


async def test_a_look_shows_only_the_flagged_turns_and_those_around_them(world, staff, mine):
    await talked(world, mine, turns=30)
    await flag(world, mine, FlagReason.CRISIS, seq=20)
    listed = (await staff.get(QUEUE)).text
    assert not [words for words in (SECRET, "ann", GREETING[:20]) if words in listed]
    found = await looked(staff, mine)
    around = [(seq, role) for seq in range(17, 23) for role in ("user", "counselor")]
    assert [(one["seq"], one["role"]) for one in found["messages"]] == around
    assert {one["seq"] for one in found["messages"] if one["flagged"]} == {20}
    assert (found["latest_seq"], found["risk"], found["entry"]["status"]) == (30, "none", "open")


async def test_a_look_shows_the_supervisors_judgement_of_the_flagged_turn(world, staff, mine):
    await talked(world, mine)
    said = {"seq": 3, "total": 2.0, "scores": {"empathy": 2}, "improvements": ("먼저 되비춰 주세요.",)}
    more = {"record_id": "3", "created_at": world.clock.now(), "expire_at": world.clock.now(), "strengths": ()}
    judged = Supervision.model_validate({**said, **more, "needs_improvement": True})
    await change(world, mine, FlaggedForReview(reason=FlagReason.RED_ITEM, seq=3), records=(judged,))
    assert (await looked(staff, mine))["judgements"] == [{**said, "improvements": [*said["improvements"]]}]


async def test_every_list_look_and_mark_is_audited_without_words_of_the_conversation(world, staff, crisis):
    await staff.get(QUEUE)
    await staff.get(f"{QUEUE}/{crisis}")
    await staff.get(f"{QUEUE}/{crisis}", params={"purpose": "complaint"})
    await staff.get(f"{QUEUE}/unknown")
    look = (await looked(staff, crisis))["look"]
    for _ in range(2):
        await mark(staff, crisis, look, note="비밀스러운 메모", clear_risk=True)
    assert await audit(world, fields=("actor_id", "action", "conversation_id", "rule", "level")) == [
        ("rae", "review_listed", "", "review_queue", "open"),
        ("rae", "review_looked", crisis, "safety_review", "crisis"),
        ("rae", "review_looked", crisis, "complaint", "crisis"),
        ("rae", "review_looked", "unknown", "safety_review", "none"),
        ("rae", "review_looked", crisis, "safety_review", "crisis"),
        ("rae", "review_seen_risk_cleared", crisis, "review_queue", "turns 0-9"),
        ("rae", "review_seen", crisis, "review_queue", "turns 0-9"),
    ]
    assert not [words for words in (SECRET, "메모", "ann") if words in str(await world.audit())]


async def test_nothing_is_shown_when_the_audit_line_cannot_be_written(world, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    lines = [f"audit/review-id{number}" for number in range(1, 20)]
    await world.database.commit([Put(path, {"taken": True}) for path in lines])
    for path in (QUEUE, f"{QUEUE}/{mine}"):
        answered = await staff.get(path)
        assert answered.status_code == 500
        assert mine not in answered.text


async def test_an_erased_conversation_is_removed_from_the_queue(world, ann, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    await seen(staff, mine)
    await ann.delete(f"{ALL}/{mine}")
    assert await ids(staff, "seen") == []
    assert (await staff.get(f"{QUEUE}/{mine}")).status_code == 404
    assert (await mark(staff, mine, "l")).status_code == 404
    assert await world.paths(f"sessions/{mine}") == []


async def test_a_reviewers_note_is_in_the_export_alone_and_without_the_reviewers_id(world, ann, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    await seen(staff, mine, "비밀스러운 메모")
    shown = (await ann.get(f"{ALL}/{mine}")).text + (await ann.get(ALL)).text
    assert not [words for words in ("메모", "review") if words in shown]
    exported = await ann.get(f"{ALL}/{mine}/export")
    (note,) = [one["fields"] for one in exported.json()["documents"] if "/reviewer_notes/" in one["path"]]
    assert note["note"] == "비밀스러운 메모"
    assert '"rae"' not in exported.text


class TestMarking:
    async def test_moves_the_conversation_to_seen_with_a_note_until_a_newer_turn_is_flagged(self, world, staff, mine):
        await talked(world, mine)
        await flag(world, mine, FlagReason.CRISIS, seq=3)
        look = (await looked(staff, mine))["look"]
        for _ in range(2):
            marked = await mark(staff, mine, look, note=" 109 안내 확인했어요. ")
            assert (marked.status_code, marked.json()["status"], marked.json()["seen_upto"]) == (200, "seen", 5)
        assert (await ids(staff), await ids(staff, "seen")) == ([], [mine])
        (note,) = (await looked(staff, mine))["notes"]
        assert (note["by"], note["note"], note["upto_seq"]) == ("rae", "109 안내 확인했어요.", 5)
        assert note["cleared_risk"] is False
        await flag(world, mine, FlagReason.DEGRADED, seq=10)
        assert (await listed(staff))[0]["priority"] == "degraded"

    @pytest.mark.parametrize(
        ("wrong", "code"),
        [
            ({"note": " \u200b "}, "empty_text"),
            *(({"note": note}, "invalid_request") for note in (None, "", "가" * 1001)),
            *(({"look": look}, "invalid_request") for look in (None, "", "review-id999")),
            ({"upto_seq": 9}, "invalid_request"),
            ({"clear_risk": "yes"}, "invalid_request"),
        ],
    )
    async def test_with_an_invalid_body_is_refused(self, world, staff, mine, wrong, code):
        await flag(world, mine, FlagReason.CRISIS)
        body = {"note": "봄", "look": (await looked(staff, mine))["look"], **wrong}
        sent = {name: value for name, value in body.items() if value is not None}
        answered = await staff.post(f"{QUEUE}/{mine}/seen", json=sent)
        assert (answered.status_code, answered.json()["code"]) == (422, code)
        assert (await listed(staff))[0]["status"] == "open"

    async def test_covers_only_the_turns_that_the_look_showed(self, world, staff, mine):
        await talked(world, mine, turns=30)
        other = await world.conversation("bob")
        await flag(world, mine, FlagReason.CRISIS, seq=2)
        await flag(world, other, FlagReason.CRISIS)
        refused = await mark(staff, mine, (await looked(staff, other))["look"])
        assert (refused.status_code, UNSEEN in refused.json()["detail"]) == (422, True)
        await flag(world, mine, FlagReason.CRISIS, seq=29)
        shown = await looked(staff, mine)
        assert shown["shown"] == [{"first": 0, "last": 4}, {"first": 26, "last": 30}]
        await mark(staff, mine, shown["look"])
        waiting = []
        for late in (27, 15):
            await flag(world, mine, FlagReason.RED_ITEM, seq=late)
            waiting.append([one["priority"] for one in await listed(staff) if one["conversation_id"] == mine])
        assert waiting == [[], ["red_item"]]


class TestClearingARisk:
    async def test_needs_clear_risk_and_looks_that_showed_all_turns_of_the_risk(self, world, staff, mine):
        await talked(world, mine, turns=70)
        await raise_risk(world, mine, seq=4)
        first = await looked(staff, mine)
        assert ({one["seq"] for one in first["messages"]}, first["clearable"]) == (set(range(1, 64)), False)
        assert (await mark(staff, mine, first["look"], clear_risk=True)).status_code == 422
        assert (await mark(staff, mine, first["look"], clear_risk=False)).json()["follow_through"]
        rest = await looked(staff, mine)
        assert (rest["shown"][-1]["last"], rest["clearable"]) == (70, True)
        assert not (await mark(staff, mine, rest["look"], clear_risk=True)).json()["follow_through"]

    async def test_is_refused_for_a_risk_that_is_newer_than_the_look(self, world, staff, mine):
        await talked(world, mine)
        await raise_risk(world, mine, seq=7)
        look = (await looked(staff, mine))["look"]
        await raise_risk(world, mine, seq=10)
        assert (await mark(staff, mine, look, clear_risk=True)).status_code == 422
        assert await cleared(world, staff, mine) == (0, 0)
        marked = (await mark(staff, mine, look, clear_risk=False)).json()
        assert (marked["status"], marked["follow_through"]) == ("open", True)

    async def test_of_a_concern_needs_a_look_that_showed_its_newest_finding(self, world, staff, mine):
        await talked(world, mine)
        await flag(world, mine, FlagReason.DEGRADED, seq=7)
        look = (await looked(staff, mine))["look"]
        await raise_risk(world, mine, CrisisOutcome.CONCERN, seq=10)
        assert (await mark(staff, mine, look, clear_risk=True)).status_code == 422
        await talked(world, mine, turns=10)
        assert (await seen(staff, mine, clear_risk=True)).status_code == 200
        assert (await looked(staff, mine))["risk"] == "none"
        assert await cleared(world, staff, mine) == (1, 1)

    async def test_is_not_recorded_when_there_was_no_risk(self, world, staff, mine):
        await talked(world, mine)
        await flag(world, mine, FlagReason.DEGRADED, seq=3)
        assert (await seen(staff, mine, clear_risk=True)).json()["status"] == "seen"
        assert await cleared(world, staff, mine) == (0, 0)


class TestEndingByTheEndpoint:
    @pytest.mark.parametrize("outcome", [CrisisOutcome.CRISIS, CrisisOutcome.ABUSE_NOW])
    async def test_in_a_follow_through_reopens_the_queue_entry(self, world, ann, staff, mine, outcome):
        await talked(world, mine, turns=2)
        await raise_risk(world, mine, outcome, seq=2)
        assert (await seen(staff, mine)).json()["status"] == "seen"
        for _ in range(2):
            assert (await ann.post(f"{ALL}/{mine}/end")).status_code == 200
        found = (await looked(staff, mine))["entry"]
        assert (found["status"], found["priority"], found["after_end"]) == ("open", outcome.value, True)
        assert "ended_in_follow_through" in found["flags"][0]["rules"]
        (line,) = await world.audit("ended_in_follow_through")
        assert (line["conversation_id"], line["level"]) == (mine, outcome.value)

    async def test_without_a_danger_puts_nothing_into_the_queue(self, world, ann, staff, mine):
        await ann.post(f"{ALL}/{mine}/end")
        assert (await ids(staff), await world.audit("ended_in_follow_through")) == ([], [])


class TestTheReviewer:
    @pytest.fixture
    async def colleague(self, world):
        """Another reviewer."""
        async with world.client("roy/reviewer") as client:
            yield client

    async def test_a_look_of_one_reviewer_cannot_be_used_by_another(self, world, staff, colleague, crisis):
        look = (await looked(staff, crisis))["look"]
        refused = await mark(colleague, crisis, look, **CLEARING)
        assert (refused.status_code, UNSEEN in refused.json()["detail"]) == (422, True)
        assert [(one["status"], one["follow_through"]) for one in await listed(staff)] == [("open", True)]
        assert await audit(world, crisis) == [("rae", "review_looked", "crisis")]
        their_own = (await looked(colleague, crisis))["look"]
        assert (await mark(staff, crisis, look, **CLEARING)).status_code == 200
        assert (await mark(colleague, crisis, their_own)).status_code == 200
        assert {note["by"] for note in (await looked(staff, crisis))["notes"]} == {"rae", "roy"}

    async def test_the_session_keeps_no_reviewers_id_and_a_look_without_an_owner_is_refused(self, world, staff, crisis):
        await looked(staff, crisis)
        (look,) = (await world.state(crisis)).staff_review.looks
        assert "rae" not in str(look.model_dump())
        assert look.whose == whose(look.look_id, "rae") != whose(look.look_id, "roy")
        old = Look.model_validate({"look_id": "review-old", "spans": (Span(first=0, last=9),), "upto": 9})
        await change(world, crisis, LookedAt(look=old))
        assert (await mark(staff, crisis, "review-old", **CLEARING)).status_code == 422
        assert (await seen(staff, crisis)).status_code == 200

    async def test_a_reviewer_cannot_review_their_own_conversation(self, world, staff, colleague):
        own = await world.conversation("rae")
        await talked(world, own)
        await raise_risk(world, own)
        theirs = (await looked(colleague, own))["look"]
        assert await listed(staff) == []
        assert (await staff.get(f"{QUEUE}/{own}")).status_code == 404
        for look in (theirs, "review-id999"):
            assert (await mark(staff, own, look, **CLEARING)).status_code == 404
        assert [(one["conversation_id"], one["follow_through"]) for one in await listed(colleague)] == [(own, True)]
        assert await audit(world, own) == [("roy", "review_looked", "crisis"), ("rae", "review_looked", "none")]

    async def test_the_queue_skips_a_reviewers_own_conversation_across_pages(self, world, staff):
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
    async def test_the_age_group_follows_the_chosen_age_band_and_a_stated_age(self, world, staff, chosen, said, shown):
        conversation = await world.conversation("ann", age_band=chosen)
        await change(world, conversation, *([AgeStated(age=said)] if said else []))
        await flag(world, conversation, FlagReason.CRISIS)
        assert (await looked(staff, conversation))["entry"]["age_group"] == shown
        assert (await listed(staff))[0]["age_group"] == shown


class TestAfterAWithdrawnConsent:
    @pytest.fixture
    async def flagged(self, world, mine):
        await flag(world, mine, FlagReason.CRISIS)
        return mine

    @pytest.fixture
    async def withdrawn(self, ann, flagged):
        await ann.put(MINE, json={"consents": {"terms": False, "sensitive_data": False}})
        return flagged

    @pytest.mark.parametrize("name", VERSIONS)
    async def test_a_look_shows_the_flags_and_none_of_the_words(self, world, ann, staff, flagged, name):
        assert GREETING in (await staff.get(f"{QUEUE}/{flagged}")).text
        await ann.put(MINE, json={"consents": {name: False}})
        found = await looked(staff, flagged)
        assert [one["reason"] for one in found["entry"]["flags"]] == ["crisis"]
        assert (found["withdrawn"], found["clearable"]) == (True, False)
        assert [found[part] for part in ("shown", "messages", "judgements", "notes")] == [[], [], [], []]
        assert await ids(staff) == [flagged]
        assert [one["level"] for one in await world.audit("review_looked")] == ["crisis"] * 2

    async def test_a_mark_sets_the_conversation_aside_and_records_nothing_as_seen(self, world, staff, withdrawn):
        look = (await looked(staff, withdrawn))["look"]
        marked, again = [(await mark(staff, withdrawn, look)).json() for _ in range(2)]
        assert [marked[name] for name in ("status", "waiting_since", "seen_upto")] == ["set_aside", None, None]
        assert marked == again
        assert len((await world.state(withdrawn)).staff_review.notes) == 1
        assert (await ids(staff), await ids(staff, "set_aside")) == ([], [withdrawn])
        assert await audit(world, withdrawn) == [
            ("rae", "review_looked", "crisis"),
            *[("rae", "review_set_aside", "none")] * 2,
        ]
        await flag(world, withdrawn, FlagReason.IMMINENT, seq=1)
        assert await ids(staff) == [withdrawn]

    async def test_a_set_aside_entry_is_open_again_once_every_consent_is_given(self, ann, staff, withdrawn):
        await seen(staff, withdrawn, "동의를 거두셔서 볼 수 없어요")
        await ann.put(MINE, json={"consents": {"terms": True, "overseas_transfer": False}, "versions": VERSIONS})
        assert await ids(staff) == [], "another consent is still withdrawn"
        await ann.put(MINE, json=ALL_GIVEN)
        assert (await ids(staff), await ids(staff, "set_aside")) == ([withdrawn], [])
        found = await looked(staff, withdrawn)
        assert ([one["reason"] for one in found["entry"]["flags"]], found["withdrawn"]) == (["crisis"], False)
        assert [note["note"] for note in found["notes"]] == ["동의를 거두셔서 볼 수 없어요"]
        assert len(found["messages"]) == 1

    async def test_a_look_without_words_clears_no_risk_and_ends_with_the_withdrawal(self, world, ann, staff, withdrawn):
        await raise_risk(world, withdrawn, CrisisOutcome.CONCERN, seq=0)
        look = (await looked(staff, withdrawn))["look"]
        assert (await mark(staff, withdrawn, look, clear_risk=True)).status_code == 422
        await ann.put(MINE, json=ALL_GIVEN)
        assert (await mark(staff, withdrawn, look)).status_code == 422
        assert await ids(staff) == [withdrawn]
