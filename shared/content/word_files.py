"""Loads the files of patterns, which share the plain answers of `answers.yaml`."""

from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from shared.content.loader import load_yaml
from shared.lexicon.plain_answers import AnswersFile

M = TypeVar("M", bound=BaseModel)
_DATA = Path(__file__).parent / "data"


@cache
def load_answers() -> AnswersFile:
    """Load what is plainly yes, no, refusal and "not known" (`ContentError` if it is wrong)."""
    return load_yaml(_DATA / "answers.yaml", AnswersFile)


def load_words(name: str, model: type[M]) -> M:
    """Load a file of patterns with the fragments of the plain answers (`ContentError` if it is wrong)."""
    return load_yaml(_DATA / name, model, load_answers().fragments)
