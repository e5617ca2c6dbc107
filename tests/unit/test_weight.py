"""The house only gets lighter: no part of it outgrows its ceiling in `tests/fixtures/weight.yaml`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.process import ROOT

CEILINGS = yaml.safe_load((ROOT / "tests/fixtures/weight.yaml").read_text("utf-8"))


def files(part: str) -> Iterator[Path]:
    folder, _, kind = part.partition(" ")
    return (ROOT / folder).rglob(f"*.{kind}")


@pytest.mark.parametrize(("part", "most"), CEILINGS.items())
def test_no_part_has_more_lines_than_its_ceiling(part, most):
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in files(part))
    assert 0 < lines <= most, f"{part}: {lines} lines. Delete as much as you add, and lower the ceiling when it falls."
