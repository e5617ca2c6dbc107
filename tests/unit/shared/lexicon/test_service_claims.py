"""The words that ask for a small service."""

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.lexicon.service_claims import LONGEST_CLAIM, ClaimsFile

WRITTEN = load_yaml(DATA / "claims.yaml", ClaimsFile).root


@pytest.mark.parametrize("service", WRITTEN)
def test_every_example_asks_for_the_service_and_no_other_does(service):
    claims = content().claim_of(service)
    assert [text for text in WRITTEN[service].examples if not claims(text)] == []
    assert [text for text in WRITTEN[service].others if claims(text)] == []


def test_a_long_message_asks_for_no_service_whatever_its_words():
    assert not content().claim_of("minimal")("도우미 불러 주세요. " + "힘" * LONGEST_CLAIM)
