"""The endpoints of bookings, and bookings among the users' rights."""

import datetime as dt

from shared.domain.ids import UserId
from tests.builders.appointments import appointment

NAMES = {"ann": "a" * 24, "ben": "b" * 24}


async def booked(world, user="ann", days=7, **more):
    await world.conversation(user)
    start = (world.clock.now() + dt.timedelta(days=days)).replace(microsecond=0)
    wanted = appointment(user, start, name=NAMES[user], now=world.clock.now(), **more)
    return await world.api.bookings.appointments.book(wanted, 3)


async def test_the_callers_own_bookings_are_listed_and_others_are_not(world):
    for user in NAMES:
        await booked(world, user, note=f"of {user}")
    async with world.client() as client:
        body = (await client.get("/api/bookings")).json()
    assert [(one["booking_id"], one["note"], one["status"]) for one in body["bookings"]] == [
        (NAMES["ann"], "of ann", "booked")
    ]
    assert (body["zone"], body["limit"]) == ("Asia/Seoul", 5)


async def test_a_booking_is_given_as_a_calendar_file_in_the_callers_language(world):
    await booked(world)
    async with world.client(**{"Accept-Language": "en"}) as client:
        answer = await client.get(f"/api/bookings/{NAMES['ann']}.ics")
        assert (await client.get(f"/api/bookings/{NAMES['ben']}.ics")).status_code == 404
    assert answer.headers["content-type"].startswith("text/calendar")
    assert "SUMMARY:Session\r\n" in answer.text


async def test_a_cancelled_booking_is_off_the_list_and_cancels_the_calendars_event(world):
    await booked(world)
    path = f"/api/bookings/{NAMES['ann']}"
    async with world.client() as client:
        assert [(await client.delete(path)).status_code for _ in range(2)] == [204, 204]
        assert (await client.get("/api/bookings")).json()["bookings"] == []
        assert "METHOD:CANCEL" in (await client.get(f"{path}.ics")).text


async def test_nobody_cancels_anothers_booking(world):
    kept = await booked(world)
    async with world.client("ben") as client:
        assert (await client.delete(f"/api/bookings/{NAMES['ann']}")).status_code == 404
        assert (await client.delete("/api/bookings/x")).status_code == 404
    assert await world.api.bookings.appointments.of_user(UserId("ann")) == (kept,)


async def test_bookings_are_exported_and_erased_with_the_user(world):
    await booked(world, phone_number="01012345678")
    async with world.client() as client:
        (exported,) = (await client.get("/api/me/export")).json()["appointments"]
        assert exported["phone_number"] == "01012345678"
        assert (await client.delete("/api/me")).status_code == 204
    assert await world.paths("appointments", "appointment_seats", "appointment_users") == []
