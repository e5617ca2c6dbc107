"""Prices of the platform (`platform` in `models.yaml`), in US dollars."""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field


class _Looked(BaseModel):
    """Something that was looked up.

    Attributes:
        per: How many of them a price is for.
        source: Where; the words of its page or file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    per: int = Field(gt=0)
    checked: date
    source: str


class FirestorePrices(_Looked):
    """Of operations on documents, and of stored bytes a month."""

    reads: float = Field(ge=0)
    writes: float = Field(ge=0)
    deletes: float = Field(ge=0)
    gib_month: float = Field(ge=0)


class FunctionPrices(_Looked):
    """Of an instance's time while it handles requests, and of requests."""

    vcpu_second: float = Field(ge=0)
    gib_second: float = Field(ge=0)
    requests: float = Field(ge=0)


class TaskPrices(_Looked):
    """Of calls to the queue and deliveries."""

    operations: float = Field(ge=0)


class EventPrices(_Looked):
    """Of events of created documents."""

    published: float = Field(ge=0)


class Assumed(BaseModel):
    """What no ledger counts.

    Attributes:
        turn_seconds: Time of a turn, which mostly waits for the model.
        job_seconds: Time of a background job.
        at_a_time: Turns that share an instance.
        vcpu: CPUs of an instance.
        gib: Memory of an instance.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reads_a_session: float = Field(ge=0)
    turn_seconds: float = Field(gt=0)
    job_seconds: float = Field(gt=0)
    at_a_time: float = Field(ge=1)
    vcpu: float = Field(gt=0)
    gib: float = Field(gt=0)


class PlatformPrices(BaseModel):
    """All of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    firestore: FirestorePrices
    functions: FunctionPrices
    tasks: TaskPrices
    events: EventPrices
    assumed: Assumed
