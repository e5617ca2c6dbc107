"""What a run of the benchmark leaves: the table, a JSON file, and the table in docs/performance.md."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.load.figures import Figure, Origin, table
from tests.load.samples import Sample
from tests.support.process import ROOT

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


@dataclass(frozen=True)
class Report:
    origin: Origin
    figures: Sequence[Figure]
    samples: Sequence[Sample] = ()  # of the first token

    def text(self) -> str:
        return f"# Benchmark\n\n{self.origin.lines()}\n\n{table(self.figures)}"

    def write_json(self, file: Path) -> None:
        figures = [asdict(figure) | {"met": figure.met} for figure in self.figures]
        whole = {
            "origin": asdict(self.origin),
            "figures": figures,
            "first_token": [dict(one.as_json()) for one in self.samples],
        }
        file.write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def write_page(self, page: Path = PAGE) -> None:
        """Replace what stands between the markers of the page."""
        head, _, rest = page.read_text("utf-8").partition(BEGIN)
        _, found, tail = rest.partition(END)
        assert found, f"{page}: no {BEGIN} and {END}"
        text = f"{head}{BEGIN}\n{self.origin.lines()}\n\n{table(self.figures)}\n{END}{tail}"
        page.write_text(text, encoding="utf-8")
