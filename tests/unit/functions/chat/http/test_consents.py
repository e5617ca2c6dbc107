"""Consents: shown with their versions, kept, withdrawn, given anew."""

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
    async with world.client(None) as anybody:
        answered = await anybody.get(f"/api/consents{query}")
    return answered.json()["consents"] if answered.status_code == 200 else answered.status_code


async def test_anybody_may_read_what_they_would_agree_to_in_a_language_that_there_is(world):
    for query, title in (("", "이용약관"), ("?locale=ko", "이용약관"), ("?locale=en", "Terms of use")):
        shown = await texts(world, query)
        assert [one["id"] for one in shown] == list(Consents.model_fields)
        assert shown[0]["title"] == title
        assert {one["id"]: one["version"] for one in shown} == VERSIONS
        assert all(one["text"] and one["required"] and "{" not in one["text"] for one in shown)
    assert await texts(world, "?locale=fr") == 422


async def test_the_texts_name_who_runs_the_service_or_say_that_it_is_a_demo(world):
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


async def test_who_has_agreed_to_nothing_is_to_be_asked_and_opening_keeps_it_for_person_and_conversation(world, ann):
    shown = states(await ann.get(MINE))
    assert [(one["granted"], one["due"], one["at"]) for one in shown.values()] == [(False, True, None)] * 3
    mine = await world.conversation("ann")
    kept = (await world.profile()).consents
    assert not any(one.stated for one in kept.values()), "this client did not say which texts it had shown"
    assert kept == (await world.state(mine)).consents
    assert {name: one.version for name, one in kept.items()} == VERSIONS
    shown = states(await ann.get(MINE))
    assert all(one["granted"] and not one["due"] and one["granted_version"] == one["version"] for one in shown.values())


async def test_an_opening_under_an_older_text_is_refused_with_the_version_of_today(world, ann):
    response = await ann.post(ALL, json={**OPENING, "versions": {"overseas_transfer": "2020-01"}})
    assert (response.status_code, response.json()["code"]) == (403, "consent_required")
    assert response.json()["consents"] == [{"id": "overseas_transfer", "version": VERSIONS["overseas_transfer"]}]
    assert await world.store.views_of("ann", None, 5) == []
    assert (await ann.post(ALL, json={**OPENING, "versions": VERSIONS})).status_code == 201
    assert all(one.stated for one in (await world.profile()).consents.values())


async def test_a_withdrawal_reaches_the_person_and_every_conversation_and_says_what_stays(world, ann, bob, mine):
    other = await world.conversation("ann")
    await bob.put(MINE, json={"consents": {"terms": False}})
    response = await ann.put(MINE, json={"consents": {"overseas_transfer": False}})
    assert response.status_code == 200
    shown = states(response)
    assert (shown["overseas_transfer"]["granted"], shown["overseas_transfer"]["due"]) == (False, True)
    assert shown["overseas_transfer"]["withdrawn_at"]
    assert shown["terms"]["granted"], "what Bob withdraws is his"
    assert "내 정보 모두 지우기" in response.json()["note"]
    assert "DELETE" not in response.json()["note"]
    for conversation in (mine, other):
        kept = (await world.state(conversation)).consents
        assert (kept["overseas_transfer"].granted, kept["terms"].granted) == (False, True)
    english = await ann.put(MINE, json={"consents": {"terms": False}}, headers={"Accept-Language": "en"})
    assert english.json()["note"].startswith("You have withdrawn")


async def test_a_newer_text_that_is_agreed_to_replaces_the_older_and_an_older_cannot_be_agreed_to(world, ann, mine):
    kept = (await world.state(mine)).consents
    await world.set(mine, consents={name: one.model_copy(update={"version": "2020-01"}) for name, one in kept.items()})
    await ann.put(MINE, json={"consents": EVERYTHING, "versions": VERSIONS})
    newest = await session_of(world, mine)
    assert {name: one.version for name, one in newest.state.consents.items()} == VERSIONS
    body = {"consents": {"terms": True, "sensitive_data": False}, "versions": {"terms": "2020-01"}}
    response = await ann.put(MINE, json=body)
    assert response.json()["consents"] == [{"id": "terms", "version": VERSIONS["terms"]}]
    assert (response.status_code, await session_of(world, mine)) == (403, newest)


async def test_what_does_not_say_to_which_text_is_not_agreed_to(world, ann, mine):
    await ann.put(MINE, json={"consents": {"terms": False}})
    response = await ann.put(MINE, json={"consents": {"terms": True}})
    assert (response.status_code, response.json()["consents"]) == (403, [{"id": "terms", "version": VERSIONS["terms"]}])
    assert not (await world.state(mine)).consents["terms"].granted


@pytest.mark.parametrize("answers", [{}, {"terms": True}, EVERYTHING])
async def test_what_is_so_already_changes_no_conversation(world, ann, mine, answers):
    before = await session_of(world, mine)
    assert (await ann.put(MINE, json={"consents": answers, "versions": VERSIONS})).status_code == 200
    assert await session_of(world, mine) == before


async def test_each_change_is_audited_once_for_the_person_and_for_each_conversation_without_who(world, ann, mine):
    for body in ({"terms": False}, {"terms": False}, {"terms": True}):
        await ann.put(MINE, json={"consents": body, "versions": VERSIONS if body["terms"] else {}})
    everything = ", ".join(f"{name}@({version})" for name, version in VERSIONS.items())
    given, withdrawn = f"terms@{VERSIONS['terms']}", f"terms@({VERSIONS['terms']})"
    lines = await world.audit()
    changes = [("consent_withdrawn", withdrawn), ("consent_given", given)]
    assert sorted((one["action"], one["rule"], one["conversation_id"]) for one in lines) == sorted(
        [("consent_given", everything, mine), *((*change, where) for change, where in product(changes, ("", mine)))]
    ), "in brackets: the client did not say which text it had shown"
    assert "ann" not in str(lines)


async def test_without_any_conversation_each_change_is_audited_once_too(world, ann):
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


def test_a_consent_never_given_is_kept_as_withdrawn_too(world):
    at = world.clock.now()
    assert refused(taken_back({}, ["terms"], VERSIONS, at)) == ("terms",)
    assert refused({"terms": Consent(granted=True, version="1", at=at)}) == ()
