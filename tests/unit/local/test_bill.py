"""The bill of measured sessions: each part by its price, in won and dollars, and what it rests on."""

import pytest

from local.bill import Measured, bill
from shared.config.agents import agent_models
from shared.config.settings import ModelAccess

MEASURED = Measured(
    sessions=2, turns=20, model_won=200.0, writes=200, documents=100, stored_bytes=2**20, tasks=14, events=2
)


def of(**changes):
    """Return the catalogue with round prices."""
    catalogue = agent_models().catalogue
    platform = catalogue.platform
    firestore = platform.firestore.model_copy(
        update={"reads": 1, "writes": 2, "deletes": 3, "per": 1000, "gib_month": 4}
    )
    functions = platform.functions.model_copy(update={"vcpu_second": 0.1, "gib_second": 0.2, "requests": 1, "per": 10})
    tasks = platform.tasks.model_copy(update={"operations": 5, "per": 100})
    events = platform.events.model_copy(update={"published": 6, "per": 100})
    assumed = platform.assumed.model_copy(
        update={
            "reads_a_session": 50,
            "turn_seconds": 3,
            "job_seconds": 2,
            "at_a_time": 2,
            "vcpu": 1,
            "gib": 0.5,
            **changes,
        }
    )
    prices = {"firestore": firestore, "functions": functions, "tasks": tasks, "events": events, "assumed": assumed}
    return catalogue.model_copy(update={"won_per_dollar": 1000, "platform": platform.model_copy(update=prices)})


def test_each_part_of_a_thousand_sessions_is_counted_at_its_price():
    found = {item.name: item.dollars for item in bill(MEASURED, of())}
    assert found == {
        "model": pytest.approx(500 * 200 / 1000),
        "Firestore, operations": pytest.approx(500 * (100 * 1 + 200 * 2 + 100 * 3) / 1000),
        "Firestore, stored a month": pytest.approx(500 * 4 / 1024),
        "Cloud Run functions": pytest.approx(500 * ((20 * 3 + 16 * 2) / 2 * (0.1 + 0.5 * 0.2) + 36 * 1 / 10)),
        "Cloud Tasks": pytest.approx(500 * 28 * 5 / 100),
        "Eventarc": pytest.approx(500 * 2 * 6 / 100),
    }


def test_an_operators_file_sets_the_prices_of_a_contract(tmp_path):
    path = tmp_path / "agents.yaml"
    path.write_text("platform: {tasks: {operations: 0.2}}\nwon_per_dollar: 1300\n", "utf-8")
    catalogue = agent_models(ModelAccess(agents_file=path)).catalogue
    assert (catalogue.platform.tasks.operations, catalogue.platform.tasks.per) == (0.2, 1_000_000)
    assert catalogue.won_per_dollar == 1300
