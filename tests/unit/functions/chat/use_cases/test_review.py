"""What reviewers get, who is one, and what they mark as seen: what they were shown themselves, and nothing else."""

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


async def raise_risk(world, conversation, outcome=CrisisOutcome.CRISIS, seq=3):
    await change(world, conversation, RiskRaised(outcome=outcome, rule_ids=("ko-1",), seq=seq))


async def mark(staff, conversation, look, **more):
    return await staff.post(f"{QUEUE}/{conversation}/seen", json={"note": "봄", "look": look, **more})


async def listed(staff, status="open"):
    return (await staff.get(QUEUE, params={"status": status})).json()["entries"]


async def ids(staff, status="open"):
    return [one["conversation_id"] for one in await listed(staff, status)]


async def cleared(world, staff, mine):
    """Return how often trail and notes say that a risk was cleared."""
    notes = (await looked(staff, mine))["notes"]
    return len(await world.audit("review_seen_risk_cleared")), [one["cleared_risk"] for one in notes].count(True)


async def trail(world, conversation):
    lines = [one for one in await world.audit() if one["conversation_id"] == conversation and one["actor_id"]]
    return [(line["actor_id"], line["action"], line["level"]) for line in lines]


async def audit(world):
    fields = ("actor_id", "action", "conversation_id", "rule", "level")
    return [tuple(one[field] for field in fields) for one in await world.audit() if one["actor_id"] is not None]


@pytest.mark.parametrize("who", ["ann", "ann/user", "ann/reviewers", "ann/REVIEWER", "ann/admin"])
async def test_nobody_but_a_reviewer_learns_whether_there_is_anything(world, mine, who):
    await flag(world, mine, FlagReason.CRISIS)
    async with world.client(who) as client:
        answers = [await client.get(path) for path in (QUEUE, f"{QUEUE}/{mine}", f"{QUEUE}/nothing")]
        answers.append(await client.post(f"{QUEUE}/{mine}/seen", json={"note": "봄", "look": "l"}))
        answers.append(await client.post(f"{QUEUE}/nothing/seen", content="{"))
    assert {(one.status_code, one.json()["code"]) for one in answers} == {(403, "forbidden")}
    assert await audit(world) == []


async def test_a_reviewer_has_no_way_around_the_queue(staff, mine):
    paths = (f"{ALL}/{mine}", f"{ALL}/{mine}/messages", f"{QUEUE}/{mine}")
    assert [(await staff.get(path)).status_code for path in paths] == [404] * 3


async def test_the_queue_shows_what_is_open_the_most_pressing_first_page_by_page(world, staff):
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
async def test_a_page_begins_behind_an_entry_of_its_own_status(staff, after):
    assert (await staff.get(QUEUE, params={"after": after})).status_code == 422


async def test_a_look_shows_the_flagged_turns_and_those_around_them_only(world, staff, mine):
    await talked(world, mine, turns=30)
    await flag(world, mine, FlagReason.CRISIS, seq=20)
    listed = (await staff.get(QUEUE)).text
    assert not [words for words in (SECRET, "ann", GREETING[:20]) if words in listed]
    found = await looked(staff, mine)
    around = [(seq, role) for seq in range(17, 23) for role in ("user", "counselor")]
    assert [(one["seq"], one["role"]) for one in found["messages"]] == around
    assert {one["seq"] for one in found["messages"] if one["flagged"]} == {20}
    assert (found["latest_seq"], found["risk"], found["entry"]["status"]) == (30, "none", "open")


async def test_a_look_shows_what_the_supervisor_said_of_the_flagged_turn(world, staff, mine):
    await talked(world, mine)
    said = {"seq": 3, "total": 2.0, "scores": {"empathy": 2}, "improvements": ("먼저 되비춰 주세요.",)}
    more = {"record_id": "3", "created_at": world.clock.now(), "expire_at": world.clock.now(), "strengths": ()}
    judged = Supervision.model_validate({**said, **more, "needs_improvement": True})
    await change(world, mine, FlaggedForReview(reason=FlagReason.RED_ITEM, seq=3), records=(judged,))
    assert (await looked(staff, mine))["judgements"] == [{**said, "improvements": [*said["improvements"]]}]


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
    assert await audit(world) == [
        ("rae", "review_listed", "", "review_queue", "open"),
        ("rae", "review_looked", mine, "safety_review", "crisis"),
        ("rae", "review_looked", mine, "complaint", "crisis"),
        ("rae", "review_looked", "unknown", "safety_review", "none"),
        ("rae", "review_looked", mine, "safety_review", "crisis"),
        ("rae", "review_seen_risk_cleared", mine, "review_queue", "turns 0-9"),
        ("rae", "review_seen", mine, "review_queue", "turns 0-9"),
    ]
    trail = str(await world.audit())
    assert not [words for words in (SECRET, "메모", "ann") if words in trail]


