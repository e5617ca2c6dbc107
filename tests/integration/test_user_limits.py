"""The limits of a user over two instances on the real Firestore emulator."""

import asyncio
from contextlib import aclosing

import pytest

from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.firestore.operations import CountedDatabase
from tests.builders.danger_service import PLAIN, Service
from tests.support.chat_client import CONSENTS
from tests.support.emulators import new_project

LIMIT, CONVERSATIONS, INSTANCES = 24, 8, 2


@pytest.mark.emulator
async def test_parallel_conversations_stop_at_the_users_daily_limit_without_more_writes_per_turn(firestore_emulator):
    free = {"per_minute": 1000, "llm_calls": 100_000, "user_per_minute": 1000, "user_per_day": LIMIT}
    async with aclosing(FirestoreDocumentDatabase.connect(new_project(), emulator=firestore_emulator)) as real:
        database = CountedDatabase(real)
        first = Service("en", database, **free)
        services = [first, *(Service("en", database, first.clock, **free) for _ in range(INSTANCES - 1))]

        async def talk(number):
            service = services[number % INSTANCES]
            created = await service.call("POST", "/api/conversations", age_band="adult", consents=CONSENTS)
            path = f"/api/conversations/{created.json()['conversation_id']}/chat"
            codes = []
            for turn in range(10):
                body = {"message_id": f"{number:08d}-{turn:04d}-4000-8000-000000000000", "text": PLAIN["en"]}
                codes.append((await service.call("POST", path, **body)).status_code)
            return codes

        first_talk = await talk(0)
        assert first_talk == [200] * 10
        before = database.done
        answers = [code for codes in await asyncio.gather(*map(talk, range(1, CONVERSATIONS))) for code in codes]
        taken = answers.count(200)
        assert set(answers) == {200, 429}
        assert LIMIT - 10 <= taken <= LIMIT - 10 + CONVERSATIONS, "only turns that run in parallel may exceed the limit"
        assert database.done.since(before).writes <= (CONVERSATIONS - 1) * 10 + 8 * taken
