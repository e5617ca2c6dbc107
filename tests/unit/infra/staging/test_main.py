"""The command: what it says, and when it fails."""

import platform

import pytest

from infra.staging.__main__ import main

HERE = ".".join(platform.python_version_tuple()[:2])


@pytest.fixture
def command(repository, tmp_path, capsys):
    def run():
        code = main(["--root", str(repository), "--output", str(tmp_path / "out")])
        return code, *(text.splitlines() for text in capsys.readouterr())

    return run


def test_every_function_is_staged_and_named_with_its_version(command, tmp_path):
    code, said, complained = command()
    assert code == 0
    assert [line.split(",")[0] for line in said] == [
        f"stage: {tmp_path}/out/chat: 4.5.6",
        f"stage: {tmp_path}/out/planner: 4.5.6",
    ]
    assert all(line.endswith(f"bytecode for Python {HERE}") for line in said)
    assert complained == []


def test_each_problem_is_a_line_and_the_command_fails(command, write):
    write("functions/chat/one.py", "import local")
    write("functions/chat/two.py", "import tests")
    code, said, complained = command()
    assert code == 1
    assert said == []
    assert complained == [
        "stage: functions/chat/one.py:1: imports local, which is not staged",
        "stage: functions/chat/two.py:1: imports tests, which is not staged",
    ]
