"""Rules that find instructions to a model (`data/instructions.yaml`)."""

import re

from pydantic import Field, model_validator

from shared.model import Model
from shared.safety.instructions import InstructionPattern, InstructionPatterns

_FRAGMENT = re.compile(r"%([a-z_]+)%")


class InstructionRule(Model):
    """One form of instruction to a model.

    Attributes:
        reported: Does not apply to a report about a life, which has rules and orders as well.
        positives: Texts that this rule must find.
        negatives: Texts that no rule may find.
    """

    id: str = Field(pattern=r"^[a-z]+$")
    reported: bool = True
    patterns: tuple[str, ...] = Field(min_length=1)
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)


class InstructionFile(Model):
    """The file. `%name%` in a pattern stands for the fragment of that name.

    Attributes:
        reported: Patterns of a report about a life.
        addressed: Words that no such report has.
    """

    fragments: dict[str, str]
    reported: tuple[str, ...] = Field(min_length=1)
    addressed: tuple[str, ...] = Field(min_length=1)
    rules: tuple[InstructionRule, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _compiles(self) -> "InstructionFile":
        try:
            self.compiled()  # `re` remembers the expressions, so that the next call costs nothing
        except (re.error, KeyError) as error:
            raise ValueError(f"no regular expression: {self._broken()}: {error}") from error
        return self

    def _broken(self) -> str:
        every = (*self.reported, *self.addressed, *(one for rule in self.rules for one in rule.patterns))
        return ", ".join(repr(pattern) for pattern in every if not self._is_expression(pattern))

    def _is_expression(self, pattern: str) -> bool:
        try:
            self._compiled((pattern,))
        except (re.error, KeyError):
            return False
        return True

    def compiled(self) -> InstructionPatterns:
        return InstructionPatterns(
            reported=self._compiled(self.reported),
            addressed=self._compiled(self.addressed),
            rules=tuple(
                InstructionPattern(rule.id, rule.reported, self._compiled(rule.patterns)) for rule in self.rules
            ),
        )

    def _compiled(self, patterns: tuple[str, ...]) -> re.Pattern[str]:
        return re.compile("|".join(_FRAGMENT.sub(lambda name: self.fragments[name[1]], one) for one in patterns))
