"""A staged folder: written whole, compiled, and the same to the byte for the same sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from infra.staging.errors import StagingError
from infra.staging.imports import missing_imports
from infra.staging.sources import MANIFEST, Files, files_of

MOMENT = 315_532_800
"""The time of every file, so that only content makes a change: 1980-01-01 UTC, the first that zip knows."""
COMPILE_SECONDS = 120


def stage(root: Path, function: str, output: Path) -> Path:
    """Make `output/<function>` anew from the repository at `root`, and return it.

    A failure leaves no folder: what stood there before is not what the sources say.

    Raises:
        StagingError: The sources cannot be staged, or the folder holds something else.
    """
    folder = output / function
    _clear(folder)
    files = files_of(root, function)
    missing = missing_imports(root, files)
    if missing:
        raise StagingError(missing)
    try:
        _write(folder, files)
        _compile(folder)
        _settle(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _clear(folder: Path) -> None:
    """Remove an earlier staging, and only that."""
    if not folder.exists():
        return
    if any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise StagingError([f"{folder}: not a staged folder, so it is left alone"])
    shutil.rmtree(folder)


def _write(folder: Path, files: Files) -> None:
    for path, content in sorted(files.items()):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _compile(folder: Path) -> None:
    """Compile to bytecode that is used as it is: copying, zipping and unpacking change times, and must not undo it.

    In a process of its own, deaf to this environment: what an interpreter has interned shows in the bytecode it writes.
    """
    command = [sys.executable, "-I", "-m", "compileall", "-q", "-f"]
    mode = ["--invalidation-mode", "unchecked-hash", "-s", str(folder), str(folder)]
    ended = subprocess.run(  # noqa: S603 - our own interpreter, our own arguments
        [*command, *mode],
        capture_output=True,
        text=True,
        timeout=COMPILE_SECONDS,
        check=False,
    )
    if ended.returncode:
        raise StagingError([f"{folder}: {ended.stdout.strip()}{ended.stderr.strip()}"])


def _settle(folder: Path) -> None:
    """Give everything one time and plain modes, the deepest first: writing in a folder changes its time."""
    for path in [*sorted(folder.rglob("*"), reverse=True), folder]:
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (MOMENT, MOMENT))
