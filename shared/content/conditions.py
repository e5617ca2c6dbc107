"""What may hold of a client's message: the conditions that the reader is asked about (`data/conditions.yaml`)."""

import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, RootModel, model_validator

from shared.content.loader import load_yaml
from shared.content.schemas.voice import LocalizedLines
from shared.locale import Locale
from shared.model import Model

MOST, EXAMPLES = 45, 2
"""Conditions in all, since more than a person keeps in mind a model hears badly; messages of each kind of example."""


class State(StrEnum):
    """States of a session in which a condition is asked about; the file's header explains each."""

    ALWAYS = "always"
    TASK = "task"
    SLOTS = "slots"
    KNOWN = "known"
    ASKED_CONSENT = "asked_consent"
    ASKED_PLAN = "asked_plan"
    RISK = "risk"
    FEARED = "feared"
    END_NEAR = "end_near"
    ADULT = "adult"
    DOCUMENT = "document"
    BOOKING = "booking"
    SERVICE = "service"


class Effect(StrEnum):
    """What code does where a condition holds; the file explains each."""

    COVER_TASK = "cover_task"
    FILL_SLOT = "fill_slot"
    REPLACE_SLOT = "replace_slot"
    DECLINE = "decline"
    OFFER_CHOICE = "offer_choice"
    ANSWER_FIRST = "answer_first"
    GIVE_STEP = "give_step"
    APOLOGISE = "apologise"
    REST_QUESTIONS = "rest_questions"
    MEET_RESISTANCE = "meet_resistance"
    STOP_ASKING = "stop_asking"
    FOLLOW_TOPIC = "follow_topic"
    NAME_CIRCLE = "name_circle"
    RECEIVE_GOOD = "receive_good"
    SAY_AI = "say_ai"
    SAY_LIMITS = "say_limits"
    BACK_TO_PERSON = "back_to_person"
    ASK_END = "ask_end"
    PROPOSE_END = "propose_end"
    TAKE_AS_YES = "take_as_yes"
    TAKE_AS_NO = "take_as_no"
    BELIEVE = "believe"
    COUNT_SAFE = "count_safe"
    RECEIVE_STEP = "receive_step"
    OTHER_WAY = "other_way"
    KEEP_PLAN_ANSWER = "keep_plan_answer"
    BE_DISCREET = "be_discreet"
    OFFER_GRIEF = "offer_grief"
    CARE_EATING = "care_eating"
    ASK_AGE = "ask_age"
    ANSWER_AGREEMENT = "answer_agreement"
    ANSWER_DOCUMENT = "answer_document"
    BOOK = "book"
    HAND_OVER = "hand_over"
    HEAR_FIRST = "hear_first"


class Each(StrEnum):
    """A condition that stands for one of each: `told` is answered as `told:name`, `told:reason` and so on."""

    SLOTS = "slots"
    KNOWN = "known"


def _snake_case(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError("an id has small letters, digits and _ only, and begins with a letter")
    return name


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Condition(Model):
    """One condition.

    Attributes:
        when: States in any of which it is asked about.
        ko, en: The sentence that is true or false of a message.
        each: It is asked about for every wanted or every known slot.
        yes, no: Messages that meet it and that nearly do, for the evaluation: "counsellor | client", or the client's.
    """

    when: Annotated[tuple[State, ...], BeforeValidator(_listed), Field(min_length=1)]
    effect: Effect
    ko: str = Field(min_length=5, max_length=160)
    en: str = Field(min_length=5, max_length=200)
    each: Each | None = None
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_examples(self) -> "Condition":
        told_alone = self.effect not in (Effect.COVER_TASK, Effect.NAME_CIRCLE)
        if told_alone and (len(self.yes), len(self.no)) != (EXAMPLES, EXAMPLES):
            raise ValueError(f"write {EXAMPLES} messages under yes and {EXAMPLES} under no")
        return self

    def sentence(self, locale: Locale) -> str:
        return self.ko if locale is Locale.KO else self.en


class Conditions(Model):
    """All conditions by id, in the order of the file, and what each effect means."""

    effects: Mapping[Effect, str]
    conditions: Mapping[Annotated[str, AfterValidator(_snake_case)], Condition] = Field(max_length=MOST)

    @model_validator(mode="after")
    def _explains_the_effects(self) -> "Conditions":
        if missing := set(Effect) - set(self.effects):
            raise ValueError(f"effects without a word: {sorted(missing)}")
        return self

    def shown(self, states: Collection[State]) -> dict[str, Condition]:
        """Return the conditions of which a state holds."""
        return {name: one for name, one in self.conditions.items() if not set(one.when).isdisjoint(states)}


class Facts(RootModel[dict[Effect, LocalizedLines]]):
    """What the Counselor answers from, by the effect that asks for it (`data/facts.yaml`)."""


@cache
def load_conditions() -> Conditions:
    """Load the conditions once (`ContentError` for a wrong file)."""
    return load_yaml(Path(__file__).parent / "data/conditions.yaml", Conditions)
