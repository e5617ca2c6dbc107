"""The catalogue of models: capabilities, prices and fallbacks (`models.yaml`)."""

from collections.abc import Iterable
from datetime import date
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shared.config.platform_prices import PlatformPrices
from shared.ports.model_settings import ThinkingLevel

SOON_DAYS = 90
"""Days before a model's retirement from which it is announced at start."""


class _InFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Price(_InFile):
    """US dollars per million tokens, with the last day on which the price holds."""

    until: date | None = None
    dollars_in: float = Field(alias="in", ge=0)
    dollars_out: float = Field(alias="out", ge=0)


class ThinkingBudget(_InFile):
    """Bounds of a thinking budget, tokens."""

    least: int = Field(ge=0)
    most: int = Field(gt=0)


class ModelEntry(_InFile):
    """Facts about one model.

    Attributes:
        thinking_levels: Supported levels; empty if none.
        thinking_budget: Bounds of its thinking budget; None if it has none.
        sampling: Whether it uses the temperature.
        prices: In order of time; the first whose `until` has not passed applies.
        checked: When these facts were looked up.
        retires_on: First day on which it may be switched off.
        fallback: The model to use when it is gone.
        first_token_p95_s: 95th percentile of a stream's first token, seconds; None if not measured.
    """

    thinking_levels: tuple[ThinkingLevel, ...] = ()
    thinking_budget: ThinkingBudget | None = None
    sampling: bool = False
    prices: tuple[Price, ...] = ()
    checked: date | None = None
    retires_on: date | None = None
    fallback: str | None = None
    first_token_p95_s: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _prices_in_order(self) -> Self:
        ends = [price.until or date.max for price in self.prices]
        if ends != sorted(set(ends)):
            raise ValueError("prices stand in order of time, and the last one alone may be without `until`")
        return self

    def price_on(self, day: date) -> Price | None:
        """Return the price on a day; the last one if all have passed."""
        holding = [price for price in self.prices if price.until is None or day <= price.until]
        return holding[0] if holding else next(reversed(self.prices), None)

    def nearest_level(self, wanted: ThinkingLevel) -> ThinkingLevel | None:
        """Return the level, or the next higher supported one."""
        order = list(ThinkingLevel)
        higher = [level for level in order[order.index(wanted) :] if level in self.thinking_levels]
        return higher[0] if higher else next(reversed(self.thinking_levels), None)


class Embedding(_InFile):
    """The model of embeddings, its limits, its price in dollars per million tokens, and how far it counts.

    Attributes:
        dimension: Firestore compares vectors of 2048 numbers at most.
    """

    model: str
    dimension: int = Field(ge=128, le=2048)
    tasks: Literal["prefix", "parameter"]
    batch: int = Field(ge=1)
    longest: int = Field(ge=1)
    price_in: float = Field(ge=0)
    weight: float = Field(ge=0)
    close: float = Field(ge=0)
    checked: date | None = None


class Catalogue(_InFile):
    """All models, and values common to all.

    Attributes:
        won_per_dollar: Exchange rate for the ledger's estimate.
        thought_tokens: Token limit of thoughts by level.
        embedding: The model of embeddings.
        platform: Prices of what runs beside the models.
    """

    won_per_dollar: float = Field(gt=0)
    thought_tokens: dict[ThinkingLevel, int]
    embedding: Embedding
    models: dict[str, ModelEntry]
    platform: PlatformPrices

    @model_validator(mode="after")
    def _fallbacks_are_known(self) -> Self:
        for model, entry in self.models.items():
            successor = self.models.get(entry.fallback or "")
            if entry.fallback is not None and successor is None:
                raise ValueError(f"models.{model}.fallback: {entry.fallback} is not in the catalogue")
            if (end := entry.retires_on) and (successor is None or (successor.retires_on or date.max) <= end):
                raise ValueError(f"models.{model}: it ends on {end}, and no fallback outlives it")
        return self

    def dearest_on(self, day: date) -> Price:
        """Return the highest prices of any model, which are used for unknown models."""
        prices = [price for entry in self.models.values() if (price := entry.price_on(day))]
        dearest = {"in": max(one.dollars_in for one in prices), "out": max(one.dollars_out for one in prices)}
        return Price.model_validate(dearest)


def warnings_of(catalogue: Catalogue, used: Iterable[str], day: date) -> tuple[str, ...]:
    """Warn about models in use that are unknown, without a price, retired or about to be."""
    return tuple(said for model in used for said in _warnings(catalogue, model, day))


def _warnings(catalogue: Catalogue, model: str, day: date) -> list[str]:
    entry = catalogue.models.get(model)
    if entry is None:
        unknown = "its thinking levels, price and retirement are unknown"
        instead = (
            "no level is sent, thoughts get no tokens of their own (thought_tokens), no fallback is known, calls are "
            "counted at the dearest known price, and its word alone is no emergency"
        )
        return [f"model {model} is not in the catalogue (CBOT_AGENTS_FILE, models): {unknown}; {instead}"]
    said = []
    if not entry.prices:
        said.append(f"model {model} has no price in the catalogue: calls are counted at the dearest known price")
    if entry.retires_on is not None and (left := (entry.retires_on - day).days) <= SOON_DAYS:
        other = f"; {entry.fallback} can take its place" if entry.fallback else ""
        when = f"is switched off since {entry.retires_on}" if left <= 0 else f"is switched off on {entry.retires_on}"
        said.append(f"model {model} {when}{other}")
    return said
