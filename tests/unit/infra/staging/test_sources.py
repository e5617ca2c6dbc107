"""What goes into a staged folder, and what stays at home."""

from pathlib import Path, PurePosixPath

import pytest

from infra.staging.errors import StagingError
from infra.staging.sources import files_of, function_names
from tests.support.process import ROOT


def test_a_function_is_its_main_on_top_its_package_shared_its_lock_and_what_names_it(repository):
    assert sorted(map(str, files_of(repository, "chat"))) == [
        "cbot-4.5.6.dist-info/METADATA",
        "functions/__init__.py",
        "functions/chat/__init__.py",
        "functions/chat/prompts/greeter/v1.ko.j2",
        "functions/chat/wiring.py",
        "main.py",
        "requirements.txt",
        "shared/__init__.py",
        "shared/content/data/people.json",
        "shared/content/data/words.yaml",
        "shared/domain/__init__.py",
        "shared/domain/turn.py",
        "stage.json",
    ]


def test_the_functions_are_the_packages_with_a_main(repository, write):
    write("functions/notes/readme.py", "")
    assert function_names(repository) == ["chat", "planner"]


def test_caches_and_hidden_files_stay_at_home(repository, write):
    before = files_of(repository, "chat")
    write("shared/domain/__pycache__/turn.cpython-311.pyc", "old")
    write("shared/.env", "GEMINI_API_KEY=secret")
    write("functions/chat/.git/config", "")
    assert files_of(repository, "chat") == before


@pytest.mark.parametrize("name", ["functions/chat/notes.txt", "shared/content/data/words.csv", "shared/LICENSE"])
def test_a_file_of_an_unknown_kind_is_neither_dropped_nor_taken_along_in_silence(repository, write, name):
    write(name, "")
    with pytest.raises(StagingError, match=f"{name}: no kind of file"):
        files_of(repository, "chat")


def test_without_a_lock_nothing_is_staged(repository):
    (repository / "requirements/functions.txt").unlink()
    with pytest.raises(StagingError, match=r"requirements/functions\.txt"):
        files_of(repository, "chat")


def test_every_data_file_of_the_product_is_staged(subtests):
    for function in function_names(ROOT):
        with subtests.test(function=function):
            staged = files_of(ROOT, function)
            for package in (ROOT / "functions" / function, ROOT / "shared"):
                for path in package.rglob("*.*"):
                    if path.is_file() and path.suffix not in (".py", ".pyc"):
                        assert PurePosixPath(path.relative_to(ROOT)) in staged


def test_every_function_of_the_product_is_found():
    assert function_names(ROOT) == sorted(path.parent.name for path in Path(ROOT).glob("functions/*/main.py"))
    assert {"chat", "supervisor", "planner", "session_manager"} == set(function_names(ROOT))
