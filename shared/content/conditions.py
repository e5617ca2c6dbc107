"""What may hold of a client's message: the conditions that the reader is asked about (`data/conditions.yaml`)."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import Field, RootModel, model_validator

from shared.content.loader import load_yaml
from shared.locale import Locale
from shared.model import Model

MOST = 45
"""Conditions in all: more than a person can keep in mind, a model hears badly."""


class State(StrEnum):
    """States of a session in which a condition is asked about; the file's header explains each."""

    ALWAYS = "always"
    TASK = "task"
    SLOTS = "slots"
    KNOWN = "known"
    ASKED = "asked"
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
    """What code does where a condition holds."""

    COVER_TASK = "cover_task"
    """The task has a sign of this turn; with enough of them it is sufficient."""
    FILL_SLOT = "fill_slot"
    REPLACE_SLOT = "replace_slot"
    DECLINE = "decline"
    """The asked slot counts as given and is never asked again."""
    OFFER_CHOICE = "offer_choice"
    """Nothing is asked; the reply offers a choice or gives back what was heard."""
    ANSWER_FIRST = "answer_first"
    """The reply answers before anything else, from the facts."""
    GIVE_STEP = "give_step"
    """In Part 1 one small step, or when there will be one; later the module's way."""
    APOLOGISE = "apologise"
    """The reply takes back its misreading, briefly, and receives what was meant."""
    REST_QUESTIONS = "rest_questions"
    """Three turns without a question."""
    MEET_RESISTANCE = "meet_resistance"
    """The module for resistance, if it persists."""
    STOP_ASKING = "stop_asking"
    """The module for resistance, and nothing is asked."""
    FOLLOW_TOPIC = "follow_topic"
    """The task is parked, and the talk follows."""
    NAME_CIRCLE = "name_circle"
    """A module for patterns, and feedback to the planner; the message is no evidence for a task."""
    RECEIVE_GOOD = "receive_good"
    SAY_AI = "say_ai"
    """The notice that an AI speaks, in fixed words."""
    SAY_LIMITS = "say_limits"
    """What cannot be given, and what can be done instead."""
    BACK_TO_PERSON = "back_to_person"
    ASK_END = "ask_end"
    """Code asks once whether to end."""
    PROPOSE_END = "propose_end"
    """The end may be proposed."""
    TAKE_AS_YES = "take_as_yes"
    """What was asked happens."""
    TAKE_AS_NO = "take_as_no"
    """What was asked does not happen, and the talk goes back to where it was."""
    BELIEVE = "believe"
    """A plain denial (safety.md 6)."""
    COUNT_SAFE = "count_safe"
    """One of the two plain words of safety that end the follow-through."""
    RECEIVE_STEP = "receive_step"
    """Kept as a step taken, and received."""
    OTHER_WAY = "other_way"
    """Calls are not asked for again; another way is offered."""
    KEEP_PLAN_ANSWER = "keep_plan_answer"
    """How and when are answered, and not asked again."""
    BE_DISCREET = "be_discreet"
    """Short replies, help by text."""
    OFFER_GRIEF = "offer_grief"
    """The module for grief is offered."""
    CARE_EATING = "care_eating"
    """The line for it, and care with food and weight."""
    ASK_AGE = "ask_age"
    """The age is asked once; then the rules for minors hold."""
    ANSWER_AGREEMENT = "answer_agreement"
    """The agreement service answers from the counselling agreement."""
    ANSWER_DOCUMENT = "answer_document"
    """The agreement service answers from the open document."""
    BOOK = "book"
    """The booking service takes the message."""
    HAND_OVER = "hand_over"
    """What the operator offers of people, and the lines."""
    HEAR_FIRST = "hear_first"
    """The counselling answers; the other service waits."""


class Each(StrEnum):
    """A condition that stands for one of each: `told` is answered as `told:name`, `told:reason` and so on."""

    SLOTS = "slots"
    KNOWN = "known"


class Condition(Model):
    """One condition.

    Attributes:
        when: States in any of which it is asked about.
        ko, en: The sentence that is true or false of a message.
        each: It is asked about for every wanted or every known slot.
        yes, no: Messages that meet it and that nearly do, for the evaluation: "counsellor | client", or the client's.
    """

    when: tuple[State, ...] = Field(min_length=1)
    effect: Effect
    ko: str = Field(min_length=5, max_length=160)
    en: str = Field(min_length=5, max_length=200)
    each: Each | None = None
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()

    def sentence(self, locale: Locale) -> str:
        return self.ko if locale is Locale.KO else self.en


class Conditions(RootModel[Mapping[str, Condition]]):
    """All conditions by id, in the order of the file."""

    @model_validator(mode="after")
    def _are_few_and_named(self) -> "Conditions":
        if len(self.root) > MOST:
            raise ValueError(f"{len(self.root)} conditions; at most {MOST}")
        for name in self.root:
            if not name.isidentifier() or name != name.lower():
                raise ValueError(f"{name!r} is no snake_case id")
        return self

    def shown(self, states: Collection[State]) -> dict[str, Condition]:
        """Return the conditions of which a state holds."""
        return {name: one for name, one in self.root.items() if not set(one.when).isdisjoint(states)}


@cache
def load_conditions() -> Conditions:
    """Load the conditions once (`ContentError` for a wrong file)."""
    return load_yaml(Path(__file__).parent / "data/conditions.yaml", Conditions)
