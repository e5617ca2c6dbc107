"""`python -m local.gemini` in a process of its own, and its control endpoints."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx

from tests.support.process import LOOPBACK, ReadyProcess

TURN_AGENTS = ("Reading", "Counselor")
"""Agents for which the user waits; the calls of other agents belong to background jobs."""


class Simulator(ReadyProcess):
    """A simulated model that outlives the servers which call it."""

    def __init__(self, home: Path, *, ttft_ms: float = 0, token_ms: float = 0) -> None:
        arguments = ["-m", "local.gemini", "--port", "0", "--ttft-ms", str(ttft_ms), "--token-ms", str(token_ms)]
        super().__init__(arguments, {}, home / "simulator.log")
        self._control: httpx.Client | None = None

    @property
    def access(self) -> dict[str, str]:
        """The variables with which a server calls it."""
        assert self.address, "start the simulator first: without an address the server would call Google"
        return {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": self.address}

    def start(self) -> Self:
        super().start()
        self._control = httpx.Client(base_url=self.address, timeout=60, **LOOPBACK)
        return self

    def end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        super().end()

    def fault(self, fault: str, agent: str = "*", **fields: Any) -> None:
        """Let calls of an agent fail: for ever, or so many `times`."""
        self._ask("POST", "/control/faults", {"fault": fault, "agent": agent, **fields})

    def heal(self) -> None:
        self._ask("DELETE", "/control/faults")

    def pace(self, *, ttft_ms: float = 0, token_ms: float = 0, chunk_tokens: int = 1) -> None:
        pace = {"ttft_ms": ttft_ms, "token_ms": token_ms, "chunk_tokens": chunk_tokens}
        self._ask("PUT", "/control/latency", pace)

    def script(self, answers: Mapping[str, Sequence[Any]]) -> None:
        """Set each agent's next answers, texts or JSON values."""
        self._ask("PUT", "/control/script", dict(answers))

    def forget_calls(self) -> None:
        self._ask("DELETE", "/control/calls")

    def calls(self) -> dict[str, int]:
        """Return how often each agent called, retries counted."""
        return self._ask("GET", "/control/calls").json()["agents"]

    def turn_calls(self) -> int:
        """Count the calls of the agents for which the user waits."""
        calls = self.calls()
        return sum(calls.get(agent, 0) for agent in TURN_AGENTS)

    def recent_calls(self) -> list[dict[str, Any]]:
        """Return the last calls in full, the oldest first."""
        return self._ask("GET", "/control/calls").json()["recent"]

    def reset(self) -> None:
        self.heal()
        self.pace()
        self.script({})
        self.forget_calls()

    def _ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        assert self._control is not None, "the simulator is not running"
        response = self._control.request(method, path, json=body)
        response.raise_for_status()
        return response
