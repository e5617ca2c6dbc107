"""The benchmark and the pricing of a session run; their figures are not judged here."""

from tests.load.cost import LINES, measure
from tests.support.process import run_python

WITHIN_S = 180
ROWS = """
import of `functions.chat.main`
cold start to the first byte of `/healthz`
cold start to the end of the first turn
own overhead of a turn, p50
own overhead of a turn, p95
own overhead with HTTP and both commits, p50
wall time of a turn whose model takes no time, p50
model calls a turn in the foreground, mean
crisis reply, own time, p95
safety rules, load and first message
safety rules, memory after the first message
safety rules, 4,000 characters, p99
safety rules, 4,000 characters, p99, in English
TTFT ratio, plan unchanged, median
TTFT ratio, task completed in this turn, median
4 concurrent turns, model at 800 ms: turns/s ÷ ideal
memory after 10 turns (RSS)
growth of the memory since half of them
prompt tokens of a turn at turn 10 ÷ at turn 4
prompt tokens of the Counselor at turn 10 ÷ at turn 4
prompt tokens of the background at turn 10 ÷ at turn 4
"""


def test_a_quick_run_prints_every_figure():
    ended = run_python("-m", "tests.load.bench", "--quick", within_s=WITHIN_S)
    assert ended.returncode == 0, ended.stderr[-4000:]
    assert "cores" in ended.stdout
    assert "bench: " in ended.stderr
    rows = dict(line.removeprefix("| ").split(" | ", 1) for line in ended.stdout.splitlines() if line.startswith("| "))
    assert [name for name in ROWS.split("\n") if name and "not measured" in rows.get(name, "not measured")] == []


async def test_a_scripted_session_is_priced_with_its_background_work(tmp_path):
    table = await measure(tmp_path, sessions=1)
    assert f"1 sessions, {len(LINES)} turns" in table
    rows = dict(line.strip("| ").split(" | ", 1) for line in table.splitlines() if line.startswith("| "))
    assert rows["tasks"].startswith("0.75 | 9.00"), "supervision, reviews, summary and the closing work"
    assert rows["trigger events"].startswith("0.08 | 1.00"), "Part 2 was planned"
    assert not rows["won of the model in the background"].startswith("0.00")
