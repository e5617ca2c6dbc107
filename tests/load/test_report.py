"""How turns are counted."""

from tests.builders.turn_records import turn_record
from tests.load.held_plans import figures_of


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
