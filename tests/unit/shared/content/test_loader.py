"""Wrong content files name their file and line."""

import pytest

from shared.content.loader import load_yaml
from shared.domain.errors import ContentError
from shared.model import Model


class Entry(Model):
    name: str
    size: int = 0


class File(Model):
    entries: tuple[Entry, ...]


def load(tmp_path, text, name="things.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_yaml(path, File)


def failure(tmp_path, text, name="things.yaml"):
    with pytest.raises(ContentError) as caught:
        load(tmp_path, text, name)
    return caught.value


def test_a_good_file_becomes_the_model(tmp_path):
    assert load(tmp_path, "entries:\n  - name: 가\n  - {name: 나, size: 3}\n").entries == (
        Entry(name="가"),
        Entry(name="나", size=3),
    )


def test_json_is_read_alike(tmp_path):
    assert load(tmp_path, '{"entries": [{"name": "가", "size": 1}]}', "things.json").entries[0].size == 1


def test_a_wrong_value_names_file_line_and_field(tmp_path):
    error = failure(tmp_path, "entries:\n  - name: 가\n  - name: 나\n    size: big\n")
    assert (error.file, error.line) == ("things.yaml", 4)
    assert "entries.1.size" in error.problem
    assert str(error).startswith("things.yaml:4: ")


def test_an_unknown_field_names_its_own_line(tmp_path):
    assert failure(tmp_path, "entries:\n  - name: 가\n    colour: red\n").line == 3


def test_a_missing_field_names_the_entry_that_lacks_it(tmp_path):
    error = failure(tmp_path, "entries:\n  - name: 가\n  - size: 2\n")
    assert error.line == 3
    assert "name" in error.problem


def test_a_duplicate_key_is_an_error(tmp_path):
    error = failure(tmp_path, "entries:\n  - name: 가\n    name: 나\n")
    assert error.line == 3
    assert "duplicate key 'name'" in error.problem


def test_a_duplicate_key_in_json_is_an_error(tmp_path):
    assert failure(tmp_path, '{\n"entries": [],\n"entries": []}', "things.json").line == 3


def test_broken_yaml_names_its_line(tmp_path):
    assert failure(tmp_path, "entries:\n  - name: 가\n - name: 나\n").line in {2, 3}


def test_an_empty_file_is_an_error(tmp_path):
    assert failure(tmp_path, "").problem == "the file is empty"


def test_a_bare_yes_is_no_text(tmp_path):
    assert failure(tmp_path, "entries:\n  - name: yes\n").line == 2


def test_a_compound_key_is_an_error(tmp_path):
    assert "plain text" in failure(tmp_path, "? [a, b]\n: 1\n").problem
