"""Reads Terraform's files as data: literals as what they are, references and expressions as text in `${…}`."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import hcl2

from tests.support.process import ROOT

_NOTES = {"__is_block__", "__comments__", "__inline_comments__"}


@dataclass(frozen=True)
class Terraform:
    """One module: bodies by name, those of resources by `type.name`, and the text of all files."""

    locals: Mapping[str, Any]
    variables: Mapping[str, Any]
    resources: Mapping[str, Any]
    outputs: Mapping[str, Any]
    text: str

    @classmethod
    def read(cls, folder: Path) -> "Terraform":
        """Read the `.tf` files of a folder."""
        files = sorted(folder.glob("*.tf"))
        assert files, f"no Terraform in {folder}"
        texts = [path.read_text("utf-8") for path in files]
        parsed = [_plain(hcl2.loads(text)) for text in texts]
        return cls(
            locals=_merged(entry for file in parsed for entry in file.get("locals", [])),
            variables=_merged(entry for file in parsed for entry in file.get("variable", [])),
            resources=_merged(
                {f"{kind}.{name}": body}
                for file in parsed
                for entry in file.get("resource", [])
                for kind, named in entry.items()
                for name, body in named.items()
            ),
            outputs=_merged(entry for file in parsed for entry in file.get("output", [])),
            text="\n".join(texts),
        )

    def of_type(self, kind: str) -> dict[str, Any]:
        return {name.partition(".")[2]: body for name, body in self.resources.items() if name.startswith(f"{kind}.")}


@cache
def infrastructure() -> Terraform:
    return Terraform.read(ROOT / "infra")


def block(body: Mapping[str, Any], name: str) -> Any:
    (found,) = body[name]
    return found


def reference(value: str) -> str:
    """Return the reference in a value: `local.url["a"]` of `${local.url["a"]}`."""
    match = re.fullmatch(r"\$\{(.*)\}", value, re.DOTALL)
    assert match, f"{value!r} is a literal"
    return match[1]


def keys_in(expression: str) -> set[str]:
    """Return the names in capitals that objects within an expression set."""
    return set(re.findall(r"\b([A-Z][A-Z0-9_]+)\s*=(?!=)", expression))


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string of a value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


def _plain(value: Any) -> Any:
    """Remove the additions of python-hcl2: quotes around literals and keys, and its notes."""
    if isinstance(value, dict):
        return {_unquoted(key): _plain(inner) for key, inner in value.items() if key not in _NOTES}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return _unquoted(value) if isinstance(value, str) else value


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if len(text) > 1 and text[0] == text[-1] == '"' else text


def _merged(parts: Iterator[Mapping[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for part in parts:
        twice = merged.keys() & part.keys()
        assert not twice, f"given twice: {', '.join(sorted(twice))}"
        merged |= part
    return merged
