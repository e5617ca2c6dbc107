"""`python -m local.emulators.function <name>`: one function in its own process, under functions-framework.

functions-framework serves one target per process; here all targets of a function are mounted at `/<target>`, each as
the application that functions-framework creates. The HTTP endpoint of `chat` is at `/`.
"""

import argparse
import sys
from functools import partial
from importlib import import_module

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from local.command import run
from local.functions import function_app
from local.listening import QuietServer, bound
from local.own_hosts import own_hosts_only
from local.ports import HOST

TARGETS = {
    "chat": ("answer_waiting", "chat"),
    "supervisor": ("supervise",),
    "planner": ("plan", "on_part_transition", "on_planner_feedback"),
    "session_manager": ("manage_session", "sweep"),
}
AT_ROOT = "chat"


def application(function: str) -> ASGIApp:
    """Return all entry points of a function, for callers on this machine.

    The application at the root comes last, for all remaining paths.
    """
    routes: list[BaseRoute] = []
    for target in TARGETS[function]:
        app = function_app(function, target)
        # A route, not a mount, which would redirect to `/<target>/`, while tokens are for one address.
        routes.append(Mount("", app=app) if target == AT_ROOT else Route(f"/{target}", endpoint=app))
    return own_hosts_only(Starlette(routes=routes))


async def _serve(function: str, port: int) -> None:
    wiring = import_module(f"functions.{function}.wiring")
    app = application(function)
    wiring.COMPOSITION.parts()  # a wrong environment fails now instead of at the first call
    listener = bound(port)
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    await QuietServer(app, f"{function} is ready at {address}").until_signal(listener)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.emulators.function", description="One function.")
    parser.add_argument("function", choices=sorted(TARGETS))
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    sys.exit(run(partial(_serve, given.function, given.port)))
