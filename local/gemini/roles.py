"""Identifies the calling agent, for the log and the faults, by the title of its schema."""

from local.gemini.protocol import GenerateRequest

PROSE_ROLE = "Counselor"


def role_of(request: GenerateRequest) -> str:
    """Return the schema's title (the pydantic model's class name); without a schema the Counselor's."""
    schema = request.schema or {}
    # A recursive model's schema is only a reference to its definition, whose name is the class.
    return str(schema.get("title") or str(schema.get("$ref", "")).rsplit("/", 1)[-1] or PROSE_ROLE)
