"""`make stage`: the staged files of a function, reproducible folders, and refused sources."""

import os
from pathlib import PurePosixPath

import pytest

from infra.staging.__main__ import main
from infra.staging.errors import StagingError
from infra.staging.folder import stage
from infra.staging.imports import missing_imports
from infra.staging.sources import files_of, function_names
from tests.support.process import ROOT

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
def write(tmp_path):
    def write(name, text):
        path = tmp_path / "repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def repository(tmp_path, write):
    """The smallest repository: two functions, shared code, and code that is not staged."""
    for name, text in FILES.items():
        write(name, text)
    return tmp_path / "repository"


def snapshot(folder):
    """Return paths, contents, times and modes, as a zip archive holds them."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        content = path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (content, path.stat().st_mtime, path.stat().st_mode)
    return found


class TestSources:
    def test_a_function_is_staged_with_main_package_shared_code_lock_and_metadata(self, repository, write):
        wanted = [
            *("cbot-4.5.6.dist-info/METADATA", "functions/__init__.py", "functions/chat/__init__.py"),
            *("functions/chat/prompts/greeter/v1.ko.j2", "functions/chat/wiring.py", "main.py", "requirements.txt"),
            *("shared/__init__.py", "shared/content/data/people.json", "shared/content/data/words.yaml"),
            *("shared/domain/__init__.py", "shared/domain/turn.py", "stage.json"),
        ]
        assert sorted(map(str, files_of(repository, "chat"))) == wanted
        # caches and hidden files are not staged, and a folder without a main is no function
        write("shared/domain/__pycache__/turn.cpython-311.pyc", "old")
        write("shared/.env", "GEMINI_API_KEY=secret")
        write("functions/chat/.git/config", "")
        write("functions/notes/readme.py", "")
        assert sorted(map(str, files_of(repository, "chat"))) == wanted
        assert function_names(repository) == ["chat", "planner"]

    def test_a_file_of_an_unknown_kind_is_an_error(self, repository, write):
        write("shared/content/data/words.csv", "")
        with pytest.raises(StagingError, match=r"words\.csv: no kind of file"):
            files_of(repository, "chat")

    def test_every_function_and_every_data_file_of_the_product_is_staged(self, subtests):
        assert set(function_names(ROOT)) == {"chat", "supervisor", "planner", "session_manager"}
        for function in function_names(ROOT):
            with subtests.test(function=function):
                found = [*(ROOT / "functions" / function).rglob("*.*"), *(ROOT / "shared").rglob("*.*")]
                data = {path for path in found if path.is_file() and path.suffix not in (".py", ".pyc")}
                assert {PurePosixPath(path.relative_to(ROOT)) for path in data} <= set(files_of(ROOT, function))


class TestImports:
    @pytest.fixture
    def missing(self, repository, write):
        """Return the missing imports of a module of `chat` with the given text."""

        def look(text):
            write("functions/chat/flow.py", text)
            return missing_imports(repository, files_of(repository, "chat"))

        return look

    @pytest.mark.parametrize(
        ("text", "module"),
        [
            ("import functions.planner.plan", "functions.planner.plan"),
            ("from functions.planner import plan", "functions.planner.plan"),
            ("import json, local.machine as here", "local.machine"),
            ("def lazily():\n    from local.machine import MACHINE", "local.machine"),
            ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tests", "tests"),
            ("from shared.domain.nowhere import TURN", "shared.domain.nowhere"),
        ],
    )
    def test_an_import_that_is_not_staged_is_reported_with_its_line(self, missing, text, module):
        line = len(text.splitlines())
        assert f"functions/chat/flow.py:{line}: imports {module}, which is not staged" in missing(text)

    def test_a_relative_import_and_a_syntax_error_are_reported_with_their_line(self, missing):
        assert missing("\nfrom ..planner import plan") == [
            "functions/chat/flow.py:2: imports by a relative name; the staged layout wants absolute ones"
        ]
        assert missing("a = 1\nb = (") == ["functions/chat/flow.py:2: '(' was never closed"]

    def test_the_product_imports_only_staged_modules(self):
        for function in function_names(ROOT):
            assert missing_imports(ROOT, files_of(ROOT, function)) == []


class TestFolder:
    def test_changes_only_with_content_and_drops_removed_sources(self, repository, write, tmp_path):
        gone = write("functions/chat/gone.py", "")
        folder = stage(repository, "chat", tmp_path / "out")
        gone.unlink()
        first = snapshot(stage(repository, "chat", tmp_path / "out"))
        assert list(folder.rglob("gone*")) == []
        source = repository / "shared/domain/turn.py"
        os.utime(source, (1, 1))
        source.chmod(0o700)
        assert snapshot(stage(repository, "chat", tmp_path / "out")) == first
        write("shared/domain/turn.py", "TURN = 2\n")
        assert snapshot(stage(repository, "chat", tmp_path / "out")) != first

    @pytest.mark.parametrize(
        ("name", "text"),
        [("functions/chat/flow.py", "import local.machine"), ("shared/notes.txt", ""), ("shared/bad.py", "return 1")],
    )
    def test_a_failed_staging_removes_the_folder_of_an_earlier_run(self, repository, write, tmp_path, name, text):
        folder = stage(repository, "chat", tmp_path / "out")
        write(name, text)
        with pytest.raises(StagingError, match=name):
            stage(repository, "chat", tmp_path / "out")
        assert not folder.exists()

    def test_a_folder_that_was_not_staged_is_not_overwritten(self, repository):
        with pytest.raises(StagingError, match="not a staged folder"):
            stage(repository, "chat", repository / "functions")
        assert (repository / "functions/chat/main.py").is_file()


def test_the_command_fails_and_prints_one_line_per_problem(repository, write, tmp_path, capsys):
    arguments = ["--root", str(repository), "--output", str(tmp_path / "out")]
    assert main(arguments) == 0
    write("functions/chat/one.py", "import local")
    write("functions/chat/two.py", "import tests")
    capsys.readouterr()
    assert main(arguments) == 1
    assert capsys.readouterr().err.splitlines() == [
        "stage: functions/chat/one.py:1: imports local, which is not staged",
        "stage: functions/chat/two.py:1: imports tests, which is not staged",
    ]
