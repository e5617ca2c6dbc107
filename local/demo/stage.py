"""A machine of the demo's own: the embedded default in this process, an instant simulator, an empty directory."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from local.demo.stored import Stored, stored
from local.machine import machine
from shared.config.settings import LocalSettings, ModelAccess

_ANSWER_WITHIN_S = 120
_INSTANT = {"CBOT_SIMULATOR_TTFT_MS": "0", "CBOT_SIMULATOR_TOKEN_MS": "0"}


@dataclass(frozen=True)
class Stage:
    """Where sessions are played.

    Attributes:
        http: Reaches the machine over ASGI.
        store: Looks at what it has written.
    """

    http: httpx.AsyncClient
    store: Stored


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """Switch the machine on, and off at the end, leaving nothing behind.

    No variable of the environment is read: with a key, the demo would cost money and be another each time.
    """
    with tempfile.TemporaryDirectory(prefix="cbot-demo-") as home:
        settings = LocalSettings.read({"CBOT_DATA_DIR": home})
        async with (
            machine(settings, ModelAccess(), _INSTANT) as built,
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=built.app), base_url="http://demo", timeout=_ANSWER_WITHIN_S
            ) as http,
            stored(Path(home) / "cbot.sqlite3") as store,
        ):
            yield Stage(http, store)
