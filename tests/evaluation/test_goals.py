"""The evaluation runs in this process on the simulator and judges a plan for each case."""

from shared.config.settings import ModelAccess
from tests.evaluation.cases import cases
from tests.evaluation.goals import configured_model, evaluate, share

ACCESS = ModelAccess()


async def test_a_plan_is_made_and_judged_for_each_case():
    async with configured_model(ACCESS) as model:
        results = await evaluate(model, ACCESS, cases()[:2])
    assert [result.case for result in results] == list(cases()[:2])
    for result in results:
        assert result.plan.goal
        assert len(result.verdicts) == 9
        assert result.origin == "model"
    assert 0 < share(results) < 1, "one fixed plan for all fits none of them wholly"


async def test_a_written_level_is_the_clients_and_not_heard_again():
    chosen = [case for case in cases() if case.level > 3]
    async with configured_model(ACCESS) as model:
        results = await evaluate(model, ACCESS, chosen)
    depths = [
        verdict for result in results for verdict in result.verdicts if verdict.criterion == "as deep as the level"
    ]
    assert len(depths) == len(chosen)
    assert all(verdict.holds for verdict in depths)
