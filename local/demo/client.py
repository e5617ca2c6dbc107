"""Clients as data: who they are, and what they say to what (clients/*.yaml)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from shared.content.loader import load_yaml
from shared.domain.errors import ConfigError, ContentError

CLIENTS = Path(__file__).parent / "clients"


class _Data(BaseModel):
    """A part of a file: unknown keys are errors, so that a misspelt one is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Moment(_Data):
    """When a rule speaks: everything given must hold.

    Attributes:
        hears: Found in the counsellor's newest message; a regular expression, like the next.
        task: Found in the current task's id or title.
        proposes: What the counsellor has just asked to agree to.
        in_crisis: Whether the crisis protocol is being followed through.
        from_turn: The first turn in which it speaks, 1 for the client's first message.
    """

    hears: str | None = None
    task: str | None = None
    part: Literal[1, 2, 3] | None = None
    proposes: Literal["wrap_up", "end"] | None = None
    in_crisis: bool | None = None
    from_turn: int = Field(default=1, ge=1)

    @field_validator("hears", "task")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"no regular expression: {error}") from None
        return pattern


class Rule(_Data):
    """What is said at a moment: one line each time, in order, and nothing more when all are said.

    Attributes:
        again: Begin anew after the last line.
    """

    when: Moment = Moment()
    say: tuple[str, ...] = Field(min_length=1)
    again: bool = False

    @field_validator("say")
    @classmethod
    def _says_something(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        if not all(line.strip() for line in lines):
            raise ValueError("a line is empty")
        return lines


class Client(_Data):
    """One client.

    Attributes:
        name: The file's name, and the page's.
        title: Who it is, in a few words.
        about: What the session shows.
        rules: The first that fits the moment and has a line left speaks.
        most_turns: A session that takes longer has gone wrong.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    title: str = Field(min_length=1)
    about: str = Field(min_length=1)
    register_: Literal["존댓말", "반말"] = Field(default="존댓말", alias="register")
    age_band: Literal["14_18", "adult"] = "adult"
    rules: tuple[Rule, ...] = Field(min_length=1)
    most_turns: int = Field(default=50, ge=1, le=200)


def read_client(path: Path) -> Client:
    """Read a client's file.

    Raises:
        ContentError: It is no client, or bears another's name; with file, line and field.
    """
    client = load_yaml(path, Client)
    if client.name != path.stem:
        raise ContentError(path.name, 1, f"name: the file is {path.stem!r}, the client {client.name!r}")
    return client


def clients(folder: Path = CLIENTS) -> tuple[Client, ...]:
    """Return every client of a folder, by name.

    Raises:
        ConfigError: There is none.
        ContentError: A file is wrong.
    """
    found = tuple(read_client(path) for path in sorted(folder.glob("*.yaml")))
    if not found:
        raise ConfigError(f"{folder} holds no client: no *.yaml")
    return found


def chosen(known: Sequence[Client], names: Sequence[str]) -> tuple[Client, ...]:
    """Return the clients of these names, in that order; all without a name.

    Raises:
        ConfigError: Nobody has that name.
    """
    by_name = {client.name: client for client in known}
    for name in names:
        if name not in by_name:
            raise ConfigError(f"there is no client {name!r}; there are {', '.join(by_name)}")
    return tuple(by_name[name] for name in dict.fromkeys(names)) if names else tuple(known)
