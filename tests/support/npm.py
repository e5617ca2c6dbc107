"""Node for tests: required in CI, loudly skipped elsewhere."""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.emulators import required
from tests.support.process import clean_environment

OLDEST = (20, 19)
_MISSING = "Node {}.{} or newer with npm (https://nodejs.org, Debian: apt-get install nodejs npm)".format(*OLDEST)


def node_or_skip() -> None:
    """Without Node the test is skipped, or fails where it is required."""
    if _found():
        return
    if required():
        pytest.fail(f"CBOT_REQUIRE_EMULATORS is set, but there is no {_MISSING}", pytrace=False)
    pytest.skip(f"NODE TEST SKIPPED: there is no {_MISSING}")


def run_node(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None, within_s: float = 180
) -> "subprocess.CompletedProcess[str]":
    """Run `node`, `npm` or `npx` in a folder to its end, with any exit code."""
    clean = clean_environment({"CI": "true", "NO_COLOR": "1", "REDOCLY_TELEMETRY": "off", **(environment or {})})
    options = {"capture_output": True, "text": True, "timeout": within_s}
    return subprocess.run(list(command), cwd=folder, env=clean, check=False, **options)


def _found() -> bool:
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", said)
    return bool(version) and (int(version[1]), int(version[2])) >= OLDEST
