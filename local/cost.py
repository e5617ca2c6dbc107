"""`python -m local.cost`: what the stored conversations cost, a turn, a session and a thousand sessions; read-only.

Won are the ledger's, at the prices of `shared/config/models.yaml` on the day of each call; the platform prices are in
the same file. With the simulator as the model the tokens are its estimate, not a provider's count.
"""

import argparse
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from local.bill import Measured, bill, table, terms
from local.embedded.values import data_from_json
from shared.config.agents import agent_models
from shared.config.models import Catalogue
from shared.config.settings import LocalSettings, ModelAccess
from shared.contracts.triggers import TRIGGERS
from shared.domain.conversation import Budget
from shared.domain.errors import CBotError, ConfigError

_SESSIONS = "SELECT data FROM documents WHERE collection = 'sessions'"
_TURNS = "SELECT data FROM documents WHERE collection GLOB 'sessions/*/turns'"
_WRITES = "SELECT last FROM versions"
_TASKS = "SELECT count(*) FROM tasks"
_STORED = "SELECT count(*), coalesce(sum(length(CAST(data AS BLOB))), 0) FROM documents"
_COUNT = "SELECT count(*) FROM documents WHERE collection GLOB ?"


@dataclass(frozen=True)
class Usage:
    """Usage of all conversations of a data directory.

    Attributes:
        in_turns: Model calls of turns.
        in_all: Model calls of turns and jobs.
        writes: Document writes.
        tasks: Enqueued tasks; finished ones of the last day only.
        events: Created documents with a trigger.
        documents: Stored documents.
        stored_bytes: Bytes of their data.
    """

    sessions: int
    turns: int
    in_turns: Budget
    in_all: Budget
    writes: int
    tasks: int
    events: int
    documents: int
    stored_bytes: int

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> "Usage":
        """Sum up the stored documents."""
        sessions = [data_from_json(data) for (data,) in connection.execute(_SESSIONS)]
        turns = [data_from_json(data) for (data,) in connection.execute(_TURNS)]
        ((writes,),) = connection.execute(_WRITES)
        ((tasks,),) = connection.execute(_TASKS)
        ((documents, stored_bytes),) = connection.execute(_STORED)
        calling = [pattern.split("/")[2] for pattern in TRIGGERS.values()]
        events = [connection.execute(_COUNT, (f"sessions/*/{name}",)).fetchone()[0] for name in calling]
        return cls(
            sessions=len(sessions),
            turns=len(turns),
            in_turns=_sum([Budget.model_validate(turn["spent"]) for turn in turns]),
            in_all=_sum([Budget.model_validate(session["budget"]) for session in sessions]),
            writes=writes,
            tasks=tasks,
            events=sum(events),
            documents=documents,
            stored_bytes=stored_bytes,
        )

    @property
    def measured(self) -> Measured:
        """What a bill needs to know."""
        return Measured(
            sessions=self.sessions,
            turns=self.turns,
            model_won=self.in_all.cost_krw,
            writes=self.writes,
            documents=self.documents,
            stored_bytes=self.stored_bytes,
            tasks=self.tasks,
            events=self.events,
        )

    def rows(self) -> list[tuple[str, float]]:
        """Return the figures by name."""
        turn, everything = self.in_turns, self.in_all
        return [
            ("turns", self.turns),
            ("model calls in turns", turn.llm_calls),
            ("model calls in the background", everything.calls - turn.calls),
            ("input tokens", everything.prompt_tokens),
            ("output tokens", everything.output_tokens),
            ("won of the model in turns", turn.cost_krw),
            ("won of the model in the background", everything.cost_krw - turn.cost_krw),
            ("won of the model", everything.cost_krw),
            ("document writes", self.writes),
            ("tasks", self.tasks),
            ("trigger events", self.events),
        ]


def main() -> int:
    """Print the table; return the exit code."""
    argparse.ArgumentParser(prog="python -m local.cost", description=__doc__).parse_args()
    try:
        usage = usage_of(LocalSettings.read(os.environ).data_dir / "cbot.sqlite3")
        print(report(usage, agent_models(ModelAccess.read(os.environ)).catalogue))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return 2
    return 0


def usage_of(path: Path) -> Usage:
    """Read the usage from a data directory's file.

    Raises:
        ConfigError: The file is missing or not ours, or holds no answered turn.
    """
    if not path.exists():
        raise ConfigError(f"no data in {path.parent}: run `make run` and talk first")
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            usage = Usage.read(connection)
    except sqlite3.Error as error:
        raise ConfigError(f"{path}: {error}") from None
    if not usage.turns:
        raise ConfigError("there is no answered turn yet")
    return usage


def report(usage: Usage, catalogue: Catalogue) -> str:
    """Return the tables in Markdown: what was used, and what it costs."""
    lines = [
        f"{usage.sessions} sessions, {usage.turns} turns",
        "",
        "| | a turn | a session | 1,000 sessions |",
        "|---|---|---|---|",
    ]
    for name, total in usage.rows():
        session = total / usage.sessions
        lines.append(f"| {name} | {total / usage.turns:,.2f} | {session:,.2f} | {session * 1000:,.0f} |")
    costs = table(bill(usage.measured, catalogue), catalogue.won_per_dollar)
    return "\n".join([*lines, "", costs, "", terms(catalogue)])


def _sum(budgets: Sequence[Budget]) -> Budget:
    total = Budget()
    for budget in budgets:
        total = total.plus(budget)
    return total


if __name__ == "__main__":
    sys.exit(main())
