"""Reads whether a message asks for a small service, by `data/claims.yaml`."""

import re

from pydantic import RootModel

from shared.lexicon.lexicon_file import ExemplifiedPhrases

LONGEST_CLAIM = 200
"""Characters of a message that may ask for a service; a longer one tells something else too."""


class ClaimsFile(RootModel[dict[str, ExemplifiedPhrases]]):
    """The words by the service's name."""


class ServiceClaim:
    """The words of one service."""

    def __init__(self, phrases: ExemplifiedPhrases) -> None:
        self._pattern = re.compile("|".join(f"(?:{one})" for one in phrases.all), re.IGNORECASE)

    def __call__(self, text: str) -> bool:
        """Return whether a message plainly asks for the service."""
        return len(text) <= LONGEST_CLAIM and self._pattern.search(text) is not None
