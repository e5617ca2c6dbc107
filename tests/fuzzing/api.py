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
"""Responses to a request that breaks the schema: those of schemathesis, and 413 for a message that is too long."""
ACCEPTED = ("2xx", "3xx", "401", "403", "404", "409", "429", "5xx")
"""Responses to a request that fits the schema, by schemathesis."""
ERASING = ("delete_me", "delete_conversation")


@dataclass(frozen=True)
class Run:
    """One run over all operations.

    Attributes:
        address: Address of the server.
        token: Token of the caller; a reviewer's token also reaches the review queue.
        conversation: Its id stands in every path; without one, ids are random and erasing operations run too.
        phases: Phases of schemathesis.
    """

    address: str
    token: str
    seed: int
    examples: int
    conversation: str | None = None
    phases: str = "coverage,fuzzing,stateful"

    def go(self) -> tuple[int, str]:
        """Fuzz; return the exit code, which is 0 when nothing was found, and the output of schemathesis."""
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
        # No schema can say that a page of reviews starts after an entry of the same status.
        lines += ["[[operations]]", 'include-operation-id = "list_reviews"']
        lines += [f"checks.positive_data_acceptance.expected-statuses = {[*ACCEPTED, '422']}"]
        # Nor that the bytes of a file are a document.
        lines += ["[[operations]]", 'include-operation-id = "upload_document"']
        lines += [f"checks.positive_data_acceptance.expected-statuses = {[*ACCEPTED, '413', '415', '422']}"]
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