async def test_where_the_audit_trail_cannot_be_written_nothing_is_shown(world, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    lines = [f"audit/review-id{number}" for number in range(1, 20)]
    await world.database.commit([Put(path, {"taken": True}) for path in lines])
    for path in (QUEUE, f"{QUEUE}/{mine}"):
        answered = await staff.get(path)
        assert answered.status_code == 500
        assert mine not in answered.text


async def test_the_queue_forgets_whoever_is_erased(world, ann, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    await seen(staff, mine)
    await ann.delete(f"{ALL}/{mine}")
    assert await ids(staff, "seen") == []
    assert (await staff.get(f"{QUEUE}/{mine}")).status_code == 404
    assert (await staff.post(f"{QUEUE}/{mine}/seen", json={"note": "봤어요", "look": "l"})).status_code == 404
    assert await world.paths(f"sessions/{mine}") == []


async def test_what_a_reviewer_wrote_is_in_a_persons_export_alone_and_who_they_are_is_not(world, ann, staff, mine):
    await flag(world, mine, FlagReason.CRISIS)
    await seen(staff, mine, "비밀스러운 메모")
    shown = (await ann.get(f"{ALL}/{mine}")).text + (await ann.get(ALL)).text
    assert not [words for words in ("메모", "review") if words in shown]
    exported = await ann.get(f"{ALL}/{mine}/export")
    (note,) = [one["fields"] for one in exported.json()["documents"] if "/reviewer_notes/" in one["path"]]
    assert note["note"] == "비밀스러운 메모"
    assert '"rae"' not in exported.text


class TestMarking:
    async def test_takes_it_out_of_the_queue_with_a_note_until_something_newer_is_flagged(self, world, staff, mine):
        await talked(world, mine)
        await flag(world, mine, FlagReason.CRISIS, seq=3)
        body = {"note": " 109 안내 확인했어요. ", "look": (await looked(staff, mine))["look"]}
        for _ in range(2):
            marked = await staff.post(f"{QUEUE}/{mine}/seen", json=body)
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
    async def test_by_what_does_not_fit_marks_nothing(self, world, staff, mine, wrong, code):
        await flag(world, mine, FlagReason.CRISIS)
        body = {"note": "봄", "look": (await looked(staff, mine))["look"], **wrong}
        sent = {name: value for name, value in body.items() if value is not None}
        answered = await staff.post(f"{QUEUE}/{mine}/seen", json=sent)
        assert (answered.status_code, answered.json()["code"]) == (422, code)
        assert (await listed(staff))[0]["status"] == "open"

    async def test_is_for_nothing_but_what_was_shown(self, world, staff, mine):
        await talked(world, mine, turns=30)
        other = await world.conversation("bob")
        await flag(world, mine, FlagReason.CRISIS, seq=2)
        await flag(world, other, FlagReason.CRISIS)
        refused = await mark(staff, mine, (await looked(staff, other))["look"])
        assert (refused.status_code, "열어 본 뒤에" in refused.json()["detail"]) == (422, True)
        await flag(world, mine, FlagReason.CRISIS, seq=29)
        shown = await looked(staff, mine)
        assert shown["shown"] == [{"first": 0, "last": 4}, {"first": 26, "last": 30}]
        await mark(staff, mine, shown["look"])
        waiting = []
        for late in (27, 15):
            await flag(world, mine, FlagReason.RED_ITEM, seq=late)
            waiting.append([one["priority"] for one in await listed(staff) if one["conversation_id"] == mine])
        assert waiting == [[], ["red_item"]]

    async def test_is_for_no_turn_that_came_after_the_look(self, world, staff, mine):
        await talked(world, mine, turns=3)
        await flag(world, mine, FlagReason.CRISIS, seq=3)
        look = (await looked(staff, mine))["look"]
        await flag(world, mine, FlagReason.DEGRADED, seq=4)
        marked = (await mark(staff, mine, look)).json()
        assert (marked["status"], marked["priority"]) == ("open", "degraded")


class TestClearingARisk:
    async def test_is_only_where_the_reviewer_says_so_and_saw_all_of_it(self, world, staff, mine):
        await talked(world, mine, turns=70)
        await raise_risk(world, mine, seq=4)
        first = await looked(staff, mine)
        assert ({one["seq"] for one in first["messages"]}, first["clearable"]) == (set(range(1, 64)), False)
        assert (await mark(staff, mine, first["look"], clear_risk=True)).status_code == 422
        assert (await mark(staff, mine, first["look"], clear_risk=False)).json()["follow_through"]
        rest = await looked(staff, mine)
        assert (rest["shown"][-1]["last"], rest["clearable"]) == (70, True)
        assert not (await mark(staff, mine, rest["look"], clear_risk=True)).json()["follow_through"]

    async def test_is_not_for_a_danger_that_is_newer_than_the_look(self, world, staff, mine):
        await talked(world, mine)
        await raise_risk(world, mine, seq=7)
        look = (await looked(staff, mine))["look"]
        await raise_risk(world, mine, seq=10)
        assert (await mark(staff, mine, look, clear_risk=True)).status_code == 422
        assert await cleared(world, staff, mine) == (0, 0)
        marked = (await mark(staff, mine, look, clear_risk=False)).json()
        assert (marked["status"], marked["follow_through"]) == ("open", True)

    async def test_of_a_concern_is_for_who_saw_its_newest_finding(self, world, staff, mine):
        await talked(world, mine)
        await flag(world, mine, FlagReason.DEGRADED, seq=7)
        look = (await looked(staff, mine))["look"]
        await raise_risk(world, mine, CrisisOutcome.CONCERN, seq=10)
        assert (await mark(staff, mine, look, clear_risk=True)).status_code == 422
        await talked(world, mine, turns=10)
        assert (await seen(staff, mine, clear_risk=True)).status_code == 200
        assert (await looked(staff, mine))["risk"] == "none"
        assert await cleared(world, staff, mine) == (1, 1)

    async def test_where_there_was_none_is_not_said(self, world, staff, mine):
        await talked(world, mine)
        await flag(world, mine, FlagReason.DEGRADED, seq=3)
        assert (await seen(staff, mine, clear_risk=True)).json()["status"] == "seen"
        assert await cleared(world, staff, mine) == (0, 0)


class TestEndingByTheEndpoint:
    @pytest.mark.parametrize("outcome", [CrisisOutcome.CRISIS, CrisisOutcome.ABUSE_NOW])
    async def test_in_a_follow_through_brings_it_to_the_reviewers(self, world, ann, staff, mine, outcome):
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

    async def test_without_a_danger_is_nobodys_to_look_at(self, world, ann, staff, mine):
        await ann.post(f"{ALL}/{mine}/end")
        assert (await ids(staff), await world.audit("ended_in_follow_through")) == ([], [])


class TestWhoseItIs:
    @pytest.fixture
    async def colleague(self, world):
        """Another reviewer."""
        async with world.client("roy/reviewer") as client:
            yield client

    @pytest.fixture
    async def crisis(self, world, mine):
        await talked(world, mine)
        await raise_risk(world, mine)
        return mine

    async def test_a_reviewer_marks_and_clears_nothing_by_what_a_colleague_was_shown(
        self, world, staff, colleague, crisis
    ):
        look = (await looked(staff, crisis))["look"]
        refused = await mark(colleague, crisis, look, **CLEARING)
        assert (refused.status_code, "열어 본 뒤에" in refused.json()["detail"]) == (422, True)
        assert [(one["status"], one["follow_through"]) for one in await listed(staff)] == [("open", True)]
        assert await trail(world, crisis) == [("rae", "review_looked", "crisis")]
        their_own = (await looked(colleague, crisis))["look"]
        assert (await mark(staff, crisis, look, **CLEARING)).status_code == 200
        assert (await mark(colleague, crisis, their_own)).status_code == 200
        assert {note["by"] for note in (await looked(staff, crisis))["notes"]} == {"rae", "roy"}

    async def test_the_session_does_not_name_who_looked_and_an_old_look_that_says_nothing_is_nobodys(
        self, world, staff, crisis
    ):
        await looked(staff, crisis)
        (look,) = (await world.state(crisis)).staff_review.looks
        assert "rae" not in str(look.model_dump())
        assert look.whose == whose(look.look_id, "rae") != whose(look.look_id, "roy")
        old = Look.model_validate({"look_id": "review-old", "spans": (Span(first=0, last=9),), "upto": 9})
        await change(world, crisis, LookedAt(look=old))
        assert (await mark(staff, crisis, "review-old", **CLEARING)).status_code == 422
        assert (await seen(staff, crisis)).status_code == 200

    async def test_nobody_reviews_their_own_case(self, world, staff, colleague):
        own = await world.conversation("rae")
        await talked(world, own)
        await raise_risk(world, own)
        theirs = (await looked(colleague, own))["look"]
        assert await listed(staff) == []
        assert (await staff.get(f"{QUEUE}/{own}")).status_code == 404
        for look in (theirs, "review-id999"):
            assert (await mark(staff, own, look, **CLEARING)).status_code == 404
        assert [(one["conversation_id"], one["follow_through"]) for one in await listed(colleague)] == [(own, True)]
        assert await trail(world, own) == [("roy", "review_looked", "crisis"), ("rae", "review_looked", "none")]

    async def test_the_queue_goes_on_behind_a_reviewers_own_case(self, world, staff):
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
    async def test_the_age_group_is_by_what_was_chosen_and_said(self, world, staff, chosen, said, shown):
        conversation = await world.conversation("ann", age_band=chosen)
        await change(world, conversation, *([AgeStated(age=said)] if said else []))
        await flag(world, conversation, FlagReason.CRISIS)
        assert (await looked(staff, conversation))["entry"]["age_group"] == shown
        assert (await listed(staff))[0]["age_group"] == shown


class TestAfterAConsentWasTakenBack:
    @pytest.fixture
    async def flagged(self, world, mine):
        await flag(world, mine, FlagReason.CRISIS)
        return mine

    @pytest.fixture
    async def withdrawn(self, ann, flagged):
        await ann.put(MINE, json={"consents": {"terms": False, "sensitive_data": False}})
        return flagged

    @pytest.mark.parametrize("name", VERSIONS)
    async def test_the_words_are_closed_to_reviewers_and_the_flags_are_not(self, world, ann, staff, flagged, name):
        assert GREETING in (await staff.get(f"{QUEUE}/{flagged}")).text
        await ann.put(MINE, json={"consents": {name: False}})
        found = await looked(staff, flagged)
        assert [one["reason"] for one in found["entry"]["flags"]] == ["crisis"]
        assert (found["withdrawn"], found["clearable"]) == (True, False)
        assert [found[part] for part in ("shown", "messages", "judgements", "notes")] == [[], [], [], []]
        assert await ids(staff) == [flagged]
        assert [one["level"] for one in await world.audit("review_looked")] == ["crisis"] * 2

    async def test_a_note_sets_it_aside_and_says_that_nothing_was_seen(self, world, staff, withdrawn):
        look = (await looked(staff, withdrawn))["look"]
        marked, again = [(await mark(staff, withdrawn, look)).json() for _ in range(2)]
        assert [marked[name] for name in ("status", "waiting_since", "seen_upto")] == ["set_aside", None, None]
        assert marked == again
        assert len((await world.state(withdrawn)).staff_review.notes) == 1
        assert (await ids(staff), await ids(staff, "set_aside")) == ([], [withdrawn])
        assert await trail(world, withdrawn) == [
            ("rae", "review_looked", "crisis"),
            *[("rae", "review_set_aside", "none")] * 2,
        ]
        await flag(world, withdrawn, FlagReason.IMMINENT, seq=1)
        assert await ids(staff) == [withdrawn]

    async def test_it_waits_again_with_its_flags_once_every_consent_is_back(self, ann, staff, withdrawn):
        await seen(staff, withdrawn, "동의를 거두셔서 볼 수 없어요")
        await ann.put(MINE, json={"consents": {"terms": True, "overseas_transfer": False}, "versions": VERSIONS})
        assert await ids(staff) == [], "another is missing still"
        await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, True), "versions": VERSIONS})
        assert (await ids(staff), await ids(staff, "set_aside")) == ([withdrawn], [])
        found = await looked(staff, withdrawn)
        assert ([one["reason"] for one in found["entry"]["flags"]], found["withdrawn"]) == (["crisis"], False)
        assert [note["note"] for note in found["notes"]] == ["동의를 거두셔서 볼 수 없어요"]
        assert len(found["messages"]) == 1

    async def test_a_look_without_words_marks_nothing_that_may_be_read_by_now_and_clears_no_risk(
        self, world, ann, staff, withdrawn
    ):
        await raise_risk(world, withdrawn, CrisisOutcome.CONCERN, seq=0)
        look = (await looked(staff, withdrawn))["look"]
        assert (await mark(staff, withdrawn, look, clear_risk=True)).status_code == 422
        await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, True), "versions": VERSIONS})
        assert (await mark(staff, withdrawn, look)).status_code == 422
        assert await ids(staff) == [withdrawn]
