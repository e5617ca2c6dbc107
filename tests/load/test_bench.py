"""The benchmark and the pricing of a session run; their figures are not judged here."""

import json
from xml.etree import ElementTree as ET

import pytest

from shared.config.agents import agent_models
from tests.load import bench
from tests.load.cost import LINES, measure
from tests.load.samples import Sample, distributions
from tests.support.process import run_python

WITHIN_S = 400
PARTS = [part for part in bench.PARTS if part != "start"]
"""All but the start of the staged function, which tests/integration/test_staged_functions.py starts, too."""
ROWS = """
import of `functions.chat.main`
start of `python -m local` to the first byte of `/healthz`
start of `python -m local` to the end of the first turn
TTFT ratio, all turns, mean
TTFT ratio, sequential, all turns, mean
plan held, share of the Counselor's turns
foreground model calls a turn, mean, demo sessions
share of wasted tokens
own overhead of a turn, p50
own overhead of a turn, p95
own overhead with HTTP and both commits, p50
wall time of a turn whose model takes no time, p50
model calls a turn in the foreground, mean
crisis reply, own time, p95
turns/s, 3 concurrent conversations of 3 users, one core, tokens an event: 25
turns/s, 3 concurrent conversations of 3 users, one core, tokens an event: 8
turns/s, 3 concurrent conversations of 3 users, one core, tokens an event: 1
turns/s, 3 concurrent conversations of 3 users, one core, background work included, tokens an event: 25
4 concurrent turns, model at 800 ms: turns/s ÷ ideal
45 messages at once, refused with 503 and Retry-After
45 messages at once, neither accepted nor so refused
45 messages at once, share of the refused that is accepted later
the same, first word of the accepted ones, p95
10 conversations opened at once, until the last answer
10 conversations opened at once, refused with 503 and Retry-After
memory after 10 turns (RSS)
growth of the memory since half of them
prompt tokens of a turn at turn 10 ÷ at turn 4
prompt tokens of the Counselor at turn 10 ÷ at turn 4
prompt tokens of the background at turn 10 ÷ at turn 4
own overhead at turn 10 ÷ at turn 4
safety rules, load and first message
safety rules, memory after the first message
safety rules, 4,000 characters, p99
safety rules, 4,000 characters, p99, in English
"""


@pytest.mark.long
def test_a_quick_run_prints_every_figure_and_writes_samples_and_plot(tmp_path):
    kept, plot = tmp_path / "bench.json", tmp_path / "plot.svg"
    only = [word for part in PARTS for word in ("--only", part)]
    arguments = ("--quick", *only, "--json", str(kept), "--plot", str(plot))
    ended = run_python("-m", "tests.load.bench", *arguments, within_s=WITHIN_S)
    assert ended.returncode == 0, ended.stderr[-4000:]
    assert "cores" in ended.stdout
    assert "bench: this takes some 1 min" in ended.stderr
    rows = dict(line.removeprefix("| ").split(" | ", 1) for line in ended.stdout.splitlines() if line.startswith("| "))
    missing = "NOT MEASURED"
    assert [name for name in ROWS.split("\n") if name and missing in rows.get(name, missing)] == []
    figures = json.loads(kept.read_text("utf-8"))
    assert {figure["name"] for figure in figures["figures"]} == rows.keys() - {"figure", "---"}
    samples = [Sample(**sample) for sample in figures["first_token"]]
    assert all(one.bare_ms > 0 and one.early_ms > 0 and one.sequential_ms > 0 for one in samples)
    drawn = ET.parse(plot).getroot().findall("{*}circle")
    assert len(drawn) == sum(map(len, distributions(samples).values())) > 0


def test_the_page_is_written_by_a_full_run_only():
    ended = run_python("-m", "tests.load.bench", "--quick", "--page")
    assert ended.returncode == 2
    assert "--page needs the full run" in ended.stderr


async def test_a_scripted_session_is_priced_with_its_background_work(tmp_path):
    table = await measure(tmp_path, sessions=1)
    assert f"1 sessions, {len(LINES)} turns" in table
    rows = dict(line.strip("| ").split(" | ", 1) for line in table.splitlines() if line.startswith("| "))
    assert rows["tasks"].startswith("0.75 | 9.00"), "supervision, reviews, summary and the closing work"
    assert rows["trigger events"].startswith("0.08 | 1.00"), "Part 2 was planned"
    assert not rows["won of the model in the background"].startswith("0.00")
    won, dollars = (float(cell.strip(" *|").replace(",", "")) for cell in rows["**together**"].split(" | "))
    assert won / dollars == pytest.approx(agent_models().catalogue.won_per_dollar, rel=0.01)
