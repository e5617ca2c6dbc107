"""A stage with the four functions in their own processes over the Firestore and Cloud Tasks emulators."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx

from local.demo.stage import ANSWER_WITHIN_S, INSTANT, Stage
from local.demo.stored import Stored
from local.emulators.auth import CHOICE
from local.emulators.firestore import find_jar, find_java
from local.emulators.runner import Runner
from local.loopback import NO_AUTHORITIES
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.config.settings import LocalSettings, ModelAccess

AT_ONCE = 3
"""Parallel clients: enough to keep two cores busy."""
_PAUSE_S = 0.05
_PAGE = "http://localhost"
"""Address of the sign-in, served inside this process."""
_SIGN_IN = {CHOICE: "local"}
_PASSED_ON = ("FIRESTORE_EMULATOR_JAR", "JAVA_HOME", "PATH", "HOME", "LANG", "LC_", "PYTHON", "VIRTUAL_ENV", "TMPDIR")
"""Prefixes of the variables that child processes get; none configures CBot, since a model key would cost money."""


@asynccontextmanager
async def emulated() -> AsyncIterator[Stage]:
    """Start the emulators and the functions on free ports, and stop them at the end.

    Raises:
        ConfigError: Java or the emulator is missing, or a part does not start.
    """
    environment = _environment(os.environ)
    find_java(environment)
    find_jar(environment)
    _end_on_sigterm()
    settings = LocalSettings.read({})
    async with Runner(settings, ModelAccess(), environment).running(_PAGE) as household:
        pages = httpx.ASGITransport(app=household.app)
        async with httpx.AsyncClient(transport=pages, base_url=_PAGE) as inside:
            parts = (await inside.get("/local/parts")).json()
        database = FirestoreDocumentDatabase.connect(settings.project, emulator=household.firestore.address)
        try:
            async with httpx.AsyncClient(
                base_url=parts["functions"]["chat"],
                mounts={_PAGE: httpx.ASGITransport(app=household.app)},
                timeout=ANSWER_WITHIN_S,
                trust_env=False,
                verify=NO_AUTHORITIES,
            ) as http:
                yield Stage(
                    http=http,
                    sign_in=f"{_PAGE}/local/sign-in",
                    store=Stored(database, _unseen),
                    pause_s=_PAUSE_S,
                    at_once=AT_ONCE,
                )
        finally:
            await database.aclose()


async def _unseen() -> bool:
    """Return False: queue and events serve all clients, so only a session's documents tell whether it waits."""
    return False


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name.startswith(_PASSED_ON)} | INSTANT | _SIGN_IN


def _end_on_sigterm() -> None:
    """Let SIGTERM stop this in order, like Ctrl-C."""
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
