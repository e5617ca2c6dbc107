"""Clients as data: who they are, and their rules (clients/*.yaml)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from shared.content.loader import load_yaml
from shared.contracts.chat import ServiceName
from shared.domain.errors import ConfigError, ContentError

CLIENTS = Path(__file__).parent / "clients"


class _Data(BaseModel):
    """A part of a file; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _pattern(pattern: str | None) -> str | None:
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from None
    return pattern


class Moment(_Data):
    """Conditions of a rule; all that are given must hold.

    Attributes:
        hears: Regular expression found in the counsellor's newest message.
        task: Regular expression found in the current task's id or title.
        proposes: What the counsellor has just proposed.
        in_crisis: Whether a crisis follow-up is running.
        from_turn: The first turn in which the rule applies, from 1.
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
        return _pattern(pattern)


class Felt(_Data):
    """A line that plainly names a painful feeling of the client, marked by hand (`- feels: 많이 외로워요.`)."""

    feels: str


class Rule(_Data):
    """Lines for a moment: one each time, in order, until all are said.

    Attributes:
        again: Restart after the last line.
    """

    when: Moment = Moment()
    say: tuple[str | Felt, ...] = Field(min_length=1)
    again: bool = False

    @property
    def lines(self) -> tuple[str, ...]:
        """What is said, without the marks."""
        return tuple(line.feels if isinstance(line, Felt) else line for line in self.say)

    @property
    def feelings(self) -> tuple[str, ...]:
        """The lines marked as naming a feeling."""
        return tuple(line.feels for line in self.say if isinstance(line, Felt))

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not all(line.strip() for line in self.lines):
            raise ValueError("say: a line is empty")
        return self


class Expectation(_Data):
    """One thing that a session must show; exactly one field is given.

    `a|b` asks for one of both.

    Attributes:
        part: A Part transition, e.g. `1-2`.
        persona: The persona type in the counsellor's instructions.
        replan: A re-plan caused by feedback of this kind.
        plans: Regular expression found in the titles of a re-plan's tasks.
        supervision: A total below 7 in the next reply's instructions.
        reading: A signal of the client's state (`resistance`, `circular`, `topic_change`, …).
        module: A module that was used.
        covered: How a task became sufficient (`bounded`, `gate`, …).
        proposed: What the counsellor proposed.
        answered: How the client's answer to a proposal was read; an unclear one keeps the proposal open.
        went_back: The session became active again after closing or wrapping up.
        ended_by: Whether the client `asked` to end or `agreed` to a proposal.
        risk: A level of the session; `none` only after another one.
        opens_with: Regular expression found in the greeting.
        goals: Whether the closing holds goals.
        level: The counselling level of the session.
        misread: Whether the client's correction was heard.
        service: A service that answered.
        cited: Regular expression found in a cited article, label and title, that the agreement has.
        resumed: What the counselling stood on after another service's answer: the `task` of before, or the `ask`, whose
            slot the client then filled.
        batch: Number of requests in the largest batch of bookings.
        booking: What became of bookings, and of how many, e.g. `booked 2`.
        standing: Number of bookings that stand in the calendar at the end.
    """

    part: str | None = None
    persona: str | None = None
    replan: str | None = None
    plans: str | None = None
    supervision: Literal["heeded"] | None = None
    reading: str | None = None
    module: str | None = None
    covered: str | None = None
    proposed: Literal["wrap_up", "end"] | None = None
    answered: Literal["agreed", "declined", "unclear"] | None = None
    went_back: Literal["active"] | None = None
    ended_by: Literal["asked", "agreed"] | None = None
    risk: Literal["concern", "crisis", "imminent", "none"] | None = None
    opens_with: str | None = None
    goals: Literal["kept"] | None = None
    level: str | None = Field(default=None, pattern=r"^[1-5]$")
    misread: Literal["heard"] | None = None
    service: ServiceName | None = None
    cited: str | None = None
    resumed: Literal["task", "ask"] | None = None
    batch: str | None = Field(default=None, pattern=r"^[1-9]$")
    booking: str | None = Field(default=None, pattern=r"^(booked|changed|cancelled) [1-9]$")
    standing: str | None = Field(default=None, pattern=r"^[0-9]$")

    @property
    def asked(self) -> tuple[str, str]:
        """The given field and its value."""
        (found,) = self.model_dump(exclude_none=True).items()
        return found

    @field_validator("opens_with", "plans", "cited")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        return _pattern(pattern)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError("an expectation has exactly one field")
        return self


class Visit(_Data):
    """One session of a client.

    Attributes:
        service: The service in which it is opened; only a counselling has an end besides the client's last line.
        rules: The first that applies and has a line left is used.
        expects: What the session must show.
        most_turns: A longer session fails.
    """

    session_type: Literal["first_session", "follow_up", "closing"] = "first_session"
    service: ServiceName = "counseling"
    rules: tuple[Rule, ...] = Field(min_length=1)
    expects: tuple[Expectation, ...] = ()
    most_turns: int = Field(default=50, ge=1, le=200)

    def names_feeling(self, said: str) -> bool:
        """Return whether a line of the client is marked as naming a feeling."""
        return any(said in rule.feelings for rule in self.rules)


class Client(Visit):
    """One client; its own fields describe the first visit.

    Attributes:
        name: Name of its file and page.
        title: Short description of the person.
        about: What the session shows.
        persona: Persona type given at each opening; without it, it may be inferred.
        counseling_level: Level given at each opening; without it, it is heard in Part 1 or carried over.
        then: Further visits of the same user, each after the previous one ended.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    title: str = Field(min_length=1)
    about: str = Field(min_length=1)
    register_: Literal["존댓말", "반말"] = Field(default="존댓말", alias="register")
    age_band: Literal["14_18", "adult"] = "adult"
    persona: str | None = Field(default=None, pattern=r"^Type_[A-P]$")
    counseling_level: int | None = Field(default=None, ge=1, le=5)
    then: tuple[Visit, ...] = ()

    @property
    def visits(self) -> tuple[Visit, ...]:
        """All visits, in order."""
        return (self, *self.then)


def read_client(path: Path) -> Client:
    """Read a client's file.

    Raises:
        ContentError: It is invalid or has another client's name; with file, line and field.
    """
    client = load_yaml(path, Client)
    if client.name != path.stem:
        raise ContentError(path.name, 1, f"name: the file is {path.stem!r}, the client {client.name!r}")
    return client


def clients(folder: Path = CLIENTS) -> tuple[Client, ...]:
    """Return every client of a folder, by name.

    Raises:
        ConfigError: There is none.
        ContentError: A file is invalid.
    """
    found = tuple(read_client(path) for path in sorted(folder.glob("*.yaml")))
    if not found:
        raise ConfigError(f"{folder} holds no client: no *.yaml")
    return found


def chosen(known: Sequence[Client], names: Sequence[str]) -> tuple[Client, ...]:
    """Return the clients of these names, in this order; all if there are none.

    Raises:
        ConfigError: A name is unknown.
    """
    by_name = {client.name: client for client in known}
    for name in names:
        if name not in by_name:
            raise ConfigError(f"there is no client {name!r}; there are {', '.join(by_name)}")
    return tuple(by_name[name] for name in dict.fromkeys(names)) if names else tuple(known)
