"""Triggers as the Firestore emulator is told of them."""

import json

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from local.emulators.events.registration import register_triggers
from local.listening import InLoopServer, bound
from local.ports import HOST
from shared.contracts.triggers import TRIGGERS
from shared.domain.errors import ConfigError


class Emulator:
    """Takes registrations, with the status it is given."""

    def __init__(self, status=200):
        self.status = status
        self.registered = {}
        self.listener = bound(0)
        self.address = f"{HOST}:{self.listener.getsockname()[1]}"
        route = Route("/emulator/v1/projects/{project}/eventarcTrigger", self.take, methods=["POST"])
        self.server = InLoopServer(Starlette(routes=[route]), self.listener)

    async def take(self, request):
        key = request.path_params["project"], request.query_params["eventarcTriggerId"]
        self.registered[key] = json.loads(await request.body())
        return Response(status_code=self.status)

    async def __aenter__(self):
        self.server.start()
        return self

    async def __aexit__(self, *_):
        await self.server.stop()


async def test_each_trigger_is_registered_for_created_documents_of_its_pattern():
    async with Emulator() as emulator:
        await register_triggers(emulator.address, "demo", TRIGGERS)
    assert emulator.registered[("demo", "on_part_transition")] == {
        "eventType": "google.cloud.firestore.document.v1.created",
        "database": "(default)",
        "namespace": "(default)",
        "document": {
            "value": "sessions/{conversation_id}/part_transitions/{transition}",
            "matchType": "PATH_PATTERN",
        },
    }
    assert {trigger for _, trigger in emulator.registered} == set(TRIGGERS)


async def test_a_pattern_that_fits_no_document_is_refused_before_it_spoils_the_emulator(subtests):
    for pattern in ("", "sessions", "sessions/{id}/turns", "//", "sessions//turns/{n}", "/sessions/{id}"):
        with subtests.test(pattern=pattern):
            async with Emulator() as emulator:
                with pytest.raises(ConfigError, match="no path of documents"):
                    await register_triggers(emulator.address, "demo", {"good": "a/{b}", "bad": pattern})
            assert not emulator.registered
