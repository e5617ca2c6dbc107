"""Behaviour of what may be said in answer to the protocol."""

import pytest

from shared.safety.phrases import Phrases
from shared.safety.screening import readings_of

SAFE = Phrases(["<now>? 안전해"], ["안전해지고"], {"now": "지금은"})


def test_a_phrase_is_heard_but_where_an_exclusion_overlaps_it():
    heard = ["지금은 안전해요", "지금은안전해", "안전해지고 싶어. 지금은 안전해."]
    assert [text for text in (*heard, "", "안전해지고 싶어", "위험해요") if SAFE.heard(readings_of(text))] == heard


def test_an_unknown_fragment_is_an_error():
    with pytest.raises(KeyError, match="nothing"):
        Phrases(["<nothing>"], [], {})
