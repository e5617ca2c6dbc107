"""A repository as small as can be: two functions, what they share, and what must stay at home."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, str], Path]

FILES = {
    "pyproject.toml": '[project]\nname = "cbot"\nversion = "4.5.6"\n',
    "requirements/functions.txt": "starlette==1.0.0 --hash=sha256:00\n",
    "functions/__init__.py": "",
    "functions/chat/__init__.py": "",
    "functions/chat/main.py": "from functions.chat.wiring import PARTS\n",
    "functions/chat/wiring.py": "import json, shared.domain.turn\nfrom shared.domain import turn\nPARTS = turn.TURN\n",
    "functions/chat/prompts/greeter/v1.ko.j2": "안녕하세요",
    "functions/planner/__init__.py": "",
    "functions/planner/main.py": "",
    "functions/planner/plan.py": "PLAN = 1\n",
    "shared/__init__.py": "",
    "shared/domain/__init__.py": "",
    "shared/domain/turn.py": "TURN = {'a', 'b', None}\n",
    "shared/content/data/words.yaml": "a: b\n",
    "shared/content/data/people.json": "{}",
    "local/__init__.py": "",
    "local/machine.py": "MACHINE = 1\n",
    "tests/__init__.py": "",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Its root."""
    root = tmp_path / "repository"
    for name, text in FILES.items():
        _write(root / name, text)
    return root


@pytest.fixture
def write(repository: Path) -> Write:
    """Put a file into the repository."""
    return lambda name, text: _write(repository / name, text)


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
