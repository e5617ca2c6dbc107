import os

import pytest

from local.emulators.firestore import FirestoreEmulator, find_jar
from shared.domain.errors import ConfigError


def test_a_named_jar_is_taken_or_told_by_its_variable_if_it_is_not_there(tmp_path):
    jar = tmp_path / "emulator.jar"
    jar.touch()
    assert find_jar({"FIRESTORE_EMULATOR_JAR": str(jar)}) == jar
    with pytest.raises(ConfigError, match=r"FIRESTORE_EMULATOR_JAR: .*gone\.jar is no file"):
        find_jar({"FIRESTORE_EMULATOR_JAR": str(tmp_path / "gone.jar")})


def test_without_java_the_advice_names_what_to_install(tmp_path):
    with pytest.raises(ConfigError, match="no Java: install a Java runtime"):
        FirestoreEmulator({"PATH": str(tmp_path)}, tmp_path / "log")


@pytest.mark.emulator
def test_a_jar_that_is_no_emulator_is_told_with_its_last_words(tmp_path, firestore_emulator):
    jar = tmp_path / "empty.jar"
    jar.touch()
    emulator = FirestoreEmulator({**os.environ, "FIRESTORE_EMULATOR_JAR": str(jar)}, tmp_path / "emulator.log")
    with pytest.raises(ConfigError, match=r"did not start: .*ClassNotFoundException"):
        emulator.start()
    assert emulator.pid is None


@pytest.mark.emulator
def test_an_emulator_answers_when_it_has_started_and_is_gone_when_it_was_stopped(tmp_path, firestore_emulator):
    with FirestoreEmulator(os.environ, tmp_path / "emulator.log") as emulator:
        assert emulator.pid is not None
        assert emulator.address != firestore_emulator.address
    assert emulator.pid is None
