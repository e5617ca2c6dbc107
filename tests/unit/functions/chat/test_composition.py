"""What the environment says of the model reaches a turn."""

import pytest

from functions.chat.flows.counseling import shadow
from functions.chat.flows.counseling.speculation import AGENT
from functions.chat.reading import NOTHING_READ
from shared.config.settings import ModelAccess
from tests.unit.shared.adapters.documents.whole_session import WholeSession


@pytest.mark.parametrize(("patience", "early"), [(1, True), (2, False)])
async def test_a_slow_model_gets_more_time_and_no_reply_begins_before_its_decisions(patience, early):
    whole = WholeSession(ModelAccess(patience=patience))
    await whole.open()
    await whole._say("요즘 잠이 안 와요.")
    assert whole.model.asked("counselor")[0].settings.timeout_s == 25 * patience
    (turn,) = [one.data for one in await whole.database.tree(f"sessions/{whole.name}") if "/turns/" in one.path]
    assert (AGENT in {run["agent"] for run in turn["agents"]}) is early


@pytest.mark.parametrize("on", ["true", "false"])
async def test_the_readers_trial_stands_in_the_record_alone_and_is_exported_and_erased_with_it(on):
    whole = WholeSession(CBOT_READER_SHADOW=on)
    whole.model.scripts = {**whole.model.scripts, "reader": NOTHING_READ}
    await whole.open()
    await whole._say("요즘 잠이 안 와요.")
    kept = {one.path: str(one.data) for one in await whole.database.tree(f"sessions/{whole.name}")}
    holds = [path for path, data in kept.items() if shadow.AGENT in data]
    assert ["/turns/" in path for path in holds] == [True] * (on == "true")
    exported = await whole._ask("GET", "/api/me/export")
    assert (shadow.AGENT in str(exported)) is (on == "true")
    await whole._ask("DELETE", f"/api/conversations/{whole.name}")
    left = await whole.database.tree(f"sessions/{whole.name}")
    assert [one.path for one in left if shadow.AGENT in str(one.data)] == []
