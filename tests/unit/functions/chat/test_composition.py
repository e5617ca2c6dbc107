"""What the environment says of the model reaches a turn."""

import pytest

from functions.chat.early_reply import AGENT
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
