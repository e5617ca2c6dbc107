"""What measured usage costs on Google Cloud, in won and dollars, at the prices of `shared/config/models.yaml`."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.config.models import Catalogue
from shared.config.platform_prices import PlatformPrices

SESSIONS = 1000
_GIB = 2**30


@dataclass(frozen=True)
class Measured:
    """Usage of some sessions.

    Attributes:
        model_won: What the ledger says, at the catalogue's exchange rate.
        documents: Stored documents, which are deleted in the end.
        stored_bytes: Bytes of these documents.
    """

    sessions: int
    turns: int
    model_won: float
    writes: int
    documents: int
    stored_bytes: int
    tasks: int
    events: int


@dataclass(frozen=True)
class Item:
    """What one thing costs for `SESSIONS` sessions."""

    name: str
    dollars: float


def bill(measured: Measured, catalogue: Catalogue) -> tuple[Item, ...]:
    """Return what 1,000 sessions like these cost, without free quotas; storage for one month."""
    platform = catalogue.platform
    share = SESSIONS / measured.sessions
    parts = [
        ("model", measured.model_won / catalogue.won_per_dollar),
        ("Firestore, operations", _operations(measured, platform)),
        ("Firestore, stored a month", measured.stored_bytes / _GIB * platform.firestore.gib_month),
        ("Cloud Run functions", _functions(measured, platform)),
        # A task is enqueued and delivered.
        ("Cloud Tasks", 2 * measured.tasks * platform.tasks.operations / platform.tasks.per),
        ("Eventarc", measured.events * platform.events.published / platform.events.per),
    ]
    return tuple(Item(name, dollars * share) for name, dollars in parts)


def table(items: Sequence[Item], won_per_dollar: float) -> str:
    """Return the bill in Markdown."""
    lines = [
        f"| {SESSIONS:,} sessions | won | US dollars |",
        "|---|---|---|",
        *(f"| {item.name} | {item.dollars * won_per_dollar:,.0f} | {item.dollars:,.2f} |" for item in items),
    ]
    together = sum(item.dollars for item in items)
    return "\n".join([*lines, f"| **together** | **{together * won_per_dollar:,.0f}** | **{together:,.2f}** |"])


def terms(catalogue: Catalogue) -> str:
    """Return on which prices and assumptions a bill rests."""
    platform = catalogue.platform
    assumed, functions = platform.assumed, platform.functions
    # Idle, a CPU costs what a GiB does.
    warm = 30 * 24 * 3600 * (assumed.vcpu + assumed.gib) * functions.gib_second
    looked = (platform.firestore, functions, platform.tasks, platform.events)
    models = [entry.checked for entry in catalogue.models.values() if entry.checked is not None]
    rate, platform_day = catalogue.won_per_dollar, min(prices.checked for prices in looked)
    return (
        f"At list prices without free quotas, {rate:,.0f} won a dollar; looked up: models {min(models)},"
        f" platform {platform_day} (shared/config/models.yaml names the sources).\n"
        f"Assumed: a turn takes {assumed.turn_seconds:g} s and a job {assumed.job_seconds:g} s; turns at a time on an"
        f" instance: {assumed.at_a_time:g}; {assumed.reads_a_session:g} reads a session.\n"
        f"Not in it: warm instances ({warm * rate:,.0f} won a month each), network, logs."
    )


def _operations(measured: Measured, platform: PlatformPrices) -> float:
    prices = platform.firestore
    reads = platform.assumed.reads_a_session * measured.sessions
    spent = reads * prices.reads + measured.writes * prices.writes + measured.documents * prices.deletes
    return spent / prices.per


def _functions(measured: Measured, platform: PlatformPrices) -> float:
    prices, assumed = platform.functions, platform.assumed
    jobs = measured.tasks + measured.events
    seconds = (measured.turns * assumed.turn_seconds + jobs * assumed.job_seconds) / assumed.at_a_time
    a_second = assumed.vcpu * prices.vcpu_second + assumed.gib * prices.gib_second
    return seconds * a_second + (measured.turns + jobs) * prices.requests / prices.per
