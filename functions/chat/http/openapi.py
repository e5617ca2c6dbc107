"""The API's description: served at `/openapi.json` and stored in `docs/openapi.json`.

`python -m functions.chat.http.openapi docs/openapi.json` writes the file.
"""

import json
import sys
from functools import cache
from pathlib import Path

from pydantic import JsonValue

from functions.chat.http.api import PATH_PATTERNS
from functions.chat.http.endpoints import ENDPOINTS
from shared.content.loader import load_yaml
from shared.web.openapi import Described, describe
from shared.web.reference import Reference

API_VERSION = "0.1.0"
_REFERENCE = Path(__file__).parent / "reference.yaml"


def document() -> dict[str, JsonValue]:
    """Return the OpenAPI document."""
    return describe(Described(ENDPOINTS, "CBot chat", API_VERSION, PATH_PATTERNS, load_yaml(_REFERENCE, Reference)))


@cache
def rendered() -> str:
    """Return the document as text."""
    return json.dumps(document(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rendered(), encoding="utf-8")
