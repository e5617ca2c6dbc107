"""`make cost`, `local.inspect` and `make explain`: what they show."""

import asyncio
import io
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from local.cost import report, usage_of
from local.embedded.database import SqliteDocumentDatabase
from local.embedded.sqlite_file import SqliteFile
from local.explain import explanation, main
from shared.engine.admission import Admission
from tests.fakes.engine import CONVERSATION, SmallService, incoming
from tests.support.process import ROOT


def budget(calls, won):
    return {"llm_calls": calls, "prompt_tokens": calls * 100, "output_tokens": calls * 10, "cost_krw": won}


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


async def test_what_the_background_spent_is_what_the_turns_did_not_and_reading_changes_nothing(tmp_path):
    path = tmp_path / "cbot.sqlite3"
    await (await SqliteFile.open(path, exclusive=False)).aclose()
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, data in TALK.items():
            row = (name, name.rpartition("/")[0], json.dumps(data), 1)
            connection.execute("INSERT INTO documents (path, collection, data, version) VALUES (?, ?, ?, ?)", row)
        connection.execute("UPDATE versions SET last = 40")
        for number in range(6):
            connection.execute("INSERT INTO tasks (id, payload, due_at) VALUES (?, '', '')", (f"t{number}",))
    before = path.read_bytes()
    usage = usage_of(path)
    assert path.read_bytes() == before
    assert usage.sessions == 2
    assert dict(usage.rows()) == {
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
    assert "| won of the model | 1.33 | 2.00 | 2,000 |" in report(usage)
    assert "| document writes | 13.33 | 20.00 | 20,000 |" in report(usage)


def test_turns_are_shown_in_order_with_who_decided_and_then_what_waits(tmp_path):
    async def talk():
        database = await SqliteDocumentDatabase.open(tmp_path / "cbot.sqlite3")
        service = SmallService(database)
        await service.open()
        for message_id, text in (("m1", "one"), ("m2", "two")):
            await (await service.instance().submit(incoming(message_id, text))).end()
        await Admission(service.store, service.clock, service.limits, "dead").admit(incoming("m3", "still waiting"))
        await database.aclose()

    asyncio.run(talk())
    environment = os.environ | {"CBOT_DATA_DIR": str(tmp_path)}
    for arguments in ((), (CONVERSATION,)):
        command = [sys.executable, "-m", "local.inspect", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        assert lines[0] == f"conversation {CONVERSATION}"
        assert [line.split(" · ")[0] for line in lines if line.startswith("turn")] == ["turn 1", "turn 2"]
        assert "  counselor  re: two" in lines
        assert any(line.startswith("  small") and "rule" in line for line in lines)
        assert lines[-2:] == ["waiting", "  user       still waiting"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("요즘은 그냥 죽고 싶어요", "outcome   crisis: ideation or self-harm"),
        ("요즘은 그냥 죽고 싶어요", '- ko-want-to-die found "죽고 싶'),
        ("요즘은 그냥 죽고 싶어요", "Ground: C-SSRS 1"),
        *(("그동안 정말 고마웠어요", "weak sign of"), ("남편이 저를 때려요", "abuse, domestic")),
        ("저는 13살이에요", "age       under_14"),
    ],
)
def test_a_rule_is_named_with_its_words_and_its_ground(text, told):
    assert told in "\n".join(explanation(text))


def test_the_command_reads_an_argument_or_standard_input(capsys, monkeypatch):
    assert main(["죽고 싶어요"]) == 0
    given = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("죽고 싶어요\n"))
    assert main([]) == 0
    assert capsys.readouterr().out == given
