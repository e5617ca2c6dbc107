"""The rules of the output guard as written, in `shared/safety/rules/<locale>/guard_*.yaml`."""

from typing import Literal, Self

from pydantic import Field, model_validator

from shared.content.schemas.safety_rules import RuleEntry, Words
from shared.content.schemas.unique import unique
from shared.model import Model
from shared.safety.matcher import Family
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.rules import Excuse
from shared.safety.output_guard.situation import When


class GuardEntry(RuleEntry):
    """One rule; it cuts the replies `found` in the situation `when`, and no rule cuts the replies `not_found`.

    Attributes:
        when: The situation in which it applies.
        unless: One in which it does not, all the same.
        excuses: What makes a match harmless.
        reach: Letters after a trigger within which a match ends.
        inside: A trigger may begin inside a word.
    """

    when: When = When.ALWAYS
    unless: When | None = None
    excuses: Words = (Excuse.QUOTED.value,)
    reach: int = Field(default=24, ge=0, le=64)
    inside: bool = False

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        Category(self.outcome)
        frozenset(map(Excuse, self.excuses))
        return self


class GuardFile(Model):
    """One file of rules: what a reply must not say about one topic, in one language."""

    family: Literal[Family.GUARD]
    rules: tuple[GuardEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((rule.id for rule in self.rules), "rule ids")
        return self
