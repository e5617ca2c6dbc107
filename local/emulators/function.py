"""`python -m local.emulators.function <name>`: one function in a process of its own, under functions-framework.

functions-framework serves one target a process; the targets of a function stand side by side here, each as the
application that functions-framework makes of it, mounted at `/<target>`. The HTTP endpoint of `chat` is at `/`.
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
"""The entry points of each function."""
AT_ROOT = "chat"


def application(function: str) -> ASGIApp:
    """Return all entry points of a function, for callers of this machine.

    What is mounted at the root comes last and takes what is left.
    """
    routes: list[BaseRoute] = []
    for target in TARGETS[function]:
        app = function_app(function, target)
        # A route and no mount: a mount would send the caller on to `/<target>/`, and tokens are for one address.
        routes.append(Mount("", app=app) if target == AT_ROOT else Route(f"/{target}", endpoint=app))
    return own_hosts_only(Starlette(routes=routes))


async def _serve(function: str, port: int) -> None:
    wiring = import_module(f"functions.{function}.wiring")
    app = application(function)
    wiring.COMPOSITION.parts()  # a wrong environment is told now, not to the first caller
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
