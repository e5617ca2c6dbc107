"""Measures by the API: scored, stored once a moment, shown over time, and self-harm brought to the safety gate."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.measure_events import AFTER_END
from shared.domain.counseling.profile import LastSession
from shared.domain.counseling.session import SessionStatus, SessionType
from shared.ports.user_store import VersionedUser
from shared.safety.ages import StatedAge
from shared.safety.levels import RiskLevel
from tests.builders.danger_service import LINE, Service, helps
from tests.builders.erasing import erase_everything
from tests.builders.staff_reviews import QUEUE, looked
from tests.unit.functions.chat.conftest import ALL, FOLLOW_UP, GREETING, MINE

CALM, GAD = [1, 2, 0, 1, 0, 2, 1, 0, 0], [1, 1, 1, 1, 1, 1, 1]
ENDED = {"status": SessionStatus.COMPLETED, "message_count": 3, "seq": 3}
QUESTION = "자신을 해치고 싶은 마음이"


def phq(answer, moment="start", **more):
    return {"measure": "phq9", "moment": moment, "answers": [*CALM[:-1], answer], **more}


async def take(client, conversation, body=None, **more):
    return await client.post(f"{ALL}/{conversation}/measures", json={**(body or phq(0)), **more})


async def taken(client, conversation, body=None, **more):
    answered = await take(client, conversation, body, **more)
    assert answered.status_code == 200, answered.text
    return answered.json()


async def flags(staff):
    entries = (await staff.get(QUEUE)).json()["entries"]
    return [[flag["reason"] for flag in entry["flags"]] for entry in entries]


async def test_answers_are_scored_and_stored_below_the_session(world, ann, mine):
    told = await taken(ann, mine)
    assert (told["result"]["total"], told["result"]["highest"], told["help"], told["earlier"]) == (7, 27, None, None)
    assert told["words"] == content().measures.measures[0].bands[1].words.ko
    assert "진단이 아니" in told["about"]
    assert told["state_snapshot"]["measures"] == {"moment": "start", "left": ["gad7"], "until": None}
    kept = await world.store.record(mine, "measures", "phq9-start")
    assert (kept["answers"]["self_harm"], kept["answers"]["interest"], kept["result"]["band"]) == (0, 2, "some")
    assert (await world.state(mine)).risk.level is RiskLevel.NONE
    assert await world.audit("measure_self_harm") == []


async def test_the_order_of_the_items_is_that_of_the_language_in_which_they_were_shown(world, ann, mine):
    await taken(ann, mine, locale="en", answers=[3, 0, 0, 0, 0, 0, 0, 0, 0])
    assert (await world.store.record(mine, "measures", "phq9-start"))["answers"]["interest"] == 3


async def test_the_same_answers_change_nothing_and_others_replace_them_until_the_first_message(world, ann, mine):
    first = await taken(ann, mine)
    version = (await world.state(mine)).state_version
    assert await taken(ann, mine) == first
    assert (await world.state(mine)).state_version == version
    assert (await taken(ann, mine, answers=[0] * 9))["result"]["total"] == 0
    assert [one.total for one in (await world.state(mine)).measures] == [0]
    await world.set(mine, seq=1)
    refused = await take(ann, mine, answers=[1] * 9)
    assert (refused.status_code, refused.json()["code"]) == (409, "measure_closed")


async def test_after_the_end_a_measure_is_taken_for_a_day(world, ann, mine):
    await ann.post(f"{ALL}/{mine}/end")
    ended_at = (await world.state(mine)).ended_at
    offered = (await taken(ann, mine, moment="end"))["state_snapshot"]
    assert offered["measures"] is None, "nothing was said, so nothing is offered"
    await world.set(mine, ended_at=ended_at - AFTER_END)
    assert (await take(ann, mine, moment="end", answers=[1] * 9)).json()["code"] == "measure_closed"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"answers": [0] * 8}, 422, "answers_do_not_fit"),
        ({"answers": [0] * 8 + [4]}, 422, "invalid_request"),
        ({"answers": []}, 422, "invalid_request"),
        ({"measure": "bdi"}, 422, "invalid_request"),
        ({"moment": "end"}, 409, "measure_closed"),
    ],
)
async def test_what_does_not_fit_is_refused_and_nothing_is_stored(world, ann, mine, body, status, code):
    refused = await take(ann, mine, **body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert (await world.state(mine)).measures == ()
    assert await world.store.record(mine, "measures", "phq9-start") is None


async def test_nothing_is_taken_without_consent_under_14_or_from_another_user(world, ann, bob, mine):
    assert (await take(bob, mine)).status_code == (await take(ann, "nobody")).status_code == 404
    await world.set(mine, stated_age=StatedAge.UNDER_14)
    assert (await take(ann, mine)).json()["code"] == "guardian_required"
    await world.set(mine, stated_age=None)
    await ann.put(MINE, json={"consents": {"sensitive_data": False}})
    assert (await take(ann, mine)).json()["code"] == "consent_required"
    assert (await world.state(mine)).measures == ()


async def test_results_are_shown_over_time_and_the_earlier_one_beside_the_new_one(world, ann, bob, mine):
    await taken(ann, mine)
    await taken(ann, mine, measure="gad7", answers=GAD)
    later = await world.conversation("ann")
    told = await taken(ann, later, answers=[0] * 9)
    assert (told["earlier"]["total"], told["earlier"]["conversation_id"]) == (7, mine)
    results = (await ann.get("/api/me/measures")).json()["results"]
    shown = [(one["measure"], one["total"], one["conversation_id"]) for one in results]
    assert shown == [("phq9", 7, mine), ("gad7", 7, mine), ("phq9", 0, later)]
    assert (await bob.get("/api/me/measures")).json() == {"results": []}


async def test_the_wording_is_public_and_names_its_source(world):
    async with world.client(None) as client:
        for locale, last in (("ko", "자해할 생각을 했다."), ("en", "hurting yourself in some way")):
            shown = (await client.get("/api/measures", params={"locale": locale})).json()
            assert [(one["id"], len(one["items"]), len(one["answers"])) for one in shown["measures"]] == [
                ("phq9", 9, 4),
                ("gad7", 7, 4),
            ]
            assert shown["measures"][0]["items"][-1].endswith(last)


async def test_results_are_exported_and_erased_with_their_user(world, ann, mine):
    await taken(ann, mine)
    exported = (await ann.get(f"{ALL}/{mine}/export")).json()["documents"]
    assert f"sessions/{mine}/measures/phq9-start" in [one["path"] for one in exported]
    await erase_everything(world.store, "ann")
    assert [path for path in await world.paths("sessions", "conversations") if mine in path] == []
    assert (await ann.get("/api/me/measures")).json() == {"results": []}


class TestTheItemAboutSelfHarm:
    @pytest.mark.parametrize("answer", [1, 2])
    async def test_above_0_it_is_a_concern_asked_about_at_once_and_flagged(self, world, ann, staff, mine, answer):
        told = await taken(ann, mine, phq(answer))
        assert content().crisis_answers.asks_directly(told["help"]["message"], last=True)
        assert QUESTION in told["help"]["message"]
        assert "109" in [line["number"] for line in told["help"]["resources"]]
        assert (told["state_snapshot"]["risk"]["level"], told["state_snapshot"]["measures"]) == ("concern", None)
        assert await flags(staff) == [["self_harm_item"]]
        (line,) = await world.audit("measure_self_harm")
        assert (line["level"], line["rule"], line["actor_id"]) == ("concern", "phq9-self-harm", None)
        (greeting,) = (await ann.get(f"{ALL}/{mine}/messages")).json()["messages"]
        assert greeting["text"] == f"{GREETING}\n\n{told['help']['message']}"

    async def test_nearly_every_day_is_a_crisis_with_the_protocols_reply(self, world, ann, staff, mine, caplog):
        told = await taken(ann, mine, phq(3))
        state = await world.state(mine)
        assert (state.risk.level, state.risk.follow_through) == (RiskLevel.CRISIS, True)
        assert "지금 자살을 생각하고 계신가요?" in told["help"]["message"]
        assert await flags(staff) == [["crisis", "self_harm_item"]]
        assert [line["level"] for line in await world.audit("measure_self_harm")] == ["crisis"]
        assert caplog.text.count("crisis_detected") == 1
        assert (await taken(ann, mine, phq(3)))["help"] == told["help"], "the same answers get the same reply"

    async def test_answering_0_afterwards_does_not_lower_the_risk_or_hide_the_answer(self, world, ann, staff, mine):
        await taken(ann, mine, phq(3))
        told = await taken(ann, mine, phq(0))
        assert [one["self_harm"] for one in (await looked(staff, mine))["measures"]] == [3]
        assert (told["help"], told["state_snapshot"]["risk"]["level"]) == (None, "crisis")
        assert told["state_snapshot"]["measures"] is None, "no measure is offered in danger"

    @pytest.mark.parametrize("moment", ["start", "end"])
    async def test_it_is_noted_once_for_each_level_however_often_answers_change(self, world, ann, staff, mine, moment):
        await world.set(mine, **(ENDED if moment == "end" else {}))
        for answer in (1, 0, 2, 0, 1, 3, 0, 3, 1):
            await taken(ann, mine, phq(answer, moment))
        assert [line["level"] for line in await world.audit("measure_self_harm")] == ["concern", "crisis"]
        (entry,) = (await staff.get(QUEUE)).json()["entries"]
        counts = {flag["reason"]: flag["count"] for flag in entry["flags"]}
        assert counts == {"crisis": 1, "self_harm_item": 2 if moment == "end" else 1}

    @pytest.mark.parametrize(("locale", "yes"), [("ko", "네"), ("en", "yes")])
    async def test_a_yes_in_the_next_message_is_a_crisis(self, locale, yes):
        service = Service(locale)
        await service.open()
        path = f"{ALL}/{service.id}/measures"
        assert (await service.call("POST", path, **phq(1, locale=locale))).status_code == 200
        reply = (await service.send(yes)).json()
        assert reply["state_snapshot"]["risk"]["level"] == "crisis"
        assert LINE[locale] in reply["reply"]

    @pytest.mark.parametrize("answer", [1, 2])
    async def test_the_direct_question_is_asked_once_more_of_one_who_ignores_it_and_not_after_a_no(self, answer):
        for said, asked in (("요즘 회사 일이 많았어요", [True, False]), ("아니요", [False, False])):
            service = Service("ko")
            await service.open()
            path = f"{ALL}/{service.id}/measures"
            assert (await service.call("POST", path, **phq(answer))).status_code == 200
            replies = [(await service.send(text)).json()["reply"] for text in (said, "주말에는 쉬었어요")]
            assert [content().crisis_answers.asks_directly(reply, last=True) for reply in replies] == asked

    async def test_after_the_end_help_comes_first_and_the_next_session_begins_with_it(self, world, ann, staff, mine):
        await world.set(mine, **ENDED, closing_made=True)
        found = await world.store.user("ann", type(await world.profile()))
        last = LastSession(conversation_id=mine, session_type=SessionType.FIRST_SESSION, ended_at=world.clock.now())
        profile = found.document.model_copy(update={"last_session": last})
        await world.store.save_user(VersionedUser(profile, found.version))
        told = await taken(ann, mine, phq(1, "end"))
        assert "새 대화를 열어 말씀해 주시면" in told["help"]["message"]
        assert await flags(staff) == [["self_harm_item"]]
        assert (await staff.get(QUEUE)).json()["entries"][0]["after_end"] is True
        again = (await ann.post(ALL, json=FOLLOW_UP)).json()
        assert "지금도 죽고 싶은 마음이 드세요?" in again["greeting"]["text"]
        assert again["state_snapshot"]["measures"] is None

    async def test_a_refusal_names_help_as_well(self):
        service = Service("ko")
        await service.open()
        await service.set(seq=1)
        path = f"{ALL}/{service.id}/measures"
        helps(service, await service.call("POST", path, **phq(1)), 409, "measure_closed")


async def test_a_reviewer_sees_the_results_and_the_answer_about_self_harm(world, ann, staff, mine):
    await taken(ann, mine, phq(2))
    (shown,) = (await looked(staff, mine))["measures"]
    assert (shown["measure"], shown["total"], shown["self_harm"]) == ("phq9", 9, 2)
    await ann.put(MINE, json={"consents": {"sensitive_data": False}})
    assert (await looked(staff, mine))["measures"] == []
