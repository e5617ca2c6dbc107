"""`help_seeking.yaml`: how a user in danger is guided to people."""

from pydantic import Field

from shared.content.schemas.crisis import TestedPhrases
from shared.content.schemas.voice import Voiced, VoicedVariants
from shared.model import Model


class CircumstancePhrases(Model):
    """What the user tells of their situation; the rules of violence find a home that is not safe."""

    in_care: TestedPhrases
    discharged: TestedPhrases
    no_one: TestedPhrases
    contact: TestedPhrases
    alone: TestedPhrases
    with_family: TestedPhrases
    lives_with_family: TestedPhrases
    lives_alone: TestedPhrases
    abroad: TestedPhrases
    student: TestedPhrases
    at_school: TestedPhrases
    soldier: TestedPhrases
    in_residence: TestedPhrases
    fears_home: TestedPhrases
    night: TestedPhrases
    urge: TestedPhrases


class ToldPhrases(Model):
    """What a question about danger would ask, told unasked."""

    plan: TestedPhrases
    means: TestedPhrases
    place: TestedPhrases


class StepTexts(Model):
    """The next step, by what is known."""

    abroad: VoicedVariants
    discharged: VoicedVariants
    no_one: VoicedVariants
    contact: VoicedVariants
    in_care: VoicedVariants
    in_care_closed: VoicedVariants
    in_care_at_night: VoicedVariants
    with_family: VoicedVariants
    alone: VoicedVariants
    lives_with_family: VoicedVariants
    lives_alone: VoicedVariants
    unsafe_home: VoicedVariants
    soldier: VoicedVariants
    in_residence: VoicedVariants
    student: VoicedVariants
    student_closed: VoicedVariants
    minor: VoicedVariants
    minor_alone: VoicedVariants
    when_closed: VoicedVariants
    at_night: VoicedVariants


class QuestionTexts(Model):
    """The questions that code asks in a follow-through."""

    plan: VoicedVariants
    means: VoicedVariants
    barrier: VoicedVariants
    safe: VoicedVariants
    put_away: VoicedVariants


class QuestionPhrases(Model):
    """What a reply asks already."""

    plan: TestedPhrases
    means: TestedPhrases
    barrier: TestedPhrases
    safe: TestedPhrases
    put_away: TestedPhrases


class SpokenToPhrases(Model):
    """What a message about a question of the protocol has in it."""

    intent: TestedPhrases
    plan: TestedPhrases
    means: TestedPhrases
    company: TestedPhrases
    acted: TestedPhrases


class AnsweredPhrases(TestedPhrases):
    """What a user says, and the fixed answer to it."""

    answer: Voiced


class BarrierEntries(Model):
    """What keeps users from help."""

    money: AnsweredPhrases
    record: AnsweredPhrases
    parents: AnsweredPhrases
    phone: AnsweredPhrases
    unanswered: AnsweredPhrases
    forced: AnsweredPhrases
    no_use: AnsweredPhrases
    no_change: AnsweredPhrases
    shame: AnsweredPhrases


class HelpSeekingFile(Model):
    """The file.

    Attributes:
        told: Patterns of what the user need not be asked.
        steps: The next steps; `{lines}` stands for the lines that answer at any hour.
        steadying: What helps against an urge for some minutes.
        checks_all_the_same: Leads to such a question after the user has said that they are safe.
        reach_again: In the farewell after a danger that is over; `{lines}` as in `steps`.
        asks: Patterns of a reply that asks such a question.
        means_kept: The means is still there, also for another use.
        means_near: A yes to the question about means, asked alone.
        means_in_hand: The means is within reach now, told unasked.
        drunk: The user has drunk, or drinks now.
        speaks_to: Patterns of a message that is about such a question, whatever it answers.
        refuses_answer: The user does not want to be asked.
        takes_up: The user takes up help.
        declines: The user refuses help.
        about_help: Words about getting help, next to which an ambiguous barrier is one.
        fragments: Fragments of the patterns, besides those of the protocol.
    """

    circumstances: CircumstancePhrases
    told: ToldPhrases
    steps: StepTexts
    steadying: VoicedVariants
    questions: QuestionTexts
    checks_all_the_same: VoicedVariants
    reach_again: Voiced
    asks: QuestionPhrases
    means_kept: TestedPhrases
    means_near: TestedPhrases
    means_in_hand: TestedPhrases
    drunk: TestedPhrases
    speaks_to: SpokenToPhrases
    refuses_answer: TestedPhrases
    takes_up: TestedPhrases
    declines: TestedPhrases
    about_help: TestedPhrases
    barriers: BarrierEntries
    fragments: dict[str, str] = Field(min_length=1)
