"""`python -m tests.unit.shared.adapters.documents.freeze`: writes down the shape of each kind's newest version.

Run it when a kind has a new version, and before a release, to freeze the fields added since. A schema that old
documents do not fit is refused: it needs a new version, with an upcaster and an example.
"""

import json
import sys

from tests.unit.shared.adapters.documents.narrowing import bare, narrowed
from tests.unit.shared.adapters.documents.stored_kinds import models, newest, schema_file


def main():
    refused = False
    for kind, model in sorted(models().items()):
        file, schema = schema_file(kind, newest(kind)), bare(model.model_json_schema())
        problems = narrowed(json.loads(file.read_text("utf-8")), schema) if file.exists() else []
        for problem in problems:
            sys.stderr.write(f"{kind} v{newest(kind)}: {problem}\n")
        refused = refused or bool(problems)
        if not problems:
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")
    return int(refused)


if __name__ == "__main__":
    sys.exit(main())
