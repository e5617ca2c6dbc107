"""Which agent is calling, for the log of calls and the faults: the product says it in its schema's title alone."""

from local.gemini.protocol import GenerateRequest

PROSE_ROLE = "Counselor"


def role_of(request: GenerateRequest) -> str:
    """Name the agent by its answer schema's title (the pydantic model's class name); without one it speaks in prose."""
    schema = request.schema or {}
    # A recursive model's schema is only a reference to its definition, which is named by the class.
    return str(schema.get("title") or str(schema.get("$ref", "")).rsplit("/", 1)[-1] or PROSE_ROLE)
