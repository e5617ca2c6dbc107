"""Staged code may import what is staged, and nothing else of the repository."""

import pytest

from infra.staging.imports import missing_imports
from infra.staging.sources import files_of, function_names
from tests.support.process import ROOT


@pytest.fixture
def missing(repository, write):
    """What is missing when a module of `chat` reads so."""

    def look(text):
        write("functions/chat/flow.py", text)
        return missing_imports(repository, files_of(repository, "chat"))

    return look


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("import functions.planner.plan", "functions.planner.plan"),
        ("from functions.planner.plan import PLAN", "functions.planner.plan"),
        ("from functions.planner import plan", "functions.planner.plan"),
        ("from local.machine import MACHINE", "local.machine"),
        ("import json, local.machine as here", "local.machine"),
        ("def lazily():\n    from local.machine import MACHINE", "local.machine"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tests", "tests"),
        ("from functions.chat import main", "functions.chat.main"),
        ("from shared.domain.nowhere import TURN", "shared.domain.nowhere"),
    ],
)
def test_an_import_of_what_stays_at_home_is_named_with_its_line(missing, text, module):
    line = len(text.splitlines())
    assert f"functions/chat/flow.py:{line}: imports {module}, which is not staged" in missing(text)


@pytest.mark.parametrize(
    "text",
    [
        "import os.path, jinja2",
        "from shared.domain.turn import TURN",
        "from shared.domain import turn",
        "from functions.chat import wiring",
        "import functions.chat.wiring",
    ],
)
def test_what_is_staged_or_installed_may_be_imported(missing, text):
    assert missing(text) == []


def test_a_relative_import_is_refused(missing):
    assert missing("\nfrom ..planner import plan") == [
        "functions/chat/flow.py:2: imports by a relative name; the staged layout wants absolute ones"
    ]


def test_a_module_that_cannot_be_read_is_named_with_its_line(missing):
    assert missing("a = 1\nb = (") == ["functions/chat/flow.py:2: '(' was never closed"]


def test_the_product_imports_only_what_is_staged_with_it():
    assert {
        function: got
        for function in function_names(ROOT)
        if (got := missing_imports(ROOT, files_of(ROOT, function))) != []
    } == {}
