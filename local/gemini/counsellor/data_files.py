"""Reads and validates the phrase files, once each."""

from functools import cache
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FOLDER = Path(__file__).parent / "data"


class Data(BaseModel):
    """Content of a file; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


D = TypeVar("D", bound=BaseModel)


def load(name: str, as_: type[D]) -> D:
    """Read `data/<name>.yaml`.

    Raises:
        ValidationError: The file is invalid.
    """
    return as_.model_validate(_read(name))


@cache
def _read(name: str) -> object:
    text = (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    read: object = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader, in C where it is built
    return read
