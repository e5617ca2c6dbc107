"""What `make run-emulators` says when it cannot start."""

import subprocess
import sys
from pathlib import Path

from tests.support.process import ROOT, clean_environment


def outcome(**variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "local.emulators"]
    environment = clean_environment({"PORT": "0", **variables})
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_without_java_it_says_what_to_install(tmp_path: Path) -> None:
    ended = outcome(PATH=str(tmp_path), JAVA_HOME="")
    assert ended.returncode == 2
    assert "cbot: no Java: install a Java runtime, 17 or newer" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_the_emulator_it_says_where_to_get_it(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.symlink_to("/bin/true")
    ended = outcome(PATH=str(tmp_path), FIRESTORE_EMULATOR_JAR=str(tmp_path / "gone.jar"))
    assert ended.returncode == 2
    assert "FIRESTORE_EMULATOR_JAR" in ended.stderr
    assert "Traceback" not in ended.stderr
