"""Every pattern of the product takes time in proportion to the text: no message stops an instance."""

import json
from functools import cache

import pytest

from tests.support.process import run_python

WITHIN_S = 900
"""Wall time; the patterns take half a minute of processor time."""


@cache
def found():
    process = run_python("-m", "tests.support.compiled_patterns", within_s=WITHIN_S)
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout)


def test_every_line_that_compiles_a_pattern_is_reached():
    assert found()["unseen"] == []


def test_no_pattern_takes_long_on_any_text_that_repeats_what_it_matches():
    slow = [f"{one['places']}\n  {one['source']}\n  on {one['text']!r}…" for one in found()["slow"]]
    assert not slow, "\n".join((f"{len(slow)} patterns", *slow))
