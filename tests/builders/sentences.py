"""Sentences of `tests/fixtures/` that tests read, one a line."""

from pathlib import Path
from typing import Any

import yaml

from shared.content.loader import YAML_LOADER

FOLDER = Path(__file__).parents[1] / "fixtures"


def sentences(name: str) -> Any:
    """Return a file with every block of lines as a list."""
    return _lists(plain_yaml(FOLDER / f"{name}.yaml"))


def plain_yaml(path: Path) -> Any:
    """Return what a YAML file says, read by the fast parser."""
    return yaml.load(path.read_text("utf-8"), Loader=YAML_LOADER)


def _lists(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _lists(below) for key, below in node.items()}
    return node.splitlines() if isinstance(node, str) and node.endswith("\n") else node
