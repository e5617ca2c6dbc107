"""The turn's ledger: which agents ran, who decided and what it cost."""

from dataclasses import dataclass, field

from pydantic import BaseModel, JsonValue

from shared.domain.conversation import Budget
from shared.domain.errors import ModelError
from shared.domain.turn import AgentRun, DecidedBy
from shared.ports.model_answers import Usage
from shared.ports.model_settings import ModelSettings


@dataclass
class Ledger:
    """Entries in the order in which the agents finished.

    Attributes:
        errors: Error of each agent's newest run, if it failed.
        uncatalogued: Agents whose newest run ended with a model that the catalogue of models does not name.
        charged_krw: Cost already counted towards the user's day, in won.
    """

    runs: list[AgentRun] = field(default_factory=list)
    errors: dict[str, ModelError] = field(default_factory=dict)
    uncatalogued: set[str] = field(default_factory=set)
    model_waits: list[tuple[float, float]] = field(default_factory=list)
    charged_krw: float = 0

    def ruled(self, agent: str, output: JsonValue, reason: str) -> None:
        """Record a decision by code without a model."""
        self.runs.append(AgentRun(agent=agent, decided_by=DecidedBy.RULE, output=output, reason=reason))

    def failed(self, agent: str) -> bool:
        """Tell whether the agent's newest run failed and its safe default is used."""
        runs = [run for run in self.runs if run.agent == agent]
        return bool(runs) and runs[-1].decided_by is DecidedBy.SAFE_DEFAULT

    def decided_by(self, agent: str) -> DecidedBy | None:
        """Return the source of the agent's newest answer; None if it was not asked."""
        return next((run.decided_by for run in reversed(self.runs) if run.agent == agent), None)

    def poisoned(self, agent: str) -> bool:
        """Tell whether the agent's newest run failed because every answer was unusable, not because none came."""
        error = self.errors.get(agent)
        return error is not None and error.poison

    def add(self, other: "Ledger") -> None:
        """Take over the entries of a part of the turn that had its own ledger."""
        self.runs += other.runs
        self.errors |= other.errors
        self.uncatalogued |= other.uncatalogued
        self.model_waits += other.model_waits

    def wasted(self) -> "Ledger":
        """Return the model's entries, marked as not used; decisions by rule about unused words count for nothing."""
        unused = [run.model_copy(update={"cancelled": True}) for run in self.runs if run.attempts]
        return Ledger(runs=unused, model_waits=self.model_waits)

    def waited(self, start: float, end: float) -> None:
        """Record a wait for the model, in stopwatch seconds."""
        self.model_waits.append((start, end))

    def spent(self) -> Budget:
        """Return the total cost of the entries."""
        return Budget(
            llm_calls=sum(run.attempts for run in self.runs),
            prompt_tokens=sum(run.prompt_tokens for run in self.runs),
            output_tokens=sum(run.output_tokens for run in self.runs),
            cost_krw=round(sum(run.cost_krw for run in self.runs), 4),
        )

    def charge(self) -> float:
        """Return the cost in won since the last call, so that repeated commits of a turn charge the user once."""
        spent = self.spent().cost_krw
        new, self.charged_krw = round(spent - self.charged_krw, 4), spent
        return new

    def waiting_seconds(self) -> float:
        """Return the seconds in which at least one model call was running; overlapping waits count once."""
        total, until = 0.0, float("-inf")
        for start, end in sorted(self.model_waits):
            total += max(0.0, end - max(start, until))
            until = max(until, end)
        return total


def cost_krw(usage: Usage, settings: ModelSettings) -> float:
    """Return the price of a call in won, from the configured price per million tokens."""
    return round((usage.prompt_tokens * settings.price_in + usage.output_tokens * settings.price_out) / 1_000_000, 4)


def used_by(error: ModelError) -> Usage:
    """Return the tokens of a failed call: the provider bills them too."""
    return Usage(
        prompt_tokens=error.prompt_tokens, output_tokens=error.output_tokens, thought_tokens=error.thought_tokens
    )


def as_json(answer: BaseModel) -> JsonValue:
    dumped: JsonValue = answer.model_dump(mode="json")
    return dumped
