"""Which files of the repository make up a function."""

import json
import platform
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from infra.staging.errors import StagingError

Files: TypeAlias = Mapping[PurePosixPath, bytes]
"""The content of a folder's files, by their paths in it."""

ENTRY = PurePosixPath("main.py")
MANIFEST = PurePosixPath("stage.json")
"""Says what a staged folder is: the function, the version, and the Python that its bytecode is for."""
LOCK = PurePosixPath("requirements/functions.txt")
KINDS = frozenset({".j2", ".json", ".md", ".py", ".typed", ".yaml"})
"""Endings of what may stand in a package. A file of another kind stops the staging: left out in silence it would be
missed in production, and taken along it might be somebody's notes."""


def function_names(root: Path) -> list[str]:
    """Return the functions of the repository: the packages of `functions` that have a `main.py`."""
    return sorted(entry.parent.name for entry in (root / "functions").glob(f"*/{ENTRY}"))


def files_of(root: Path, function: str) -> Files:
    """Return a function's sources: its `main.py` on top, its package, `shared`, its lock, and what names it.

    `main.py` stands on top only: a second copy inside the package might be imported beside it.

    Raises:
        StagingError: A file is of an unknown kind, or there is no lock.
    """
    lock = root / LOCK
    if not lock.is_file():
        raise StagingError([f"{LOCK}: no such file (make lock)"])
    package = PurePosixPath("functions", function)
    sources = [root / "functions/__init__.py", *_package(root / package), *_package(root / "shared")]
    found = {PurePosixPath(path.relative_to(root).as_posix()): path for path in sources}
    unknown = [f"{path}: no kind of file that can be staged" for path in found if path.suffix not in KINDS]
    if unknown:
        raise StagingError(unknown)
    content = {path: source.read_bytes() for path, source in found.items()}
    content[ENTRY] = content.pop(package / ENTRY)
    content[PurePosixPath("requirements.txt")] = lock.read_bytes()
    return content | _identity(root, function)


def _package(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        if path.is_file() and "__pycache__" not in inside and not any(part.startswith(".") for part in inside):
            yield path


def _identity(root: Path, function: str) -> dict[PurePosixPath, bytes]:
    """Return the manifest, and the metadata in which `importlib.metadata` finds the version: nothing is installed."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    name, version = project["name"], project["version"]
    manifest = {"function": function, "python": ".".join(platform.python_version_tuple()[:2]), "version": version}
    return {
        MANIFEST: f"{json.dumps(manifest)}\n".encode(),
        PurePosixPath(f"{name}-{version}.dist-info/METADATA"): (
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
        ),
    }
