"""The other stage: the four functions in processes of their own over the Firestore and Cloud Tasks emulators."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx

from local.demo.stage import ANSWER_WITHIN_S, INSTANT, Stage
from local.demo.stored import Stored
from local.emulators.firestore import find_jar, find_java
from local.emulators.runner import Runner
from local.loopback import NO_AUTHORITIES
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.config.settings import LocalSettings, ModelAccess

AT_ONCE = 3
"""Enough to keep two cores busy; more only makes each slower."""
_PAUSE_S = 0.05
_PAGE = "http://localhost"
"""Where sign-in is; reached inside of this process."""
_PASSED_ON = ("FIRESTORE_EMULATOR_JAR", "JAVA_HOME", "PATH", "HOME", "LANG", "LC_", "PYTHON", "VIRTUAL_ENV", "TMPDIR")
"""Beginnings of the variables that children may see: none that configures CBot, for a key would cost money."""


@asynccontextmanager
async def emulated() -> AsyncIterator[Stage]:
    """Start the emulators and the functions on free ports, and end all of it, whatever happens inside.

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
    """The queue and the events serve all clients at once: what a session still waits for, its documents tell."""
    return False


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name.startswith(_PASSED_ON)} | INSTANT


def _end_on_sigterm() -> None:
    """Let SIGTERM end this as Ctrl-C does: in order, with everything that was started."""
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
