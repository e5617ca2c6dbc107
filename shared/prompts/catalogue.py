"""Versioned prompt files with a typed input: `prompts/<agent>/v<N>.<locale>.j2`.

A template has a block `system` (instructions) and, except for the counsellor, a block `user` (the input). What several
templates share is in a file that they include, each with its own `words`. Text by a person or a model goes through the
filter `data` (shared/prompts/data.py), so that it can forge no tag, line or speaker.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from shared.locale import Locale
from shared.prompts.data import as_data

if TYPE_CHECKING:
    from jinja2 import Environment, Template

I = TypeVar("I", bound=BaseModel)  # noqa: E741 - the field's name for an input type
_INCLUDE = re.compile(r'^\{% include "([^"\n]++)" %\}\n', re.MULTILINE)


@dataclass(frozen=True)
class Rendered:
    """A prompt ready to send.

    Attributes:
        prompt_id: `agent/v1.ko`.
        digest: First 16 hex digits of SHA-256 over both texts.
    """

    prompt_id: str
    system: str
    user: str
    digest: str


@dataclass(frozen=True)
class Prompt(Generic[I]):
    """The published version of an agent's prompt. It is not edited: the next one takes its place, and git keeps it."""

    folder: Path
    agent: str
    version: int
    takes: type[I]

    def name(self, locale: Locale) -> str:
        """Return the prompt's id in a language: its path without the suffix."""
        return f"{self.agent}/v{self.version}.{locale.value}"

    def load(self, locale: Locale) -> "Template":
        """Compile the template of a language once, with what it includes."""
        return _template(self.folder, f"{self.name(locale)}.j2")

    def source(self, locale: Locale) -> str:
        """Return the source of a language's template, with what it includes in place."""
        return self._read(f"{self.name(locale)}.j2")

    def _read(self, file: str) -> str:
        return _INCLUDE.sub(lambda found: self._read(found[1]), (self.folder / file).read_text(encoding="utf-8"))

    def render(self, locale: Locale, given: I) -> Rendered:
        """Render the template of a language; a missing variable is an error."""
        name, template = self.name(locale), self.load(locale)
        context = template.new_context({field: getattr(given, field) for field in type(given).model_fields})

        def block(part: str) -> str:
            if part not in template.blocks:
                return ""
            return "".join(template.blocks[part](context)).strip()

        system, user = block("system"), block("user")
        digest = hashlib.sha256(f"{system}\n\n{user}".encode(errors="replace")).hexdigest()[:16]
        return Rendered(prompt_id=name, system=system, user=user, digest=digest)


@cache
def _template(folder: Path, file: str) -> "Template":
    template = _environment(folder).get_template(file)
    for part in _INCLUDE.findall((folder / file).read_text(encoding="utf-8")):
        _template(folder, part)
    return template


@cache
def _environment(folder: Path) -> "Environment":
    # Jinja takes 40 ms to import, which a health check must not pay.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,  # of what is included
        autoescape=False,  # noqa: S701 - plain text for a model, not HTML; `data` guards what people write
    )
    environment.filters["data"] = as_data
    return environment
