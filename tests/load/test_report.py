"""How turns are counted, and what a run of the benchmark leaves."""

from tests.builders.turn_records import turn_record
from tests.load.figures import Figure, Origin, table
from tests.load.held_plans import figures_of
from tests.load.report import BEGIN, END, Report
from tests.load.samples import Sample, distributions

ORIGIN = Origin("abc1234", "3.11", "Linux, 2 cores", 0.5, 0.7, 14, quick=False)


def run(agent, output=None, **more):
    asked = {"decided_by": "model", "attempts": 1, "prompt_tokens": 90, "output_tokens": 10}
    return {"agent": agent, "output": output, **asked, **more}


def ruled(agent, output=None):
    return {"agent": agent, "decided_by": "rule", "output": output}


def test_held_plans_are_counted_among_the_turns_that_the_counselor_answered():
    turns = [
        turn_record("c", 1, agents=(run("counselor"), ruled("speculation", "held"))),
        turn_record(
            "c", 2, agents=(run("counselor", cancelled=True), run("counselor"), ruled("speculation", "changed"))
        ),
        turn_record("c", 3, agents=(run("counselor"), ruled("speculation", "off"))),
        turn_record("c", 4, agents=(ruled("counselor"),)),
    ]
    held, calls, waste = figures_of(turns, "")
    assert held.value == 1 / 3
    assert calls.value == 4 / 4, "a cancelled stream is a call; a fixed reply is a turn"
    assert waste.value == 100 / 400


def test_a_cancelled_stream_without_reported_tokens_counts_with_its_prompt():
    silent = run("counselor", cancelled=True, prompt_tokens=0, output_tokens=0)
    turn = turn_record("c", 1, agents=(silent, run("counselor"), ruled("speculation", "changed")))
    assert figures_of([turn], "")[2].value == 90 / 190


def test_a_figure_that_could_not_be_measured_says_so_loudly_with_reason_and_goal():
    figure = Figure("own overhead, Firestore emulator", None, " ms", 40, "–", note="no Java")
    assert "| **NOT MEASURED**: no Java | ≤ 40 ms | – |" in table([figure])


def test_the_table_replaces_what_stands_between_the_markers_of_the_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    Report(ORIGIN, [Figure("ratio", 1.1, "", 1.15, "how")]).write_page(page)
    text = page.read_text("utf-8")
    assert text.startswith(f"above\n{BEGIN}\nCommit abc1234.")
    assert text.endswith(f"| ratio | 1.10 | ≤ 1.15 | yes | how |\n{END}\nbelow\n")
    assert "old" not in text


def test_only_held_and_changed_plans_are_drawn_apart_and_all_turns_for_the_rest():
    kinds = ("held", "changed", "contradicted", None)
    samples = [Sample(1, at, 400.0, 500.0, 1400.0, kind, completed=False) for at, kind in enumerate(kinds, start=1)]
    counts = {name: len(values) for name, values in distributions(samples).items()}
    assert counts == {"bare stream": 4, "plan held": 1, "plan changed": 1, "sequential": 4}


def test_a_plot_without_samples_of_a_kind_is_drawn(tmp_path):
    Report(ORIGIN, [], [Sample(1, 1, 400.0, 500.0, 1400.0, "held", completed=False)]).write_plot(tmp_path / "plot.svg")
    assert "0 samples" in (tmp_path / "plot.svg").read_text("utf-8")
