"""Wordings to the user: whole sentences, and as many in every voice."""

import pytest
from pydantic import ValidationError

from shared.content.schemas.voice import VoicedVariants

KO, CASUAL, EN = ("네, 들어요.", "말씀하세요."), ("응, 들어.", "말해."), ("Yes, I listen.", "Tell me.")


def test_variants_come_in_every_voice():
    assert VoicedVariants(ko=KO, ko_casual=CASUAL, en=EN).ko == KO
    assert VoicedVariants(ko=KO, en=EN).ko_casual == ()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"ko": ("네", "들어요. 말씀하세요.")}, "end like a sentence"),
        ({"ko_casual": ("응, 들어.",)}, "as many wordings"),
        ({"en": (*EN, "Go on.")}, "as many wordings"),
    ],
)
def test_a_torn_wording_or_a_missing_one_is_refused(wrong, why):
    with pytest.raises(ValidationError, match=why):
        VoicedVariants(**({"ko": KO, "ko_casual": CASUAL, "en": EN} | wrong))
