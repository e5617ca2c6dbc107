"""`plain_words.yaml`: whole messages that answer a question which code worded."""

import re
from collections.abc import Mapping
from functools import cached_property

from pydantic import ConfigDict, RootModel

from shared.locale import Locale

_NOT_WORDS = re.compile(r"[\W_]+")


class PlainWords(RootModel[Mapping[str, Mapping[Locale, tuple[str, ...]]]]):
    """Kinds of plain answers (`yes`, `no`, `stop`, `skip`) and of a question (`ai`), and the messages that are one.

    Both languages count at once.
    """

    model_config = ConfigDict(frozen=True)

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return {
            _bare(text): kind for kind, by_locale in self.root.items() for texts in by_locale.values() for text in texts
        }

    def kind(self, text: str) -> str | None:
        """Return the kind of a whole message; None if it is no plain answer."""
        return self._kinds.get(_bare(text))


def _bare(text: str) -> str:
    return _NOT_WORDS.sub("", text).casefold()
