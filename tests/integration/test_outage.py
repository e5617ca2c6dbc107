"""A model outage costs a session neither its memory nor its closing (reliability.md, promise 12).

All of CBot runs in this process: the queue retries within milliseconds, and the sweep's clock is set ahead.
"""

import asyncio
from dataclasses import replace
from datetime import timedelta
from itertools import count

import httpx
import pytest

from functions.session_manager import wiring as session_manager
from local.embedded.delivery import DeliveryPolicy
from local.machine import machine
from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel
from shared.adapters.system_clock import SystemClock
from shared.config.settings import LocalSettings, ModelAccess
from shared.web.background import TASK_ATTEMPTS
from tests.builders.first_session import BETWEEN, NAME, PART_1, STORY
from tests.support.chat_client import Person
from tests.support.polling import eventually
from tests.support.stored import stored

AT_ONCE = DeliveryPolicy(first_delay_s=0.001, max_delay_s=0.002)
GOAL = next(line.client for line in STORY.lines if "session_goal" in line.reading.values)
DAYS = count(1, 3)


class Ahead(SystemClock):
    """The present, so many days later."""

    def __init__(self, days):
        super().__init__()
        self._by = timedelta(days=days)

    def now(self):
        return super().now() + self._by


async def swept():
    """Run the sweep days later, and wait for its tasks: after failures the model is not called for seconds."""
    await replace(session_manager.COMPOSITION.serving().sweep, clock=Ahead(next(DAYS))).run()
    await asyncio.sleep(2)


@pytest.fixture
async def person(model, tmp_path):
    """A user of a machine whose model client makes no retries of its own."""
    connection = GeminiConnection(api_key="test", base_url=model.address, retry_attempts=1)
    settings = LocalSettings.read({"CBOT_DATA_DIR": str(tmp_path)})
    async with (
        machine(settings, ModelAccess(), {}, through=lambda _: GeminiLanguageModel(connection), retries=AT_ONCE) as one,
        httpx.AsyncClient(transport=httpx.ASGITransport(app=one.app), base_url="http://localhost", timeout=60) as http,
    ):
        signed = (await http.post("/local/sign-in", json={"uid": "user"})).json()
        http.headers["Authorization"] = f"Bearer {signed['id_token']}"
        yield Person(http, signed["uid"])


async def test_after_an_outage_the_summary_covers_the_first_turns_and_the_model_writes_the_closing(
    person, model, tmp_path
):
    def newest(agent):
        return str([call for call in model.recent_calls() if call["agent"] == agent][-1]["request"]["contents"])

    async def shown():
        """Return the closing as the page gets it."""
        return (await person.http.get(f"/api/conversations/{conversation.id}")).json()["closing"]

    model.fault("unavailable", "Summary")
    conversation = await person.open()
    said = [*(line.client for line in PART_1), GOAL, BETWEEN.client]
    for text in said:
        await person.say(conversation.id, text)

    async with stored(tmp_path / "cbot.sqlite3") as store:

        async def tried(kind):
            return f"{conversation.id}-{kind}" in await store.tasks("done")

        async def summarized():
            await swept()
            return (await store.session(conversation.id)).watermarks.summarized >= 6

        await eventually(lambda: tried("summarize-6"), what="the last attempt of the summary")
        assert model.calls()["Summary"] == TASK_ATTEMPTS
        assert (await store.session(conversation.id)).watermarks.summarized == 0
        assert PART_1[0].client in newest("Counselor"), "the unsummarised turns stay in the prompt"

        model.heal()
        await eventually(summarized, what="the summary")
        asked = newest("Summary")
        assert [text for text in said[:6] if text not in asked] == []
        assert NAME in (await store.session(conversation.id)).summary_text

        model.fault("unavailable", "ClosingWork")
        await person.http.post(f"/api/conversations/{conversation.id}/end")
        await eventually(lambda: tried("close-0"), what="the last attempt of the closing")
        closing = await shown()
        assert (closing["made_by_rule"], closing["to_follow"]) == (True, True)

        model.heal()

        async def made_good():
            await swept()
            return not (await shown())["to_follow"]

        await eventually(made_good, what="the model's closing")
        closing = await shown()
        assert closing["made_by_rule"] is False
        (record,) = await store.documents(conversation.id, "closings")
        assert record.data["origin"] == "model"

    profile = (await person.http.get("/api/me")).json()["profile"]
    assert profile["goals"]
    assert (profile["goals"], profile["sessions"]) == (closing["goals"], 1)
