"""`python -m tests.unit.shared.content.crisis_anchors`: writes crisis_anchors.json anew after the rules changed."""

import json
from pathlib import Path
from typing import Any

import shared.content.crisis_rules as rules
from shared.safety.patterns import Pattern

FILE = Path(rules.__file__).parent / "data" / "crisis_anchors.json"


def written() -> str:
    """Return what the file must hold: a line for each rule, sign and context, in a stable order."""
    lines = [
        json.dumps([[_row(pattern) for pattern in group] for group in ways], ensure_ascii=False)
        for ways in rules.read_ways(rules.rule_definitions())
    ]
    rows = ",\n".join(lines)
    return f'{{"rules": "{rules.rules_digest()}",\n"ways": [\n{rows}\n]}}\n'


def _row(pattern: Pattern) -> list[Any]:
    anchor, first, head, reach = pattern.prefilter
    held = None if anchor is None else [sorted(anchor.strings), anchor.nearest, anchor.furthest]
    return [pattern.source, [held, None if first is None else sorted(first), head, reach]]


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
