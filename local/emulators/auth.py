"""Firebase's own Auth emulator, which runs in Node (node/firebase-tools), for the page with the Firebase SDK."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from local.emulators.children import Command
from local.pages import VENDOR
from local.ports import HOST, free_ports
from shared.domain.errors import ConfigError

CHOICE = "CBOT_SIGN_IN"
_TOOLS = Path(__file__).parents[2] / "node" / "firebase-tools"
FIREBASE = _TOOLS / "node_modules" / "firebase-tools" / "lib" / "bin" / "firebase.js"
_READY = "│ ✔  All emulators ready!"


@dataclass(frozen=True)
class AuthEmulator:
    """The emulator's command, not yet started.

    Attributes:
        port: Its port on 127.0.0.1.
        command: Runs it until SIGTERM; its users are in memory.
    """

    port: int
    command: Command

    @property
    def address(self) -> str:
        """The address that the page signs in at."""
        return f"http://{HOST}:{self.port}"


def missing(environment: Mapping[str, str]) -> str:
    """Return what the emulator lacks on this machine, or nothing."""
    if shutil.which("node", path=environment.get("PATH", "")) is None:
        return "no Node"
    if not FIREBASE.is_file() or not (VENDOR / "auth.js").is_file():
        return "no Firebase packages: run `make vendor`"
    return ""


def wanted(environment: Mapping[str, str]) -> bool:
    """Return whether the page is to sign in with Firebase: where it can, unless `CBOT_SIGN_IN` says.

    Raises:
        ConfigError: It is to, and cannot; or the choice is unknown.
    """
    chosen, lacking = environment.get(CHOICE, "").strip(), missing(environment)
    if chosen not in {"", "local", "firebase"}:
        raise ConfigError(f"{CHOICE}: local or firebase")
    if chosen == "firebase" and lacking:
        raise ConfigError(f"{CHOICE}: {lacking}")
    return chosen != "local" and not lacking


def firebase_command(
    folder: Path, service: str, project: str, environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs an emulator by the firebase.json of a folder, and its variables.

    In that folder firebase-tools also keeps its settings, its log and its notes on running emulators.
    """
    node = shutil.which("node", path=environment.get("PATH", "")) or "node"
    command = [node, "--require", str(_TOOLS / "quick.cjs"), str(FIREBASE), "emulators:start", "--only", service]
    command += ["--project", project, "--config", str(folder / "firebase.json"), "--non-interactive"]
    places = dict.fromkeys(("XDG_CONFIG_HOME", "TMPDIR", "FIREBASE_DEBUG_PATH"), str(folder))
    return command, places | {"NO_UPDATE_NOTIFIER": "1", "CI": "1"}


def auth_emulator(project: str, environment: Mapping[str, str], home: Path) -> AuthEmulator:
    """Prepare the emulator in a folder of its own."""
    port, hub, logging = free_ports(3)
    own = home / "firebase"
    own.mkdir()
    places = {"auth": port, "hub": hub, "logging": logging}
    emulators = {name: {"host": HOST, "port": number} for name, number in places.items()}
    settings = {"emulators": emulators | {"ui": {"enabled": False}}}
    (own / "firebase.json").write_text(json.dumps(settings), "utf-8")
    arguments, variables = firebase_command(own, "auth", project, environment)
    return AuthEmulator(port, Command("auth", arguments, dict(environment) | variables, ready=_READY))
