"""Consents: shown with their versions, stored, withdrawn and given again."""

from itertools import product

import pytest

from shared.content.catalogue import content
from shared.content.schemas.consents import Operator
from shared.contracts.chat import Consents
from shared.domain.consents import refused, taken_back
from shared.domain.conversation import Consent
from shared.domain.records import AUDIT_RETENTION
from shared.locale import Locale
from tests.unit.functions.chat.conftest import ALL, MINE, OPENING, VERSIONS

EVERYTHING = dict.fromkeys(VERSIONS, True)


def states(response):
    return {one["id"]: one for one in response.json()["consents"]}


async def session_of(world, conversation_id):
    return (await world.store.load(conversation_id)).session


async def texts(world, query=""):
    async with world.client(None) as client:
        answered = await client.get(f"/api/consents{query}")
    return answered.json()["consents"] if answered.status_code == 200 else answered.status_code


async def test_the_consent_texts_are_public_in_every_supported_language(world):
    for query, title in (("", "이용약관"), ("?locale=ko", "이용약관"), ("?locale=en", "Terms of use")):
        shown = await texts(world, query)
        assert [one["id"] for one in shown] == list(Consents.model_fields)
        assert shown[0]["title"] == title
        assert {one["id"]: one["version"] for one in shown} == VERSIONS
        assert all(one["text"] and one["required"] and "{" not in one["text"] for one in shown)
    assert await texts(world, "?locale=fr") == 422


async def test_the_texts_name_the_operator_or_say_that_the_service_is_a_demo(world):
    demo = content().consents.operator(Locale.KO, None)
    named = Operator(name="마음재단", contact="privacy@example.com")
    shown = [(demo, await texts(world))]
    object.__setattr__(world.api.consents, "operator", named)
    shown += [(named, await texts(world, f"?locale={locale}")) for locale in ("ko", "en")]
    for operator, ones in shown:
        assert operator.name in ones[0]["text"]
        assert all(operator.contact in ones[place]["text"] for place in (0, 2))
    assert "시연용" in demo.name


async def test_the_texts_promise_the_retention_that_the_code_keeps(world):
    """PIPA art. 28-8 (2): items, country, when and how, to whom and a contact, what for, how long, how to refuse."""
    terms, sensitive, abroad = [one["text"] for one in await texts(world)]
    assert f"{AUDIT_RETENTION.days}일" in terms
    assert all("365일" in text for text in (terms, sensitive))
    for words in ("검토 담당자", "교육을 받고", "위험 신호가 있었거나", "검토 메모", "철회하면"):
        assert words in sensitive
    for words in ("28조의8", "Google LLC", "@google.com", "미국", "보내는 것", "암호화", "55일"):
        assert words in abroad
    assert all(words in abroad for words in ("동의하지 않거나", "철회"))


async def test_consents_are_due_until_opening_stores_them_for_the_user_and_the_conversation(world, ann):
    shown = states(await ann.get(MINE))
    assert [(one["granted"], one["due"], one["at"]) for one in shown.values()] == [(False, True, None)] * 3
    mine = await world.conversation("ann")
    kept = (await world.profile()).consents
    assert not any(one.stated for one in kept.values()), "the client did not name the texts that it showed"
    assert kept == (await world.state(mine)).consents
    assert {name: one.version for name, one in kept.items()} == VERSIONS
    shown = states(await ann.get(MINE))
    assert all(one["granted"] and not one["due"] and one["granted_version"] == one["version"] for one in shown.values())


async def test_an_opening_under_an_older_text_is_refused_with_the_current_version(world, ann):
    response = await ann.post(ALL, json={**OPENING, "versions": {"overseas_transfer": "2020-01"}})
    assert (response.status_code, response.json()["code"]) == (403, "consent_required")
    assert response.json()["consents"] == [{"id": "overseas_transfer", "version": VERSIONS["overseas_transfer"]}]
    assert await world.store.views_of("ann", None, 5) == []
    assert (await ann.post(ALL, json={**OPENING, "versions": VERSIONS})).status_code == 201
    assert all(one.stated for one in (await world.profile()).consents.values())


