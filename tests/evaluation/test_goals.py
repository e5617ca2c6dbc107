"""The evaluation runs in this process on the simulator, and tells what it found."""

import pytest

from shared.config.settings import ModelAccess
from tests.evaluation.cases import cases
from tests.evaluation.goals import Judged, configured_model, evaluate, share, table
from tests.evaluation.rubric import MadePlan, Verdict

ACCESS = ModelAccess()
FIRST = cases()[0]


@pytest.fixture
async def results():
    async with configured_model(ACCESS) as model:
        return await evaluate(model, ACCESS, cases()[:2])


async def test_a_plan_is_made_and_judged_for_each_case(results):
    assert [result.case for result in results] == list(cases()[:2])
    for result in results:
        assert result.plan.goal
        assert len(result.verdicts) == 9
        assert result.origin == "model"
    assert share(results) > 0.5, "the simulator is no good planner, but no bad one"


def test_the_table_names_who_planned_what_failed_and_the_total():
    plan = MadePlan("마음을 나눈다", ("완벽주의",), ())
    told = table([Judged(FIRST, plan, "model", (Verdict("no diagnosis"), Verdict("three to six tasks", "0 tasks")))])
    assert "sleepless_at_work" in told
    assert "1/2  by the model" in told
    assert "✗ three to six tasks: 0 tasks" in told
    assert "no diagnosis" not in told
    assert told.endswith("total: 50% of 2 criteria hold")
