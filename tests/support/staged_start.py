"""Run inside a clean venv with a staged folder as its argument: imports its `main.py` as functions-framework does.

Prints the state in which the server would fork and listen, as JSON: `connected`, the addresses that were asked for or
connected to; `threads`, how many run; `built`, whether the function's parts are ready. Its environment is the cloud's.
"""

import json
import sys
import threading
from importlib import import_module
from pathlib import Path

FOLDER = Path(sys.argv[1])
connected: list[str] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        connected.append(repr(arguments[1:]))


sys.addaudithook(_note)
sys.path.append(str(FOLDER))
import_module("main")
parts = sys.modules[f"functions.{FOLDER.name}.wiring"].COMPOSITION._parts  # a call would build them
found = {"connected": connected, "threads": threading.active_count(), "built": parts is not None}
sys.stdout.write(json.dumps(found))
