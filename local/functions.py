"""The functions under functions-framework, one application per target."""

from pathlib import Path

import functions_framework.aio
from starlette.types import ASGIApp

_ROOT = Path(__file__).parent.parent / "functions"


def function_app(function: str, target: str) -> ASGIApp:
    """Return the application of one entry point.

    functions-framework executes `main.py` for each target; shared state lives in the imported packages.
    """
    source = str(_ROOT / function / "main.py")
    app: ASGIApp = functions_framework.aio.create_asgi_app(target, source)  # type: ignore[no-untyped-call]
    return app