async def test_a_withdrawal_is_answered_with_the_users_consents_and_how_to_erase(world, ann, bob, mine):
    await bob.put(MINE, json={"consents": {"terms": False}})
    response = await ann.put(MINE, json={"consents": {"overseas_transfer": False}})
    assert response.status_code == 200
    shown = states(response)
    assert (shown["overseas_transfer"]["granted"], shown["overseas_transfer"]["due"]) == (False, True)
    assert shown["overseas_transfer"]["withdrawn_at"]
    assert shown["terms"]["granted"], "Bob's withdrawal does not count for Ann"
    assert "내 정보 모두 지우기" in response.json()["note"]
    assert "DELETE" not in response.json()["note"]
    english = await ann.put(MINE, json={"consents": {"terms": False}}, headers={"Accept-Language": "en"})
    assert english.json()["note"].startswith("You have withdrawn")


async def test_consent_to_a_newer_text_replaces_the_older_and_an_older_text_is_refused(world, ann, mine):
    kept = (await world.state(mine)).consents
    await world.set(mine, consents={name: one.model_copy(update={"version": "2020-01"}) for name, one in kept.items()})
    await ann.put(MINE, json={"consents": EVERYTHING, "versions": VERSIONS})
    newest = await session_of(world, mine)
    assert {name: one.version for name, one in newest.state.consents.items()} == VERSIONS
    body = {"consents": {"terms": True, "sensitive_data": False}, "versions": {"terms": "2020-01"}}
    response = await ann.put(MINE, json=body)
    assert response.json()["consents"] == [{"id": "terms", "version": VERSIONS["terms"]}]
    assert (response.status_code, await session_of(world, mine)) == (403, newest)


async def test_a_consent_without_its_texts_version_is_refused(world, ann, mine):
    await ann.put(MINE, json={"consents": {"terms": False}})
    response = await ann.put(MINE, json={"consents": {"terms": True}})
    assert (response.status_code, response.json()["consents"]) == (403, [{"id": "terms", "version": VERSIONS["terms"]}])
    assert not (await world.state(mine)).consents["terms"].granted


@pytest.mark.parametrize("answers", [{}, {"terms": True}, EVERYTHING])
async def test_a_request_that_changes_no_consent_writes_no_conversation(world, ann, mine, answers):
    before = await session_of(world, mine)
    assert (await ann.put(MINE, json={"consents": answers, "versions": VERSIONS})).status_code == 200
    assert await session_of(world, mine) == before


async def test_each_change_is_audited_once_for_the_user_and_each_conversation_without_the_id(world, ann, mine):
    for body in ({"terms": False}, {"terms": False}, {"terms": True}):
        await ann.put(MINE, json={"consents": body, "versions": VERSIONS if body["terms"] else {}})
    everything = ", ".join(f"{name}@({version})" for name, version in VERSIONS.items())
    given, withdrawn = f"terms@{VERSIONS['terms']}", f"terms@({VERSIONS['terms']})"
    lines = await world.audit()
    changes = [("consent_withdrawn", withdrawn), ("consent_given", given)]
    assert sorted((one["action"], one["rule"], one["conversation_id"]) for one in lines) == sorted(
        [("consent_given", everything, mine), *((*change, where) for change, where in product(changes, ("", mine)))]
    ), "in brackets: the client did not name the text that it showed"
    assert "ann" not in str(lines)


async def test_without_a_conversation_each_change_is_audited_once(world, ann):
    for _ in range(2):
        await ann.put(MINE, json={"consents": {"terms": True, "sensitive_data": True}, "versions": VERSIONS})
    for _ in range(2):
        await ann.put(MINE, json={"consents": {"sensitive_data": False}})
    terms, sensitive = (f"{name}@{VERSIONS[name]}" for name in ("terms", "sensitive_data"))
    assert [(one["action"], one["rule"], one["conversation_id"]) for one in await world.audit()] == [
        ("consent_given", f"{terms}, {sensitive}", ""),
        ("consent_withdrawn", sensitive, ""),
    ]
    assert "ann" not in str(await world.audit())


def test_a_withdrawal_of_a_consent_that_was_never_given_is_stored(world):
    at = world.clock.now()
    assert refused(taken_back({}, ["terms"], VERSIONS, at)) == ("terms",)
    assert refused({"terms": Consent(granted=True, version="1", at=at)}) == ()
