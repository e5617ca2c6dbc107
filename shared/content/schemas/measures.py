"""`measures.yaml`: the measures in their validated wording, and the words around them."""

from typing import Self, assert_never

from pydantic import Field, model_validator

from shared.content.schemas.unique import unique
from shared.content.schemas.voice import Voiced, placeholders
from shared.domain.counseling.measures import ITEMS, MOST, Band, MeasureId, Scale
from shared.locale import Locale
from shared.model import Model

RESOURCES = "resources"


class MeasureItem(Model):
    id: str
    text: str


class MeasureWording(Model):
    """A measure in one language.

    Attributes:
        wording: The version whose wording this is.
        answers: From 0 upward.
    """

    name: str
    wording: str
    instruction: str
    items: tuple[MeasureItem, ...]
    answers: tuple[str, ...] = Field(min_length=MOST + 1, max_length=MOST + 1)


class MeasureBand(Band):
    """A range of totals and what is said about it."""

    words: Voiced


class MeasureText(Model):
    """One measure.

    Attributes:
        self_harm_item: The item that goes to the safety gate.
    """

    id: MeasureId
    source: str
    licence: str
    self_harm_item: str | None = None
    ko: MeasureWording
    en: MeasureWording
    bands: tuple[MeasureBand, ...]

    @model_validator(mode="after")
    def _is_the_same_in_both_languages(self) -> Self:
        ids = [item.id for item in self.ko.items]
        unique(ids, f"{self.id}: items")
        if len(ids) != ITEMS[self.id]:
            raise ValueError(f"{self.id}: there must be {ITEMS[self.id]} items")
        if {item.id for item in self.en.items} != {*ids} or len(self.en.items) != len(ids):
            raise ValueError(f"{self.id}: the languages have different items")
        if self.self_harm_item is not None and self.self_harm_item not in ids:
            raise ValueError(f"{self.id}: no item {self.self_harm_item!r}")
        return self

    @model_validator(mode="after")
    def _has_a_band_for_every_total(self) -> Self:
        ends = [band.highest for band in self.bands]
        if ends != sorted({*ends}) or ends[-1:] != [self.scale(Locale.KO).highest]:
            raise ValueError(f"{self.id}: the bands must rise to the highest total")
        unique((band.id for band in self.bands), f"{self.id}: bands")
        return self

    def at(self, locale: Locale) -> MeasureWording:
        match locale:
            case Locale.KO:
                return self.ko
            case Locale.EN:
                return self.en
            case _:
                assert_never(locale)

    def scale(self, locale: Locale) -> Scale:
        """Return how it is scored; the items are in the order of the language."""
        return Scale(
            measure=self.id,
            items=tuple(item.id for item in self.at(locale).items),
            bands=tuple(Band(id=band.id, highest=band.highest) for band in self.bands),
            self_harm_item=self.self_harm_item,
        )

    def words(self, band_id: str) -> Voiced:
        """Return what is said about a band."""
        return next(band.words for band in self.bands if band.id == band_id)


class SelfHarmReplies(Model):
    """Replies to an answer above 0 to the item about self-harm."""

    start_concern: Voiced
    end_concern: Voiced
    end_crisis: Voiced

    @model_validator(mode="after")
    def _names_sources_of_help(self) -> Self:
        for voiced in (self.start_concern, self.end_concern, self.end_crisis):
            for text in voiced.all:
                if placeholders(text) != {RESOURCES}:
                    raise ValueError(f"must have {{{RESOURCES}}} and no other placeholder: {text[:40]!r}")
        return self


class MeasureFile(Model):
    """All measures.

    Attributes:
        about: What a measure is and is not, and whom to ask.
    """

    about: Voiced
    measures: tuple[MeasureText, ...]
    self_harm: SelfHarmReplies

    @model_validator(mode="after")
    def _has_every_measure(self) -> Self:
        if [text.id for text in self.measures] != list(MeasureId):
            raise ValueError(f"the measures must be {[known.value for known in MeasureId]}, in this order")
        return self

    def measure(self, measure_id: MeasureId) -> MeasureText:
        return next(text for text in self.measures if text.id is measure_id)
