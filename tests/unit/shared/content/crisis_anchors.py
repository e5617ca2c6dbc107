"""`python -m tests.unit.shared.content.crisis_anchors`: writes crisis_anchors.json anew after the rules changed."""

import json
from pathlib import Path

import shared.content.crisis_rules as rules
from shared.domain.safety.prefilter import Anchor

FILE = Path(rules.__file__).parent / "data" / "crisis_anchors.json"


def written() -> str:
    """Return what the file must hold: a line for each pattern, in a stable order."""
    lines = [json.dumps(_row(anchor), ensure_ascii=False) for anchor in rules.compiled_rules().anchors]
    rows = ",\n".join(lines)
    return f'{{"rules": "{rules.rules_digest()}",\n"anchors": [\n{rows}\n]}}\n'


def _row(anchor: Anchor) -> list[list[str] | int | None]:
    return [_listed(part) if part is None or isinstance(part, frozenset) else part for part in anchor]


def _listed(strings: frozenset[str] | None) -> list[str] | None:
    return None if strings is None else sorted(strings)


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
