"""Consents: shown with their versions, kept, withdrawn, given anew."""

import pytest

from shared.content.catalogue import content
from shared.content.schemas.consents import Operator
from shared.contracts.chat import Consents
from shared.domain.consents import refused, taken_back
from shared.domain.conversation import Consent
from shared.domain.counseling.profile import Profile
from shared.domain.mailbox import QueuedMessage, claim, receive
from shared.domain.records import AUDIT_RETENTION
from shared.locale import Locale
from shared.ports.conversation_documents import Versioned, VersionedMailbox

MINE = "/api/me/consents"
VERSIONS = content().consents.versions


def states(response):
    return {one["id"]: one for one in response.json()["consents"]}


async def session_of(world, conversation_id):
    return (await world.store.load(conversation_id)).session


async def agree_to_an_older_text(world, conversation_id):
    """Make a conversation one that was opened before its text was changed."""
    session = await session_of(world, conversation_id)
    old = {name: one.model_copy(update={"version": "2020-01"}) for name, one in session.state.consents.items()}
    state = session.state.model_copy(update={"consents": old})
    await world.store.save_state(Versioned(state, session.version), await world.store.view(conversation_id))


async def audited(world):
    return [document.data for document in await world.database.tree("audit")]


@pytest.mark.parametrize(
    ("query", "title"), [("", "이용약관"), ("?locale=ko", "이용약관"), ("?locale=en", "Terms of use")]
)
async def test_anybody_may_read_what_they_would_agree_to(world, query, title):
    async with world.client(None) as anybody:
        shown = (await anybody.get(f"/api/consents{query}")).json()["consents"]
    assert [one["id"] for one in shown] == list(Consents.model_fields)
    assert shown[0]["title"] == title
    assert {one["id"]: one["version"] for one in shown} == VERSIONS
    assert all(one["text"] and one["required"] and "{" not in one["text"] for one in shown)


async def test_the_texts_name_who_runs_the_service_or_say_that_it_is_a_demo(world):
    demo = content().consents.operator(Locale.KO, None)
    named = Operator(name="마음재단", contact="privacy@example.com")
    async with world.client(None) as anybody:
        shown = (await anybody.get("/api/consents")).json()["consents"]
        assert demo.name in shown[0]["text"]
        assert "시연용" in demo.name
        assert all(demo.contact in shown[place]["text"] for place in (0, 2))
        object.__setattr__(world.api.consents, "operator", named)
        for locale in ("ko", "en"):
            one = (await anybody.get(f"/api/consents?locale={locale}")).json()["consents"]
            assert named.name in one[0]["text"]
            assert all(named.contact in one[place]["text"] for place in (0, 2))


async def test_that_people_may_read_and_what_goes_abroad_is_said(world):
    """PIPA art. 28-8 (2): items, country, when and how, to whom and a contact, what for, how long, how to say no."""
    async with world.client(None) as anybody:
        _, sensitive, abroad = (await anybody.get("/api/consents")).json()["consents"]
    for words in ("검토 담당자", "교육을 받고", "위험 신호가 있었거나", "검토 메모", "철회하면"):
        assert words in sensitive["text"]
    for words in ("Google LLC", "@google.com", "미국", "보내는 것", "암호화", "55일", "동의하지 않거나", "철회"):
        assert words in abroad["text"]


async def test_the_texts_promise_the_retention_that_the_code_keeps(world):
    async with world.client(None) as anybody:
        shown = (await anybody.get("/api/consents")).json()["consents"]
    assert f"{AUDIT_RETENTION.days}일" in shown[0]["text"]
    assert all("365일" in one["text"] for one in shown[:2])
    assert "28조의8" in shown[2]["text"]
    assert "Google LLC" in shown[2]["text"]


async def test_no_other_language_is_made_up(world):
    async with world.client(None) as anybody:
        assert (await anybody.get("/api/consents?locale=fr")).status_code == 422


