"""Where sessions are played: by default embedded in this process, with an instant simulator."""

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx

from local.demo.stored import Stored
from local.embedded.database import SqliteDocumentDatabase
from local.embedded.values import timestamp
from local.machine import machine
from shared.config.settings import LocalSettings, ModelAccess
from shared.ports.language_model import LanguageModel

ANSWER_WITHIN_S = 120
INSTANT = {"CBOT_SIMULATOR_TTFT_MS": "0", "CBOT_SIMULATOR_TOKEN_MS": "0"}

# One statement, so that work that starts other work is not missed between two queries.
_UNSETTLED = """
SELECT 1 FROM tasks WHERE state = 'pending' AND (due_at <= :now OR attempts > 0) UNION ALL
SELECT 1 FROM outbox WHERE state = 'pending' AND (due_at <= :now OR attempts > 0) LIMIT 1
"""


@dataclass(frozen=True)
class Stage:
    """Where sessions are played.

    Attributes:
        http: Client of the chat function, with the API's base address.
        sign_in: Address of the sign-in, for `http`.
        store: Reads what was written.
        pause_s: Seconds between two checks of the background work.
        at_once: Parallel clients.
    """

    http: httpx.AsyncClient
    sign_in: str
    store: Stored
    pause_s: float
    at_once: int


def _itself(model: LanguageModel) -> LanguageModel:
    return model


@asynccontextmanager
async def embedded(
    through: Callable[[LanguageModel], LanguageModel] = _itself, **settings: str
) -> AsyncIterator[Stage]:
    """Run the embedded machine without leaving files.

    Environment variables are ignored: with a model key the demo would cost money and not be repeatable.

    Args:
        through: May wrap the model.
        settings: Settings by the name of their variable.
    """
    with tempfile.TemporaryDirectory(prefix="cbot-demo-") as home:
        async with (
            machine(
                LocalSettings.read({**settings, "CBOT_DATA_DIR": home}), ModelAccess(), INSTANT, through=through
            ) as built,
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=built.app), base_url="http://localhost", timeout=ANSWER_WITHIN_S
            ) as http,
            _stored(Path(home) / "cbot.sqlite3") as store,
        ):
            yield Stage(http=http, sign_in="/local/sign-in", store=store, pause_s=0.005, at_once=1)


@asynccontextmanager
async def _stored(file: Path) -> AsyncIterator[Stored]:
    """Open the machine's file without locking it."""
    database = await SqliteDocumentDatabase.open(file, exclusive=False)

    async def working() -> bool:
        return bool(await database.file.fetch(_UNSETTLED, {"now": timestamp(datetime.now(UTC))}))

    try:
        yield Stored(database, working)
    finally:
        await database.aclose()
