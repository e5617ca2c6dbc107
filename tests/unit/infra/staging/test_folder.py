"""A staged folder: whole, compiled, the same for the same sources, and never what it is not."""

import os
import platform

import pytest

from infra.staging.errors import StagingError
from infra.staging.folder import stage
from tests.support.process import ROOT

UNCHECKED_HASH = 0b01
"""Flags of bytecode that is used without a look at its source (PEP 552)."""


def snapshot(folder):
    """Return what a zip archive would hold: paths, contents, times, modes."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            path.stat().st_mtime,
            path.stat().st_mode,
        )
        for path in [folder, *folder.rglob("*")]
    }


def test_two_stagings_of_the_product_are_the_same_to_the_byte(tmp_path, monkeypatch):
    first = snapshot(stage(ROOT, "chat", tmp_path / "first"))
    monkeypatch.setenv("PYTHONHASHSEED", "12345")
    mask = os.umask(0o077)
    try:
        second = stage(ROOT, "chat", tmp_path / "second")
    finally:
        os.umask(mask)
    assert snapshot(second) == first


def test_only_content_makes_a_change(repository, write, tmp_path):
    first = snapshot(stage(repository, "chat", tmp_path / "out"))
    source = repository / "shared/domain/turn.py"
    os.utime(source, (1, 1))
    source.chmod(0o700)
    assert snapshot(stage(repository, "chat", tmp_path / "out")) == first
    write("shared/domain/turn.py", "TURN = 2\n")
    assert snapshot(stage(repository, "chat", tmp_path / "out")) != first


def test_every_module_has_bytecode_that_no_change_of_times_undoes(repository, tmp_path):
    folder = stage(repository, "chat", tmp_path)
    tag = f"cpython-{''.join(platform.python_version_tuple()[:2])}"
    for source in folder.rglob("*.py"):
        compiled = (source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc").read_bytes()
        assert int.from_bytes(compiled[4:8], "little") == UNCHECKED_HASH
        assert str(tmp_path).encode() not in compiled


def test_what_left_the_sources_leaves_the_folder(repository, write, tmp_path):
    gone = write("functions/chat/gone.py", "")
    folder = stage(repository, "chat", tmp_path)
    gone.unlink()
    stage(repository, "chat", tmp_path)
    assert list(folder.rglob("gone*")) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("functions/chat/flow.py", "import local.machine"), ("shared/notes.txt", ""), ("shared/bad.py", "return 1")],
)
def test_a_failed_staging_leaves_no_folder_of_an_earlier_day(repository, write, tmp_path, name, text):
    folder = stage(repository, "chat", tmp_path)
    write(name, text)
    with pytest.raises(StagingError, match=name):
        stage(repository, "chat", tmp_path)
    assert not folder.exists()


def test_a_folder_of_somebody_else_is_left_alone(repository):
    with pytest.raises(StagingError, match="not a staged folder"):
        stage(repository, "chat", repository / "functions")
    assert (repository / "functions/chat/main.py").is_file()
