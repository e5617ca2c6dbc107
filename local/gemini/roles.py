"""Which agent is calling? The product never says; the simulator infers it."""

import re

from local.gemini.json_types import JsonObject
from local.gemini.protocol import GenerateRequest

PROSE_ROLE = "Counselor"
_TAG = re.compile(r"<role>\s*([^<\s]+)\s*</role>")


def role_of(request: GenerateRequest) -> str:
    """Name the agent.

    It is its answer schema's title (the pydantic model's class name), else the system instruction's
    `<role>name</role>`, else the counsellor, who writes prose.
    """
    if request.schema is not None and (title := _title(request.schema)):
        return title
    tag = _TAG.search(request.system)
    return tag[1] if tag else PROSE_ROLE


def _title(schema: JsonObject) -> str | None:
    title = schema.get("title")
    if isinstance(title, str) and title:
        return title
    # A recursive model's schema is only a reference to its definition, which is named by the class.
    ref = schema.get("$ref")
    return ref.rsplit("/", 1)[-1] if isinstance(ref, str) else None
