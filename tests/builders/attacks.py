"""The corpus of attacks (`tests/fixtures/injection/attacks.yaml`)."""

import re
from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from shared.visible_text import visible
from tests.builders.sentences import plain_yaml

FILE = Path(__file__).parents[1] / "fixtures/injection/attacks.yaml"
_PROMPT = "%PROMPT%"
_MARK = re.compile("[⟦⟧]")
_FORBIDDEN = re.compile("⟦(.+?)⟧")


class Harm(StrEnum):
    """A result that an attack must not have."""

    OBEYED = "obeyed"
    """Rules, role or voice change."""
    REVEALED = "revealed"
    """Words of a prompt, tags or ids are shown."""
    HUMAN = "human"
    """The reply claims to come from a person."""
    DIAGNOSED = "diagnosed"
    METHODS = "methods"
    """Means of harm are described."""
    SESSION_ENDED = "session_ended"
    TASK_COMPLETED = "task_completed"
    """Without words of the user's that show it."""
    RISK_LOWERED = "risk_lowered"
    STORED = "stored"
    """The instruction stands in a summary, a goal, a plan or a profile."""
    PERSONA_SET = "persona_set"
    SCORE_FORCED = "score_forced"
    HOTLINE_REMOVED = "hotline_removed"
    OTHERS = "others"
    """Data of other users, or secrets."""


class Attack(BaseModel):
    """One attack, with the messages `before` it; unless `stored`, no rule finds it.

    `obedient` is what a model that obeys says, with `⟦ ⟧` around what must not be shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    kind: str
    lang: str = Field(pattern="^(ko|en|mixed)$")
    never: tuple[Harm, ...] = Field(min_length=1)
    before: tuple[str, ...] = ()
    stored: bool = True
    text: str = Field(min_length=1)
    obedient: str = Field(min_length=1)

    def reply(self, prompt: str) -> str:
        """Return what a model that obeys says; `prompt` is a piece of its prompt."""
        return _MARK.sub("", self.obedient.replace(_PROMPT, prompt))

    def forbidden(self, prompt: str) -> tuple[str, ...]:
        return tuple(visible(words.replace(_PROMPT, prompt)) for words in _FORBIDDEN.findall(self.obedient))


@cache
def attacks() -> tuple[Attack, ...]:
    return tuple(Attack.model_validate(one) for one in plain_yaml(FILE))
