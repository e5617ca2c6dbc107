"""What the check of an answer's sentences keeps of faithful ones, and leaves out of wrong ones."""

from pathlib import Path

from shared.content.catalogue import content
from shared.domain.agreement.citing import CitationCheck, Fault, Sources
from shared.domain.agreement.search import Index
from shared.domain.agreement.tools import Library, PassageRef
from tests.builders.sentences import plain_yaml
from tests.evaluation.retrieval.measure import documents

CASES = plain_yaml(Path(__file__).parents[1] / "fixtures" / "evaluation" / "cited_sentences.yaml")


def left_out(document, sentences):
    library = Library(Index(document, content().agreements.vocabulary))
    refs = [PassageRef(document_id=document.id, passage_id=one.id) for one in document.passages]
    checks = [CitationCheck(Sources.of(library, refs, document.locale), "", "") for _ in sentences]
    for check, said in zip(checks, sentences, strict=True):
        check.take(said), check.end()
    return sum(bool({Fault.UNSUPPORTED, Fault.CONTRADICTED} & {*check.result.faults}) for check in checks)


def share_left_out(half, kind):
    texts = {**documents(), **content().agreements.standards}
    cases = [(texts[name], written[kind]) for name, written in CASES[half].items()]
    return sum(left_out(*case) for case in cases) / sum(len(said) for _, said in cases)


def test_at_most_one_faithful_sentence_in_twenty_is_lost_and_two_wrong_ones_in_three_are_left_out():
    assert max(share_left_out(half, "faithful") for half in CASES) <= 0.05
    assert min(share_left_out(half, "wrong") for half in CASES) >= 0.67
