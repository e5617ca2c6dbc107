"""`python -m infra.staging`: stages every function; exit 1 and a line for each problem when it cannot."""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from infra.staging.errors import StagingError
from infra.staging.folder import stage
from infra.staging.sources import MANIFEST, function_names

ROOT = Path(__file__).resolve().parents[2]
_RUNTIME = re.compile(r'"python(\d)(\d+)"')


def main(arguments: Sequence[str] | None = None) -> int:
    """Stage every function and say so."""
    parser = argparse.ArgumentParser(prog="stage", description="Make one folder a function, ready to be deployed.")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    parser.add_argument("--output", type=Path, help="where the folders go (default: build/stage in the repository)")
    given = parser.parse_args(arguments)
    output = (given.output or given.root / "build" / "stage").resolve()
    try:
        folders = [stage(given.root, function, output) for function in function_names(given.root)]
    except StagingError as error:
        _say(error.problems, sys.stderr)
        return 1
    _say([_described(folder) for folder in folders], sys.stdout)
    _say(foreign_runtimes(given.root / "infra", f"{sys.version_info.major}.{sys.version_info.minor}"), sys.stderr)
    return 0


def foreign_runtimes(infra: Path, python: str) -> list[str]:
    """Return a warning for each runtime in the Terraform files that would not use bytecode of this Python."""
    found = {
        (match[1], match[2], file.name)
        for file in sorted(infra.glob("*.tf"))
        for match in _RUNTIME.finditer(file.read_text("utf-8"))
    }
    return [
        f"{file} runs Python {major}.{minor}, the bytecode is for {python}: a cold start would compile everything"
        for major, minor, file in sorted(found)
        if f"{major}.{minor}" != python
    ]


def _described(folder: Path) -> str:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    measure = f"{len(sizes)} files, {sum(sizes) / 1_000_000:.1f} MB"
    return f"{folder}: {manifest['version']}, {measure}, bytecode for Python {manifest['python']}"


def _say(lines: Sequence[str], stream: TextIO) -> None:
    for line in lines:
        print(f"stage: {line}", file=stream)


if __name__ == "__main__":
    sys.exit(main())