async def test_opening_keeps_what_was_agreed_to_for_the_person_and_the_conversation(world, ann, mine):
    kept = (await world.store.user("ann", Profile)).document.consents
    assert not any(one.stated for one in kept.values()), "this client did not say which texts it had shown"
    assert kept == (await session_of(world, mine)).state.consents
    assert {name: one.version for name, one in kept.items()} == VERSIONS
    shown = states(await ann.get(MINE))
    assert all(one["granted"] and not one["due"] and one["granted_version"] == one["version"] for one in shown.values())


async def test_who_has_agreed_to_nothing_is_to_be_asked(ann):
    shown = states(await ann.get(MINE))
    assert [(one["granted"], one["due"], one["at"]) for one in shown.values()] == [(False, True, None)] * 3


async def test_an_opening_under_an_older_text_is_refused_with_the_version_of_today(world, ann, consents):
    body = {"age_band": "adult", "consents": consents, "versions": {"overseas_transfer": "2020-01"}}
    response = await ann.post("/api/conversations", json=body)
    assert (response.status_code, response.json()["code"]) == (403, "consent_required")
    assert response.json()["consents"] == [{"id": "overseas_transfer", "version": VERSIONS["overseas_transfer"]}]
    assert await world.store.views_of("ann", None, 5) == []


async def test_an_opening_under_the_texts_of_today_is_let_in(world, ann, consents):
    body = {"age_band": "adult", "consents": consents, "versions": VERSIONS}
    assert (await ann.post("/api/conversations", json=body)).status_code == 201
    assert all(one.stated for one in (await world.store.user("ann", Profile)).document.consents.values())


async def test_a_withdrawal_reaches_the_person_and_every_conversation_and_says_what_stays(world, ann, mine):
    other = await world.conversation("ann")
    response = await ann.put(MINE, json={"consents": {"overseas_transfer": False}})
    assert response.status_code == 200
    shown = states(response)
    assert (shown["overseas_transfer"]["granted"], shown["overseas_transfer"]["due"]) == (False, True)
    assert shown["overseas_transfer"]["withdrawn_at"]
    assert shown["terms"]["granted"]
    assert "내 정보 모두 지우기" in response.json()["note"]
    assert "DELETE" not in response.json()["note"]
    for conversation in (mine, other):
        kept = (await session_of(world, conversation)).state.consents
        assert (kept["overseas_transfer"].granted, kept["terms"].granted) == (False, True)


async def test_a_withdrawal_says_it_in_the_callers_language(ann, mine):
    answered = await ann.put(MINE, json={"consents": {"terms": False}}, headers={"Accept-Language": "en"})
    assert answered.json()["note"].startswith("You have withdrawn")


async def test_a_withdrawal_takes_the_lease_from_the_turn_that_runs(world, ann, mine):
    held = (await world.store.load(mine)).mailbox
    waiting = QueuedMessage(message_id="m1", text="듣고 있나요", received_at=world.clock.now())
    box = claim(receive(held.box, waiting, held.box.expire_at), "one", world.clock.now())
    await world.store.save_mailbox(VersionedMailbox(box, held.version))
    await ann.put(MINE, json={"consents": {"terms": False}})
    left = (await world.store.load(mine)).mailbox.box
    assert left.lease is None
    assert left.last_token > box.last_token
    assert [one.text for one in left.inbox] == ["듣고 있나요"], "what is stored stays until it is erased"


async def test_consents_given_again_hold_everywhere(world, ann, mine):
    await ann.put(MINE, json={"consents": {"terms": False, "sensitive_data": False}})
    response = await ann.put(MINE, json={"consents": {"terms": True, "sensitive_data": True}, "versions": VERSIONS})
    assert not any(one["due"] for one in states(response).values())
    assert response.json()["note"] == ""
    kept = (await session_of(world, mine)).state.consents
    assert all(one.granted and one.withdrawn_at is None for one in kept.values())


