"""The schemas of docs/openapi.json as validators, for what a client reads."""

import json
from functools import cache
from typing import Any

import jsonschema_rs

from tests.support.process import ROOT


@cache
def _document() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))
    return read


def validator(name: str) -> Any:
    """Return the validator of a schema of the description; `validate` raises, `is_valid` answers."""
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": _document()["components"]}
    )
