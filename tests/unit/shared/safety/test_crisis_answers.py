"""The reading of the user's answers to the protocol: a yes, reassurance, a request for numbers."""

import pytest

from shared.content.catalogue import content
from shared.safety.reassurance import Reassurance
from tests.builders.sentences import sentences

SAID = sentences("safety/crisis_answers")
ANSWERS, WRITTEN = content().crisis_answers, content().crisis_replies.written
DOUBTS = WRITTEN.safe.doubt.positives
NAMES = (
    "admits", "only_denies", "acted", "act_named", "done", "soon", "injured", "about_me", "violence_near",
    "danger_near_them", "harm_near", "harm_told", "takes_back", "place_named",
)  # fmt: skip


def read(name, *earlier):
    """Return a function that reads a text as this answer."""
    return lambda text: getattr(ANSWERS, name)(content().screening.screen(text), *earlier)


def examples(written):
    return written.positives, written.negatives


reassurances = read("reassurances")
READINGS = {
    **{name: (read(name), *examples(getattr(WRITTEN, name))) for name in NAMES},
    "says_only_no": (
        read("says_only_no"),
        *(one + other for one, other in zip(examples(WRITTEN.bare_no), examples(WRITTEN.bare_none), strict=True)),
    ),
    "harms_child": (read("harms_child", ""), *examples(WRITTEN.harms_child)),
    "own_blow": (read("harms_child", WRITTEN.scolds_child.positives[0]), *examples(WRITTEN.own_blow)),
    "scolds_child": (
        lambda text: read("harms_child", text)(WRITTEN.own_blow.positives[0]),
        *examples(WRITTEN.scolds_child),
    ),
    "named_near": (read("named_near", ""), *examples(WRITTEN.named_near)),
    **{
        kind.value: (lambda text, kind=kind: kind in reassurances(text), *examples(getattr(WRITTEN.safe, kind.value)))
        for kind in Reassurance
    },
    "reassurance": (reassurances, SAID["safe"], SAID["not_safe"]),
    "reassurance_without_a_decision_hiding_fear_or_violence": (
        reassurances,
        WRITTEN.safe.doubt.negatives,
        [*DOUBTS, *(f"지금은 안전해요. {text}" for text in DOUBTS)],
    ),
    "direct_question": (ANSWERS.asks_directly, SAID["asks_directly"], SAID["does_not_ask"]),
    "request_for_resources": (read("asks_resources"), SAID["asks_resources"], SAID["asks_none"]),
}


@pytest.mark.parametrize("name", READINGS)
def test_each_answer_is_found_in_its_examples_and_in_no_counterexample(name):
    found, positives, negatives = READINGS[name]
    assert [text for text in positives if not found(text)] == []
    assert [text for text in negatives if found(text)] == []


def test_a_person_nearby_is_the_abuser_only_if_the_user_named_that_person_as_one():
    near = {
        ("아빠는 집에 있어요", "아빠가 때려요"): True,
        ("어머니가 집에 있어요", "엄마가 때려요"): True,
        ("그 사람이 집에 있어요", "남편이 때려요"): True,
        ("엄마가 옆에 있어요", "아빠가 때려요"): False,
        ("지금 엄마 집에 있어요", "남편이 때려요"): False,
    }
    assert {(text, earlier): read("named_near", earlier)(text) for text, earlier in near} == near


def test_every_danger_question_of_the_protocol_is_recognised_as_the_last_question():
    for texts in (*dict(WRITTEN.replies.concern).values(), *dict(WRITTEN.ask_directly).values()):
        assert [text for text in texts if not ANSWERS.asks_directly(text, last=True)] == []
    assert not ANSWERS.asks_directly("혹시 죽고 싶다는 뜻인가요? 곁에 누가 있나요?", last=True)
