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
    return load_yaml(path, File).entries


def test_a_valid_file_becomes_the_model_in_yaml_and_in_json(tmp_path):
    good = "entries:\n  - name: 가\n  - {name: 나, size: 3}\n"
    assert load(tmp_path, good) == (Entry(name="가"), Entry(name="나", size=3))
    assert load(tmp_path, '{"entries": [{"name": "가", "size": 1}]}', "things.json") == (Entry(name="가", size=1),)


def test_a_mapping_takes_from_its_anchor_what_it_does_not_name_itself(tmp_path):
    shared = "shared:\n  big: &big {name: 가, size: 9}\nentries:\n  - <<: *big\n    name: 나\n  - *big\n"
    assert load(tmp_path, shared) == (Entry(name="나", size=9), Entry(name="가", size=9))


@pytest.mark.parametrize(
    ("text", "name", "lines", "problem"),
    [
        ("entries:\n  - name: 가\n  - name: 나\n    size: big\n", "things.yaml", {4}, "entries.1.size"),
        ("entries:\n  - name: 가\n    colour: red\n", "things.yaml", {3}, "colour"),
        ("entries:\n  - name: 가\n  - size: 2\n", "things.yaml", {3}, "name"),
        ("entries:\n  - name: yes\n", "things.yaml", {2}, "name"),
        ("entries:\n  - name: 가\n    name: 나\n", "things.yaml", {3}, "duplicate key 'name'"),
        ('{\n"entries": [],\n"entries": []}', "things.json", {3}, "duplicate key 'entries'"),
        ("entries:\n  - name: 가\n - name: 나\n", "things.yaml", {2, 3}, ""),
        ("", "things.yaml", {None, 1}, "the file is empty"),
        ("? [a, b]\n: 1\n", "things.yaml", {1}, "plain text"),
        (
            "shared:\n  big: &big\n    size: big\nentries:\n  - <<: *big\n    name: 가\n",
            "things.yaml",
            {3},
            "entries.0.size",
        ),
        ("entries:\n  - <<: 3\n    name: 가\n", "things.yaml", {2}, "<< names no mapping"),
    ],
    ids=[
        *("value", "unknown", "missing", "no text", "twice", "twice in JSON", "broken", "empty", "compound key"),
        *("inherited value", "no base"),
    ],
)
def test_the_error_of_an_invalid_file_names_file_line_and_field(tmp_path, text, name, lines, problem):
    with pytest.raises(ContentError) as caught:
        load(tmp_path, text, name)
    error = caught.value
    assert (error.file, error.line in lines, problem in error.problem) == (name, True, True), error
    assert error.line is None or str(error).startswith(f"{name}:{error.line}: ")
