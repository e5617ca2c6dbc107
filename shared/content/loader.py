"""Loads content files into typed models; an error names file and line."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from shared.domain.errors import ContentError

M = TypeVar("M", bound=BaseModel)
Plain: TypeAlias = "str | int | float | bool | None | list[Plain] | dict[str, Plain]"

# The C parser is about ten times as fast, which shortens a cold start; the wheel has it, a source build may not.
YAML_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_TAG = "tag:yaml.org,2002:"
_MERGE = "<<"


def load_yaml(path: Path, model: type[M], fragments: Mapping[str, str] | None = None) -> M:
    """Read a YAML or JSON file into `model`; JSON is read as YAML, for its line numbers.

    `<<: *anchor` gives a mapping what it does not name itself; the key `shared` holds only what anchors name.

    Args:
        path: The file.
        model: What it holds.
        fragments: Fragments of its patterns that another file defines; its own `fragments` come on top.

    Raises:
        ContentError: The file is not YAML, has a key twice, or does not fit the model; with file and line.
    """
    root = _compose(path, path.read_text(encoding="utf-8"))
    data = _plain(path, root)
    if isinstance(data, dict):
        data.pop("shared", None)
    if fragments and isinstance(data, dict):
        own = data.get("fragments")
        data["fragments"] = {**fragments, **(own if isinstance(own, dict) else {})}
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _content_error(path, root, error) from error


def _compose(path: Path, text: str) -> Node:
    try:
        root = yaml.compose(text, Loader=YAML_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise ContentError(path.name, line, error.problem or "not YAML") from error
    except yaml.YAMLError as error:
        raise ContentError(path.name, None, str(error)) from error
    if root is None:
        raise ContentError(path.name, 1, "the file is empty")
    return root


def _plain(path: Path, node: Node) -> Plain:
    """Turn a node into plain data: our files hold only text, numbers and booleans."""
    if isinstance(node, MappingNode):
        return _mapping(path, node)
    if isinstance(node, SequenceNode):
        return [_plain(path, item) for item in node.value]
    match node.tag.removeprefix(_TAG):
        case "int":
            return int(node.value)
        case "float":
            return float(node.value)
        case "bool":
            return str(node.value).lower() in ("true", "yes", "on")
        case "null":
            return None
        case _:
            return str(node.value)


def _mapping(path: Path, node: MappingNode) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for key, value in node.value:
        if not isinstance(key, ScalarNode):
            raise ContentError(path.name, _line(key), "a key must be plain text")
        if key.value in found:
            raise ContentError(path.name, _line(key), f"duplicate key {key.value!r}")
        found[key.value] = _plain(path, value)
    base = found.pop(_MERGE, {})
    if not isinstance(base, dict):
        raise ContentError(path.name, _line(node), f"{_MERGE} names no mapping")
    return base | found


def _content_error(path: Path, root: Node, error: ValidationError) -> ContentError:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return ContentError(path.name, _line_of(root, first["loc"]), f"{where}: {first['msg']}" if where else first["msg"])


def _line_of(root: Node, location: tuple[int | str, ...]) -> int:
    """Return the line of a location; for a missing field, that of the mapping without it."""
    node, line = root, _line(root)
    for part in location:
        step = _step(node, part)
        if step is None:
            break
        node, line = step
    return line


def _step(node: Node, part: int | str) -> tuple[Node, int] | None:
    if isinstance(node, MappingNode):
        named = {key.value: (value, _line(key)) for key, value in node.value}
        return named.get(str(part)) or (_step(named[_MERGE][0], part) if _MERGE in named else None)
    if isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
        item: Node = node.value[part]
        return item, _line(item)
    return None


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
