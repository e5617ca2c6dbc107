"""A killed turn, when retried, goes on with the node after the last one kept."""

import pytest

from shared.domain.agreement.search_state import Node
from shared.domain.errors import StoreUnavailable
from tests.builders.agreements import Asking, Killed, MemoryCheckpoints, enough, plan, triage

NODES = [
    *(Node.SCOPE, Node.TOOL_NEED, Node.PLANNER, Node.EXECUTOR, Node.EVALUATOR),
    *(Node.PLANNER, Node.EXECUTOR, Node.EVALUATOR, Node.RESPOND),
]
CALLS = ["triage", "planner", "evaluator", "planner", "evaluator", "responder"]
"""What a whole search asks: the executor and the second node ask none."""
TEXT = "남은 회기 돈은요?"


def asking(checkpoints):
    plans = [plan("hybrid_search", topics=[{"topic_name": "돈", "queries": ["요금"]}])]
    plans += [plan("get_article_by_title", titles=["계약의 해지"])]
    judged = [enough(False, "해지할 때"), enough()]
    return Asking(
        {
            "agreement_triage": triage(),
            "agreement_planner": plans,
            "agreement_evaluator": judged,
            "agreement_responder": "7일 안에 돌려받아요. [제12조]",
        },
        checkpoints=checkpoints,
    )


async def test_every_node_is_kept_once():
    checkpoints = MemoryCheckpoints()
    talk = asking(checkpoints)
    await talk.ask(TEXT)
    assert (checkpoints.saved, talk.asked) == (NODES, CALLS)


@pytest.mark.parametrize("killed_after", range(1, len(NODES) + 1))
async def test_a_turn_killed_after_a_node_asks_no_model_of_that_node_again(killed_after):
    checkpoints = MemoryCheckpoints()
    checkpoints.dies_after = killed_after
    talk = asking(checkpoints)
    with pytest.raises(Killed):
        await talk.ask(TEXT, "m1")
    outcome = await talk.ask(TEXT, "m1")
    assert talk.asked == CALLS
    assert checkpoints.saved == NODES
    assert outcome.reply.startswith("7일 안에 돌려받아요 [제12조].")
    assert talk.shown == outcome.reply
    assert [one["node"] for one in outcome.directive["decisions"]] == [node.value for node in NODES]


async def test_a_checkpoint_of_another_text_or_document_is_not_continued():
    checkpoints = MemoryCheckpoints()
    checkpoints.dies_after = 5
    talk = asking(checkpoints)
    with pytest.raises(Killed):
        await talk.ask(TEXT, "m1")
    outcome = await talk.ask("안녕", "m1")
    assert len(outcome.directive["decisions"]) == 3


async def test_a_store_that_fails_costs_no_answer():
    class Failing(MemoryCheckpoints):
        async def checkpoint(self, *_):
            raise StoreUnavailable("down")

        async def save_checkpoint(self, *_):
            raise StoreUnavailable("down")

    outcome = await asking(Failing()).ask(TEXT)
    assert outcome.reply.startswith("7일 안에 돌려받아요 [제12조].")
