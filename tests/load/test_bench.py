"""The benchmark and the pricing of a session run; their figures are not judged here."""

import json

import pytest

from shared.config.agents import agent_models
from tests.load import bench
from tests.load.cost import LINES, measure
from tests.load.samples import Sample
from tests.support.process import run_python

WITHIN_S = 400
PARTS = [part for part in bench.PARTS if part != "start"]
"""All but the start of the staged function, which tests/integration/test_staged_functions.py starts, too."""


@pytest.mark.long
def test_a_quick_run_prints_every_figure_and_writes_samples(tmp_path):
    kept = tmp_path / "bench.json"
    only = [word for part in PARTS for word in ("--only", part)]
    arguments = ("--quick", *only, "--json", str(kept))
    ended = run_python("-m", "tests.load.bench", *arguments, within_s=WITHIN_S)
    assert ended.returncode == 0, ended.stderr[-4000:]
    assert "cores" in ended.stdout
    assert "bench: this takes some 1 min" in ended.stderr
    rows = dict(line.removeprefix("| ").split(" | ", 1) for line in ended.stdout.splitlines() if line.startswith("| "))
    silent = {name: row for name, row in rows.items() if "NOT MEASURED" in row and "none was refused" not in row}
    assert [name for name in silent if "Firestore" not in name and "plan changed" not in name] == []
    figures = json.loads(kept.read_text("utf-8"))
    assert {figure["name"] for figure in figures["figures"]} == rows.keys() - {"figure", "---"}
    samples = [Sample(**sample) for sample in figures["first_token"]]
    assert all(one.bare_ms > 0 and one.early_ms > 0 and one.sequential_ms > 0 for one in samples)


async def test_a_scripted_session_is_priced_with_its_background_work(tmp_path):
    table = await measure(tmp_path, sessions=1)
    assert f"1 sessions, {len(LINES)} turns" in table
    rows = dict(line.strip("| ").split(" | ", 1) for line in table.splitlines() if line.startswith("| "))
    assert rows["tasks"].startswith("0.75 | 9.00"), "supervision, reviews, summary and the closing work"
    assert rows["trigger events"].startswith("0.08 | 1.00"), "Part 2 was planned"
    assert not rows["won of the model in the background"].startswith("0.00")
    won, dollars = (float(cell.strip(" *|").replace(",", "")) for cell in rows["**together**"].split(" | "))
    assert won / dollars == pytest.approx(agent_models().catalogue.won_per_dollar, rel=0.01)
