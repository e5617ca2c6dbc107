"""Runs all of CBot on the emulators: Firestore, queue, events, simulator, four functions, pages."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from local.emulators.addresses import Addresses
from local.emulators.auth import AuthEmulator, auth_emulator, missing, wanted
from local.emulators.children import Child, Command
from local.emulators.events.registration import register_triggers
from local.emulators.firestore import FirestoreEmulator
from local.emulators.surroundings import function_variables, inherited
from local.pages import Elsewhere, pages
from local.ports import HOST
from local.trial import trial_routes
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.config.settings import LocalSettings, ModelAccess
from shared.contracts.triggers import TRIGGERS

_READY = {"simulator": "Gemini simulator", "deliveries": "deliveries are ready"}
"""Prefix of a part's line that says that it is ready, if it is not `<name> is ready at`."""
RULES = Path(__file__).parents[2] / "infra" / "firestore.rules"


@dataclass(frozen=True)
class EmulatorStack:
    """The running parts.

    Attributes:
        app: Application of the pages.
        lines: Addresses of the parts, for the user.
        firestore: The only part that cannot be restarted, since its data are in memory.
    """

    app: ASGIApp
    lines: Sequence[str]
    firestore: FirestoreEmulator


class Runner:
    """Starts the parts in the order of their dependencies, and ends them in reverse."""

    def __init__(self, settings: LocalSettings, access: ModelAccess, environment: Mapping[str, str]) -> None:
        """Prepare with the settings of the local server: project, limits, model."""
        self._settings = settings
        self._demo = not access.configured
        self._environment = environment
        self._inherited = inherited(environment)
        self._addresses = Addresses.free()
        self._children: dict[str, Child] = {}
        self._with_firebase = wanted(environment)
        self._auth: AuthEmulator | None = None

    @asynccontextmanager
    async def running(self, page: str) -> AsyncIterator[EmulatorStack]:
        """Run everything inside the block.

        Args:
            page: Origin of the pages, whose script may call the chat function.

        Raises:
            ConfigError: Java or the emulator is missing, or a part does not start.
        """
        async with AsyncExitStack() as stack:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cbot-", ignore_cleanup_errors=True)))
            if self._with_firebase:
                self._auth = auth_emulator(self._settings.project, self._inherited, home)
            firestore = FirestoreEmulator(
                self._environment,
                home / "firestore.log",
                rules=RULES,
                port=self._addresses.firestore,
                functions=f"{HOST}:{self._addresses.events}",
            )
            stack.callback(firestore.stop)
            firestore.launch()
            await asyncio.to_thread(firestore.wait_ready)
            _tell("Firestore is ready")
            await register_triggers(firestore.address, self._settings.project, TRIGGERS)
            for together in (self._platform(home), self._functions(home, page)):
                for child in together:
                    stack.push_async_callback(child.end)
                await asyncio.gather(*map(_start, together))
            yield EmulatorStack(
                app=self._pages(firestore, home), lines=self._lines(firestore, home), firestore=firestore
            )

    def _platform(self, home: Path) -> list[Child]:
        """Return the replacements of cloud services; the simulator only without a model key."""
        addresses = self._addresses
        deliveries = ["local.emulators.deliveries", "--data", str(home / "deliveries")]
        deliveries += ["--tasks-port", str(addresses.tasks), "--events-port", str(addresses.events)]
        deliveries += ["--planner", addresses.url("planner")]
        deliveries += ["--sweep", addresses.url("session_manager", "sweep")]
        variables = function_variables(self._settings, addresses, "")["planner"]
        found = [self._child(home, "deliveries", deliveries, variables)]
        if self._demo:
            found.append(self._child(home, "simulator", ["local.gemini", "--port", str(addresses.simulator)], {}))
        return found

    def _functions(self, home: Path, page: str) -> list[Child]:
        """Return the functions, and the Auth emulator: as slow to start, and needed by the page only."""
        auth = f"{HOST}:{self._auth.port}" if self._auth else ""
        variables = function_variables(self._settings, self._addresses, page, auth)
        model = {"GEMINI_API_KEY": "demo", "GOOGLE_GEMINI_BASE_URL": f"http://{HOST}:{self._addresses.simulator}"}
        functions = [
            self._child(
                home,
                name,
                ["local.emulators.function", name, "--port", str(port)],
                variables[name] | (model if self._demo else {}),
            )
            for name, port in self._addresses.functions.items()
        ]
        return [*functions, *([self._kept(home, self._auth.command)] if self._auth else [])]

    def _child(self, home: Path, name: str, module: Sequence[str], variables: Mapping[str, str]) -> Child:
        command = Command(
            name,
            [sys.executable, "-m", *module],
            self._inherited | dict(variables),
            ready=_READY.get(name, f"{name} is ready at"),
        )
        return self._kept(home, command)

    def _kept(self, home: Path, command: Command) -> Child:
        child = Child(command, home / f"{command.name}.log", _say)
        self._children[command.name] = child
        return child

    def _pages(self, firestore: FirestoreEmulator, home: Path) -> ASGIApp:
        async def parts(_request: Request) -> JSONResponse:
            """Return addresses and process ids, for tests."""
            running = {name: child.pid for name, child in self._children.items()}
            return JSONResponse(
                {
                    "project": self._settings.project,
                    "firestore": firestore.address,
                    "auth": self._auth.address if self._auth else None,
                    "tasks": f"{HOST}:{self._addresses.tasks}",
                    "events": f"http://{HOST}:{self._addresses.events}",
                    "functions": {name: self._addresses.url(name) for name in self._addresses.functions},
                    "pids": running | {"firestore": firestore.pid},
                    "logs": str(home),
                }
            )

        return pages(
            self._settings.project,
            SystemClock(),
            RandomIds(),
            demo=self._demo,
            elsewhere=Elsewhere(
                self._addresses.url("chat"), self._auth.address if self._auth else "", firestore.address
            ),
            more=[Route("/local/parts", parts, methods=["GET"]), *(trial_routes() if self._demo else [])],
        )

    def _lines(self, firestore: FirestoreEmulator, home: Path) -> list[str]:
        where = {name: self._addresses.url(name) for name in self._addresses.functions}
        where |= {
            "Firestore": f"{firestore.address} (project {self._settings.project})",
            "Auth": self._auth.address
            if self._auth
            else f"the local sign-in ({missing(self._environment) or 'chosen'})",
            "Cloud Tasks": f"{HOST}:{self._addresses.tasks} (gRPC)",
            "events": f"http://{HOST}:{self._addresses.events}",
            "model": f"http://{HOST}:{self._addresses.simulator} (simulator)" if self._demo else "Gemini",
            "logs": str(home),
        }
        return [f"  {name:<16}{address}" for name, address in where.items()]


async def _start(child: Child) -> None:
    await child.start()
    _tell(f"{child.name} is ready")


def _say(line: str) -> None:
    print(line, flush=True)


def _tell(progress: str) -> None:
    """Say how far the start has come, apart from the lines that tell where things are."""
    print(f"  {progress}", file=sys.stderr, flush=True)
