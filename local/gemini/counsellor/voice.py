"""The three voices, and the choice of unused wordings."""

import zlib
from collections.abc import Sequence
from enum import StrEnum

from local.gemini.counsellor.data_files import Data
from local.gemini.counsellor.hangul import fill, literals, names_in

TELLING = 5
"""Characters of a wording's own text that identify it in earlier replies."""


class Voice(StrEnum):
    FORMAL = "ko"
    """존댓말."""
    CASUAL = "ko_casual"
    """반말."""
    ENGLISH = "en"


class Wordings(Data):
    """Wordings of one message in each voice."""

    ko: tuple[str, ...]
    ko_casual: tuple[str, ...]
    en: tuple[str, ...]

    def at(self, voice: Voice) -> tuple[str, ...]:
        """Return the wordings in a voice."""
        match voice:
            case Voice.FORMAL:
                return self.ko
            case Voice.CASUAL:
                return self.ko_casual
            case Voice.ENGLISH:
                return self.en


class Speaker:
    """Chooses wordings for one reply, deterministically.

    Args:
        voice: The voice.
        salt: Seed of the choice.
        past: The counsellor's earlier replies, oldest first.
    """

    def __init__(self, voice: Voice, salt: str, past: Sequence[str]) -> None:
        self.voice = voice
        self._salt = salt
        self._past = tuple(past)

    def chance(self, key: str, one_in: int) -> bool:
        """Tell whether something that happens once in `one_in` times happens now."""
        return self._number(key) % one_in == 0

    def fresh(self, wordings: Wordings, values: dict[str, str] | None = None) -> str:
        """Return an unused wording, or ""."""
        usable = self._usable(wordings, values or {})
        return next((said for template, said in usable if not self.used(template)), "")

    def next(self, wordings: Wordings) -> str:
        """Return the first unused wording in order, or ""; the wordings build on each other."""
        return next((line for line in wordings.at(self.voice) if not self.used(line)), "")

    def any(self, wordings: Wordings, values: dict[str, str] | None = None) -> str:
        """Return an unused wording, else the least recently used one."""
        usable = self._usable(wordings, values or {})
        fresh = next((said for template, said in usable if not self.used(template)), None)
        if fresh is not None or not usable:
            return fresh or ""
        return min(usable, key=lambda pair: self._last_use(pair[0]))[1]

    def used(self, template: str) -> bool:
        """Tell whether an earlier reply contains a wording."""
        return self._last_use(template) >= 0

    def _last_use(self, template: str) -> int:
        own = max(literals(template), key=len, default="")
        if len(own) < TELLING:
            own = fill(template, {})
        return max((place for place, reply in enumerate(self._past) if own and own in reply), default=-1)

    def _usable(self, wordings: Wordings, values: dict[str, str]) -> list[tuple[str, str]]:
        lines = [line for line in wordings.at(self.voice) if all(values.get(name) for name in names_in(line))]
        start = self._number("|".join(lines)) % len(lines) if lines else 0
        return [(line, fill(line, values)) for line in (*lines[start:], *lines[:start])]

    def _number(self, key: str) -> int:
        return zlib.crc32(f"{self._salt}|{key}".encode(errors="replace"))
