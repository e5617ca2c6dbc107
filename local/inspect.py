"""`python -m local.inspect [conversation id]`: shows a conversation's turns with their ledgers, read-only."""

import argparse
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing

from local.embedded.values import data_from_json
from shared.adapters.documents.mapping import from_document
from shared.config.settings import LocalSettings
from shared.domain.errors import CBotError, ConfigError
from shared.domain.mailbox import Mailbox
from shared.domain.turn import AgentRun, TurnRecord
from shared.ports.document_writes import Document

_NEWEST = "SELECT path FROM documents WHERE collection = 'sessions' ORDER BY version DESC LIMIT 1"
_TURNS = "SELECT path, data FROM documents WHERE collection = ? ORDER BY json_extract(data, '$.seq')"
_MAILBOX = "SELECT path, data FROM documents WHERE path = ?"


def main() -> int:
    """Print the ledger; return the exit code."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    parser = argparse.ArgumentParser(prog="python -m local.inspect", description=__doc__)
    parser.add_argument("conversation", nargs="?", help="conversation id; without it, the newest")
    wanted: str | None = parser.parse_args().conversation
    try:
        path = LocalSettings.read(os.environ).data_dir / "cbot.sqlite3"
        if not path.exists():
            raise ConfigError(f"no data in {path.parent}: run `make run` and talk first")
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            for line in _lines(connection, wanted):
                print(line)
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return 2
    return 0


def _lines(connection: sqlite3.Connection, wanted: str | None) -> Iterator[str]:
    newest = connection.execute(_NEWEST).fetchone()
    if wanted is None and newest is None:
        raise ConfigError("there is no conversation yet")
    conversation = wanted or str(newest[0]).removeprefix("sessions/")
    turns = connection.execute(_TURNS, (f"sessions/{conversation}/turns",)).fetchall()
    yield f"conversation {conversation}"
    for path, data in turns:
        yield from _turn_lines(from_document(TurnRecord, Document(path, data_from_json(data), version="")))
    for path, data in connection.execute(_MAILBOX, (f"mailboxes/{conversation}",)):
        for waiting in from_document(Mailbox, Document(path, data_from_json(data), version="")).inbox:
            yield from ("", "waiting", f"  user       {waiting.text}")


def _turn_lines(turn: TurnRecord) -> Iterator[str]:
    yield ""
    yield f"turn {turn.seq} · {turn.total_ms:.0f} ms, of it own {turn.overhead_ms:.0f} ms"
    yield f"  user       {turn.text}"
    for run in turn.agents:
        yield f"  {_agent_line(run)}"
    if turn.events:
        yield f"  events     {', '.join(turn.events)}"
    yield f"  counselor  {turn.result.reply}"


def _agent_line(run: AgentRun) -> str:
    who = f"{run.agent:<24} {run.decided_by.value:<14}"
    if run.prompt is None:
        return f"{who} {run.reason}"
    thought = f" ({run.thought_tokens} thought)" if run.thought_tokens else ""
    tokens = f"{run.prompt_tokens}+{run.output_tokens} tokens{thought}"
    took = f"{run.model}, {run.latency_ms:.0f} ms, {tokens}, {run.cost_krw:.2f} won"
    return f"{who} {took}, {run.prompt}{f', {run.error}' if run.error else ''}"


if __name__ == "__main__":
    sys.exit(main())
