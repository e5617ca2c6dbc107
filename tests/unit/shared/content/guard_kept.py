"""`python -m tests.unit.shared.content.guard_kept`: writes guard_rules.json anew after guard_rules.yaml changed."""

import json
from pathlib import Path

import shared.content.guard_rules as rules
from shared.content.schemas.guard import GuardContent

FILE = Path(rules.__file__).parent / "data" / "guard_rules.json"


def written() -> str:
    """Return what the file must hold: a line for each rule and for each other part, in a stable order."""
    examples = {"rules": {"__all__": {"positives", "negatives"}}}
    content = GuardContent.model_validate(rules.guard_file().model_dump(exclude=examples))
    parts = content.model_dump(mode="json", exclude_defaults=True)
    for rule in parts["rules"]:
        if "excuses" in rule:
            rule["excuses"].sort()
    lines = ",\n".join(_line(rule) for rule in parts.pop("rules"))
    others = ",\n".join(f"{_line(name)}: {_line(part)}" for name, part in parts.items())
    return f'{{"file": "{rules.file_digest()}", "content": {{\n{others},\n"rules": [\n{lines}\n]}}}}\n'


def _line(part: object) -> str:
    return json.dumps(part, ensure_ascii=False)


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
