"""Hybrid search in the loop: embeddings where they come in time, words alone where they do not."""

import pytest

from functions.chat.flows.agreement.flow import agreement
from functions.chat.flows.agreement.nodes import EMBEDDER, EmbeddingTools
from shared.adapters.documents import writes
from shared.adapters.documents.passage_vectors import DocumentPassageVectors
from shared.content.catalogue import content
from shared.domain.agreement.search import Fusion
from shared.domain.turn import DecidedBy
from shared.ports.embedder import EmbedTask
from shared.services.nearest_passages import NearestPassages
from tests.builders.agreements import Asking, Shelf, document, enough, plan, upload
from tests.fakes.embedders import MeaningEmbedder
from tests.fakes.memory_database import MemoryDocumentDatabase

TEXT = "제3자 열람 가능 여부를 계약서에서 알려 주세요"
TOPIC = {"topic_name": "열람", "queries": ("xyzzy",)}


def money(task, text):
    """Embed questions and what is about money along one axis, and all else along the other."""
    return (1.0, 0.0) if task is EmbedTask.QUERY or "요금" in text else (0.0, 1.0)


class Shelved(Shelf):
    """Documents whose stored vectors are told with them, as the store does."""

    def __init__(self, database, *documents):
        super().__init__(*documents)
        self._database = database

    async def get(self, document_id, user_id, locale):
        found = await super().get(document_id, user_id, locale)
        (upload,) = await self._database.get([f"documents/{document_id}"])
        return found.model_copy(update={"embedder": upload.data["embedder"]}) if upload else found


async def asked(embedder, *questions, of=None, database=None, charged=None):
    scripts = {"agreement_planner": [plan("hybrid_search", topics=[TOPIC])] * 9, "agreement_evaluator": [enough()] * 9}
    asking, database = Asking(scripts), database or MemoryDocumentDatabase()
    charge = (charged if charged is not None else []).append
    nearest = NearestPassages(embedder, DocumentPassageVectors(database), charge=lambda user, won: charge((user, won)))
    shelf = Shelved(database, of) if of else Shelf()
    asking.flow = agreement(
        content(), shelf, asking.clock, tools=EmbeddingTools(nearest, Fusion(weight=0.3, close=0.8), within_s=0.2)
    ).flow
    if of:
        asking.state = asking.state.model_copy(
            update={"agreement": asking.state.agreement.model_copy(update={"document_id": of.id})}
        )
    outcomes, runs = [], []
    for question in questions or (TEXT,):
        outcomes.append(await asking.ask(question))
        runs += [run for run in asking.ledger.runs if run.agent == EMBEDDER]
    return outcomes, runs


async def test_a_passage_without_a_word_of_the_question_is_found_by_its_meaning_and_the_cost_is_in_the_ledger():
    outcomes, runs = await asked(MeaningEmbedder(money))
    read = [one["passage_id"] for one in outcomes[0].directive["read"]]
    by_words, _ = await asked(MeaningEmbedder(money, fails_for=tuple(EmbedTask)))
    assert "article-12" in read
    assert "article-12" not in [one["passage_id"] for one in by_words[0].directive["read"]]
    assert {(run.decided_by, run.attempts, run.cost_krw) for run in runs} == {(DecidedBy.MODEL, 1, 0.5)}


async def test_the_passages_are_embedded_once_for_several_questions():
    embedder = MeaningEmbedder(money)
    await asked(embedder, TEXT, TEXT + " 다시")
    assert embedder.tasks.count(EmbedTask.DOCUMENT) == 1
    assert embedder.tasks.count(EmbedTask.QUERY) == 2


@pytest.mark.parametrize("task", EmbedTask)
@pytest.mark.parametrize("failure", ["fails_for", "hangs_for"])
async def test_embeddings_that_fail_or_are_late_leave_a_search_by_words(task, failure):
    outcomes, runs = await asked(MeaningEmbedder(money, **{failure: (task,)}))
    (search,) = [run for run in outcomes[0].directive["runs"] if run["call"]["tool"] == "hybrid_search"]
    assert (search["error"], search["tries"]) == (None, 1)
    assert [run.decided_by for run in runs] == [DecidedBy.SAFE_DEFAULT]


async def test_passages_that_failed_are_not_asked_for_again_at_once():
    embedder = MeaningEmbedder(money, fails_for=(EmbedTask.DOCUMENT,))
    await asked(embedder, TEXT, TEXT + " 다시")
    assert embedder.tasks.count(EmbedTask.DOCUMENT) == 1


async def test_an_upload_is_embedded_with_its_first_question_and_again_only_for_another_model():
    database, own = MemoryDocumentDatabase(), document(id="d1")
    await database.commit([writes.create("documents/d1", upload("d1"))])
    for name in ("meanings/2", "meanings/3"):
        embedder, charged = MeaningEmbedder(money, name), []
        outcomes, runs = await asked(embedder, TEXT, TEXT + " 다시", of=own, database=database, charged=charged)
        assert charged == [("u1", 0.5)], "its passages count in the day of its user"
        assert [run.decided_by for run in runs] == [DecidedBy.MODEL] * 2
        assert all("article-12" in [one["passage_id"] for one in outcome.directive["read"]] for outcome in outcomes)
        assert sorted(embedder.tasks) == [EmbedTask.DOCUMENT, EmbedTask.QUERY, EmbedTask.QUERY]
        (found,) = await database.get(["documents/d1"])
        assert found.data["embedder"] == name


async def test_the_vectors_of_a_document_that_was_deleted_meanwhile_are_not_stored():
    database = MemoryDocumentDatabase()
    _, runs = await asked(MeaningEmbedder(money), of=document(id="gone"), database=database)
    assert [run.decided_by for run in runs] == [DecidedBy.SAFE_DEFAULT]
    assert await database.tree("documents/gone") == []
