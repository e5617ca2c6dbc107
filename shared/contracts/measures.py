"""The API of the self-report measures: their wording, answers, results over time."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from shared.contracts.chat import MeasureName, MomentName, StateSnapshot, whole
from shared.contracts.rating import HelpNamed
from shared.contracts.retrieval import RetrievalQuery
from shared.contracts.wire import Wire
from shared.domain.counseling.measures import ITEMS, MOST

Answer = Annotated[int, Field(ge=0, le=MOST), BeforeValidator(whole)]


class MeasuresQuery(RetrievalQuery):
    """In which language."""

    locale: Literal["ko", "en"] = "ko"


class MeasureView(Wire):
    """A measure in its validated wording."""

    id: MeasureName
    name: str
    instruction: str
    items: tuple[str, ...] = Field(description="In the order in which they are asked and answered")
    answers: tuple[str, ...] = Field(description="From 0 upward")
    source: str
    wording: str = Field(description="The version whose wording this is")
    licence: str


class MeasureTexts(Wire):
    """All measures, in the order in which they are offered."""

    about: str = Field(description="What they are and are not, and whom to ask; to be shown with them")
    measures: tuple[MeasureView, ...]


class TakeMeasure(Wire):
    """Answers to all items of a measure, in their order. Until the next message later ones replace them."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    "required": ["measure"],
                    "properties": {"measure": {"const": one.value}, "answers": {"minItems": count, "maxItems": count}},
                }
                for one, count in ITEMS.items()
            ]
        }
    )

    measure: MeasureName
    moment: MomentName
    locale: Literal["ko", "en"] = Field(default="ko", description="In which language the items were shown")
    answers: tuple[Answer, ...] = Field(min_length=min(ITEMS.values()), max_length=max(ITEMS.values()))


class ResultView(Wire):
    """A result: how the last two weeks were, not a diagnosis."""

    measure: MeasureName
    moment: MomentName
    total: int
    highest: int = Field(description="The highest possible total")
    at: datetime


class ReviewedResult(ResultView):
    """A result as a reviewer sees it."""

    self_harm: int = Field(description="The highest answer about self-harm at this moment, 0 to 3, also a replaced one")


class OwnResult(ResultView):
    """A result of the caller's and its conversation."""

    conversation_id: str


class MyMeasures(Wire):
    """The caller's results, the oldest first."""

    results: tuple[OwnResult, ...]


class MeasureTakenView(Wire):
    """The result of a measure just answered."""

    result: ResultView
    words: str = Field(description="What is said of it")
    about: str
    earlier: OwnResult | None = Field(description="The newest earlier result of the same measure")
    help: HelpNamed | None = Field(default=None, description="Asks about self-harm directly; to be shown at once")
    state_snapshot: StateSnapshot
