"""The local sign-in: anybody on the machine is whoever, and whatever, they say."""

import httpx

from local.pages import pages
from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from tests.fakes.service_parts import Ids
from tests.fakes.settable_clock import SettableClock


async def caller(body):
    clock = SettableClock()
    transport = httpx.ASGITransport(pages("demo-cbot", clock, Ids(), demo=True))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        signed_in = await client.post("/local/sign-in", content=body)
    return await UnsignedIdentity("demo-cbot", clock, {}).verify(signed_in.json()["id_token"])


async def test_who_asks_for_a_role_has_it_and_who_does_not_has_none():
    staff = await caller(b'{"uid": "rae", "role": "reviewer"}')
    assert (staff.user_id, staff.role) == ("rae", "reviewer")
    assert (await caller(b'{"uid": "ann"}')).role is None


async def test_what_is_odd_is_as_good_as_nothing(subtests):
    for body in (b"", b"[]", b'{"uid": "a/b", "role": 7}', b'{"role": "Reviewer", "uid": null}'):
        with subtests.test(body=body):
            somebody = await caller(body)
            assert (somebody.user_id, somebody.role) == ("id1", None)
