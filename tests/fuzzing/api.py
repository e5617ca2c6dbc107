"""Fuzzes the chat API by its description, `docs/openapi.json`, with schemathesis.

Every answer is held to the description: status, content type, headers, body; a request that fits it is accepted, one
that does not is refused, and nothing breaks.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.process import ROOT, clean_environment

SCHEMA = ROOT / "docs" / "openapi.json"
REFUSED = ("400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx")
"""What refuses a request that does not fit: schemathesis' own, and 413 for a message that is too long."""
ACCEPTED = ("2xx", "3xx", "401", "403", "404", "409", "429", "5xx")
"""What answers a request that fits it, by schemathesis: an answer or the state of things."""
ERASING = ("delete_me", "delete_conversation")


@dataclass(frozen=True)
class Run:
    """One run over all operations.

    Attributes:
        address: Of the server.
        token: Whose requests they are; a reviewer's reaches the queue too.
        conversation: Stands in every path; random ids of no conversation otherwise, and then all may be erased.
        phases: Of schemathesis.
    """

    address: str
    token: str
    seed: int
    examples: int
    conversation: str | None = None
    phases: str = "coverage,fuzzing,stateful"

    def go(self) -> tuple[int, str]:
        """Fuzz; return the exit code, which is 0 when nothing was found, and what schemathesis tells."""
        with tempfile.TemporaryDirectory() as directory:
            config = Path(directory) / "schemathesis.toml"
            config.write_text(self._config(), encoding="utf-8")
            command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), *self._arguments()]
            done = subprocess.run(
                command, cwd=directory, env=clean_environment({}), capture_output=True, text=True, check=False
            )
        return done.returncode, done.stdout + done.stderr

    def _config(self) -> str:
        lines = ["[checks.negative_data_rejection]", f"expected-statuses = {list(REFUSED)}"]
        if self.conversation:
            lines += ["[parameters]", f'conversation_id = "{self.conversation}"']
        # That a page of reviews begins behind an entry of its own status cannot be said in a schema.
        lines += ["[[operations]]", 'include-operation-id = "list_reviews"']
        lines += [f"checks.positive_data_acceptance.expected-statuses = {[*ACCEPTED, '422']}"]
        return "\n".join(lines)

    def _arguments(self) -> Sequence[str]:
        erasing = [part for name in ERASING for part in ("--exclude-operation-id", name)] if self.conversation else []
        return [
            "run",
            str(SCHEMA),
            *("--url", self.address),
            *("--header", f"Authorization: Bearer {self.token}"),
            *("--seed", str(self.seed)),
            *("--max-examples", str(self.examples)),
            *("--phases", self.phases),
            *("--generation-database", "none"),
            *("--warnings", "off"),
            "--no-color",
            *erasing,
        ]
