"""`python -m infra.hosting`: stages the page for Firebase Hosting, if the settings of a deployment are there."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from infra.hosting.settings import WebSettings
from infra.hosting.site import stage_site
from infra.staging.errors import StagingError

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Stage the page, or say why there is none."""
    parser = argparse.ArgumentParser(prog="stage", description="Make the folder that Firebase Hosting serves.")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    parser.add_argument("--settings", type=Path, help="Terraform's output `web` (default: build/web.json)")
    parser.add_argument("--output", type=Path, help="where the folder goes (default: build/stage in the repository)")
    given = parser.parse_args(arguments)
    settings = given.settings or given.root / "build" / "web.json"
    if not settings.is_file():
        _say(f"no {settings}, so no page is staged (terraform -chdir=infra output -json web > {settings})", sys.stdout)
        return 0
    try:
        site = stage_site(given.root, WebSettings.of(settings), (given.output or given.root / "build/stage").resolve())
    except StagingError as error:
        for problem in error.problems:
            _say(problem, sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    _say(f"{site}: {size / 1_000_000:.1f} MB, deployed by {site.parent / 'firebase.json'}", sys.stdout)
    return 0


def _say(line: str, stream: TextIO) -> None:
    print(f"stage: {line}", file=stream)


if __name__ == "__main__":
    sys.exit(main())
