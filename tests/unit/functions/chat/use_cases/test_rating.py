"""A comment beside a rating is read as a message is: whoever tells of a danger in it is told who can help."""

import pytest

from tests.fakes.danger_service import LINE, PLAIN, SAID, SENTENCE, Service, helps


@pytest.fixture(params=["ko", "en"])
async def service(request):
    service = Service(request.param)
    await service.open()
    return service


async def end(service):
    await service.call("POST", f"/api/conversations/{service.id}/end")


async def rate(service, comment, rating=1, **headers):
    path = f"/api/conversations/{service.id}/satisfaction"
    return await service.call("POST", path, headers=headers, rating=rating, comment=comment)


async def ratings(service):
    return [one.data for one in await service.database.tree(f"sessions/{service.id}") if "/ratings/" in one.path]


async def test_danger_in_a_comment_is_answered_with_who_can_help_and_brought_to_the_reviewers(service):
    await end(service)
    answered = await rate(service, f"{PLAIN[service.locale]}. {SAID[service.locale]}")
    assert answered.status_code == 200, answered.text
    told = answered.json()
    assert LINE[service.locale] in " ".join(line["number"] for line in told["resources"])
    assert SENTENCE[service.locale] in told["message"]
    (entry,) = await service.queue()
    assert (entry["conversation_id"], entry["priority"], entry["after_end"]) == (service.id, "crisis", True)
    assert [kept["rating"] for kept in await ratings(service)] == [1]


async def test_the_audit_trail_holds_a_line_for_each_such_rating_and_none_of_the_words(service):
    await end(service)
    for _ in range(2):
        await rate(service, SAID[service.locale])
    trail = [one.data for one in await service.database.tree("audit")]
    assert [line["action"] for line in trail].count("after_end") == 2
    assert SAID[service.locale] not in str(trail)


async def test_danger_is_heeded_where_the_rating_is_refused(service):
    helps(service, await rate(service, SAID[service.locale]), 409, "session_open")
    helps(service, await rate(service, SAID[service.locale], rating=9), 422, "invalid_request")
    await end(service)
    helps(service, await rate(service, SAID[service.locale] + " " * 1001), 422, "invalid_request")
    assert await service.queue() == []
    assert await ratings(service) == []


async def test_without_consent_it_names_help_and_leaves_nothing_at_all(service):
    await end(service)
    await service.call("PUT", "/api/me/consents", consents={"sensitive_data": False})
    before = await service.everything()
    helps(service, await rate(service, SAID[service.locale]), 403, "consent_required")
    assert await service.everything() == before


async def test_a_harmless_comment_is_taken_without_a_word(service):
    await end(service)
    answered = await rate(service, PLAIN[service.locale], rating=4)
    assert (answered.status_code, answered.content) == (204, b"")
    assert await service.queue() == []


async def test_of_somebody_young_it_names_the_line_for_the_young():
    service = Service("ko")
    await service.open(age_band="14_18")
    await end(service)
    told = (await rate(service, SAID["ko"])).json()
    assert "1388" in [line["number"] for line in told["resources"]]


async def test_of_somebody_under_14_the_points_are_kept_and_not_the_comment():
    service = Service("ko")
    await service.open()
    await service.send("저 초등학교 5학년이에요")
    await end(service)
    assert (await rate(service, "선생님이 친절했어요", rating=5)).status_code == 204
    assert [(kept["rating"], kept["comment"]) for kept in await ratings(service)] == [(5, "")]
