"""What an API's description says to its readers beside names and schemas: texts, servers, tags, examples."""

from collections.abc import Mapping

from pydantic import Field, JsonValue

from shared.model import Model


class Licence(Model):
    """The licence of the API."""

    name: str
    identifier: str


class ServerVariable(Model):
    """A part of a server's address."""

    default: str
    description: str


class Server(Model):
    """Where the API answers."""

    url: str
    description: str
    variables: Mapping[str, ServerVariable] = Field(default_factory=dict)


class Tag(Model):
    """A group of operations, by their names."""

    name: str
    description: str
    operations: tuple[str, ...]


class Told(Model):
    """What is said of an operation beside its summary.

    Attributes:
        request: Example of its body.
        responses: Examples of its answers, by status.
    """

    description: str | None = None
    request: JsonValue = None
    responses: Mapping[int, JsonValue] = Field(default_factory=dict)


class Reference(Model):
    """All of it.

    Attributes:
        parameters: Descriptions of path parameters.
        events: Example of each event of a turn.
        problems: Examples of problems, by code.
    """

    description: str
    license: Licence
    servers: tuple[Server, ...]
    parameters: Mapping[str, str]
    tags: tuple[Tag, ...]
    operations: Mapping[str, Told]
    events: Mapping[str, JsonValue]
    problems: Mapping[str, JsonValue]

    def tags_of(self, operation: str) -> list[str]:
        """Return the names of an operation's tags."""
        return [tag.name for tag in self.tags if operation in tag.operations]

    def told_of(self, operation: str) -> Told:
        """Return what is said of an operation."""
        return self.operations.get(operation, Told())
