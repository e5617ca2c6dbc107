import json
import sqlite3
from contextlib import closing

import pytest

from local.cost import report, usage_of
from local.embedded.sqlite_file import SqliteFile


def budget(calls, won):
    return {"llm_calls": calls, "prompt_tokens": calls * 100, "output_tokens": calls * 10, "cost_krw": won}


@pytest.fixture
async def path(tmp_path):
    path = tmp_path / "cbot.sqlite3"
    file = await SqliteFile.open(path, exclusive=False)
    await file.aclose()
    return path


def fill(path, documents, *, writes=0, tasks=0):
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, data in documents.items():
            row = (name, name.rpartition("/")[0], json.dumps(data), 1)
            connection.execute("INSERT INTO documents (path, collection, data, version) VALUES (?, ?, ?, ?)", row)
        connection.execute("UPDATE versions SET last = ?", (writes,))
        for number in range(tasks):
            connection.execute("INSERT INTO tasks (id, payload, due_at) VALUES (?, '', '')", (f"t{number}",))


TALK = {
    "sessions/a": {"budget": budget(5, 3.0)},
    "sessions/b": {"budget": budget(3, 1.0)},
    "sessions/a/turns/1": {"spent": budget(2, 1.0)},
    "sessions/a/turns/2": {"spent": budget(1, 0.5)},
    "sessions/b/turns/1": {"spent": budget(1, 0.5)},
    "sessions/a/part_transitions/1-2": {},
    "sessions/a/planner_feedback/f": {},
    "sessions/a/supervision/3": {},
}


async def test_what_the_background_spent_is_what_the_turns_did_not(path):
    fill(path, TALK, writes=40, tasks=6)

    usage = usage_of(path)
    rows = dict(usage.rows())

    assert usage.sessions == 2
    assert rows == {
        "turns": 3,
        "model calls in turns": 4,
        "model calls in the background": 4,
        "input tokens": 800,
        "output tokens": 80,
        "won of the model in turns": 2.0,
        "won of the model in the background": 2.0,
        "won of the model": 4.0,
        "document writes": 40,
        "tasks": 6,
        "trigger events": 2,
    }


async def test_the_table_shows_a_turn_a_session_and_a_thousand_sessions(path):
    fill(path, TALK, writes=40, tasks=6)
    table = report(usage_of(path))
    assert "| won of the model | 1.33 | 2.00 | 2,000 |" in table
    assert "| document writes | 13.33 | 20.00 | 20,000 |" in table


async def test_reading_changes_nothing(path):
    fill(path, TALK, writes=1)
    before = path.read_bytes()
    usage_of(path)
    assert path.read_bytes() == before
