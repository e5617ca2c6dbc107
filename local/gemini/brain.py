"""The seam for what the simulated model says."""

import zlib
from collections.abc import Sequence
from typing import Protocol

from local.gemini.json_types import JsonObject
from local.gemini.protocol import Content

_SENTENCES = (
    "그런 마음이 드셨군요. 조금 더 이야기해 주실 수 있을까요?",
    "말씀해 주셔서 고마워요. 그때 어떤 기분이 가장 크게 느껴지셨어요?",
    "많이 애쓰고 계신 것 같아요. 요즘 무엇이 가장 마음에 걸리시나요?",
)


class Brain(Protocol):
    """Thinks up the answers. Must be deterministic for the same input, quick, and never raise."""

    def answer_json(self, role: str, schema: JsonObject, system: str, contents: Sequence[Content]) -> JsonObject | None:
        """Answer as the agent `role` (see `roles.role_of`) with a value of `schema`.

        Returns:
            None when the brain does not know the role: a generic value of the schema is sent then.
        """
        ...

    def answer_text(self, role: str, system: str, contents: Sequence[Content]) -> str:
        """Answer in prose."""
        ...


class PlainBrain:
    """Knows no role: generic JSON, and one of a few reflecting sentences.

    Args:
        seed: Changes which sentence answers which message.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def answer_json(self, role: str, schema: JsonObject, system: str, contents: Sequence[Content]) -> JsonObject | None:
        """Leave it to the generic answer."""
        del role, schema, system, contents
        return None

    def answer_text(self, role: str, system: str, contents: Sequence[Content]) -> str:
        """Reflect, the same way each time for the same last message."""
        del role, system
        last = contents[-1].text if contents else ""
        return _SENTENCES[zlib.crc32(f"{self._seed}{last}".encode()) % len(_SENTENCES)]