async def test_a_newer_text_that_is_agreed_to_replaces_the_older(world, ann, mine):
    await agree_to_an_older_text(world, mine)
    await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, True), "versions": VERSIONS})
    assert {name: one.version for name, one in (await session_of(world, mine)).state.consents.items()} == VERSIONS


async def test_an_older_text_cannot_be_agreed_to(world, ann, mine):
    before = await session_of(world, mine)
    body = {"consents": {"terms": True, "sensitive_data": False}, "versions": {"terms": "2020-01"}}
    response = await ann.put(MINE, json=body)
    assert response.json()["consents"] == [{"id": "terms", "version": VERSIONS["terms"]}]
    assert (response.status_code, await session_of(world, mine)) == (403, before)


async def test_what_does_not_say_to_which_text_is_not_agreed_to(world, ann, mine):
    await ann.put(MINE, json={"consents": {"terms": False}})
    response = await ann.put(MINE, json={"consents": {"terms": True}})
    assert (response.status_code, response.json()["consents"]) == (403, [{"id": "terms", "version": VERSIONS["terms"]}])
    assert not (await session_of(world, mine)).state.consents["terms"].granted


@pytest.mark.parametrize("answers", [{}, {"terms": True}, dict.fromkeys(VERSIONS, True)])
async def test_what_is_so_already_changes_no_conversation(world, ann, mine, answers):
    before = await session_of(world, mine)
    assert (await ann.put(MINE, json={"consents": answers, "versions": VERSIONS})).status_code == 200
    assert await session_of(world, mine) == before


async def test_nobody_changes_anothers(world, ann, bob, mine):
    await bob.put(MINE, json={"consents": {"terms": False}})
    assert (await session_of(world, mine)).state.consents["terms"].granted
    assert states(await ann.get(MINE))["terms"]["granted"]


async def test_each_change_of_a_conversation_is_audited_without_who(world, ann, mine):
    await ann.put(MINE, json={"consents": {"terms": False}})
    await ann.put(MINE, json={"consents": {"terms": False}})
    await ann.put(MINE, json={"consents": {"terms": True}, "versions": VERSIONS})
    lines = sorted(((one["action"], one["rule"]) for one in await audited(world)), key=lambda line: line[0])
    everything = ", ".join(f"{name}@({version})" for name, version in VERSIONS.items())
    given, withdrawn = f"terms@{VERSIONS['terms']}", f"terms@({VERSIONS['terms']})"
    assert sorted(lines) == sorted(
        [("consent_given", everything), *[("consent_withdrawn", withdrawn), ("consent_given", given)] * 2]
    ), "for the person and for the conversation; in brackets: the client did not say which text it had shown"
    found = [one["conversation_id"] for one in await audited(world)]
    assert sorted(found) == ["", "", mine, mine, mine]
    assert not any("ann" in str(one.values()) for one in await audited(world))


async def test_without_any_conversation_each_change_is_audited_once_too(world, ann):
    for _ in range(2):
        await ann.put(MINE, json={"consents": {"terms": True, "sensitive_data": True}, "versions": VERSIONS})
    for _ in range(2):
        await ann.put(MINE, json={"consents": {"sensitive_data": False}})
    named = {name: f"{name}@{VERSIONS[name]}" for name in VERSIONS}
    assert sorted((one["action"], one["rule"], one["conversation_id"]) for one in await audited(world)) == [
        ("consent_given", f"{named['terms']}, {named['sensitive_data']}", ""),
        ("consent_withdrawn", named["sensitive_data"], ""),
    ]
    assert "ann" not in str(await audited(world))


def test_a_consent_never_given_is_kept_as_withdrawn_too(world):
    at = world.clock.now()
    assert refused(taken_back({}, ["terms"], VERSIONS, at)) == ("terms",)
    assert refused({"terms": Consent(granted=True, version="1", at=at)}) == ()
