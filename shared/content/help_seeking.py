"""The fixed words that guide a user in danger to people, and what rules hear of their way there."""

from collections.abc import Sequence

from pydantic import Field

from shared.content.crisis_protocol import Voice
from shared.content.schemas.crisis import CrisisProtocol, PhraseList, TestedPhrases
from shared.content.schemas.voice import Voiced, VoicedVariants
from shared.content.wordings import Pick
from shared.model import Model
from shared.safety.help_seeking import AMBIGUOUS, Barrier, Circumstance, Inquiry, Step
from shared.safety.needs import Need
from shared.safety.phrases import Phrases
from shared.safety.protocol_questions import Topic
from shared.safety.reading import Reading
from shared.safety.screening import readings_of


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


LINES_SLOT = "{lines}"
ANY_HOUR = "24 hours"


class HelpSeekingWords:
    """The words of `help_seeking.yaml`, in every voice.

    Attributes:
        written: The file as written.
    """

    def __init__(self, written: HelpSeekingFile, protocol: CrisisProtocol) -> None:
        """Compile the patterns; they also use the fragments of `protocol`.

        Raises:
            KeyError: A pattern names an unknown fragment.
        """
        self.written = written
        fragments = protocol.fragments | written.fragments

        def phrases(one: PhraseList) -> Phrases:
            return Phrases(one.patterns, one.exclusions, fragments)

        self._circumstances = {
            Circumstance(name): phrases(getattr(written.circumstances, name))
            for name in CircumstancePhrases.model_fields
        }
        self._barriers = {one: phrases(getattr(written.barriers, one.value)) for one in Barrier}
        self._asks = {one: phrases(getattr(written.asks, one.value)) for one in Inquiry}
        self._told = {Topic(name): phrases(getattr(written.told, name)) for name in ToldPhrases.model_fields}
        self._lines = lines_at_any_hour(protocol)
        self._about_help = phrases(written.about_help)
        self._means_kept = phrases(written.means_kept)
        self._means_near = phrases(written.means_near)
        self._means_in_hand = phrases(written.means_in_hand)
        self._drunk = phrases(written.drunk)
        self._speaks_to = {
            Topic(name): phrases(getattr(written.speaks_to, name)) for name in SpokenToPhrases.model_fields
        }
        self._refuses_answer = phrases(written.refuses_answer)
        self._takes_up = phrases(written.takes_up)
        self._declines = phrases(written.declines)

    def circumstances(self, said: Sequence[Reading]) -> tuple[Circumstance, ...]:
        """Return what a message tells of the user's situation."""
        return tuple(one for one, words in self._circumstances.items() if words.heard(said))

    def told(self, said: Sequence[Reading]) -> tuple[Topic, ...]:
        """Return what a message tells that a question about danger would ask."""
        return tuple(one for one, words in self._told.items() if words.heard(said))

    def barriers(self, said: Sequence[Reading], *, asked: bool) -> tuple[Barrier, ...]:
        """Return what a message names as keeping the user from help.

        Args:
            said: The readings of the message.
            asked: Whether it answers the question about barriers; else one that may also be what the despair is about
                needs words about help beside it.
        """
        named = tuple(one for one, words in self._barriers.items() if words.heard(said))
        sure = asked or self._about_help.heard(said)
        return named if sure else tuple(one for one in named if one not in AMBIGUOUS)

    def means_kept(self, said: Sequence[Reading]) -> bool:
        """Return whether the user tells that the means is still there, also for another use."""
        return self._means_kept.heard(said)

    def means_near(self, said: Sequence[Reading]) -> bool:
        """Return whether the means is at hand, as an answer to that question alone."""
        return self._means_near.heard(said)

    def means_in_hand(self, said: Sequence[Reading]) -> bool:
        """Return whether the user tells, unasked, that the means is within reach now."""
        return self._means_in_hand.heard(said)

    def drunk(self, said: Sequence[Reading]) -> bool:
        """Return whether the user has drunk, or drinks now."""
        return self._drunk.heard(said)

    def speaks_to(self, topic: Topic, said: Sequence[Reading]) -> bool:
        """Return whether a message is about a question of the protocol, whatever it answers.

        Raises:
            KeyError: `topic` has no patterns.
        """
        return self._speaks_to[topic].heard(said)

    def refuses_answer(self, said: Sequence[Reading]) -> bool:
        """Return whether the user does not want to be asked."""
        return self._refuses_answer.heard(said)

    def takes_up(self, said: Sequence[Reading]) -> bool:
        """Return whether the user calls, tells or goes to somebody, or will."""
        return self._takes_up.heard(said)

    def declines(self, said: Sequence[Reading]) -> bool:
        """Return whether the user refuses help."""
        return self._declines.heard(said)

    def asked_in(self, reply: str) -> tuple[Inquiry, ...]:
        said = readings_of(reply)
        return tuple(one for one, words in self._asks.items() if words.heard(said))

    def questions(self, about: Inquiry, voice: Voice) -> tuple[str, ...]:
        wordings: VoicedVariants = getattr(self.written.questions, about.value)
        return wordings.at(voice.locale, voice.register_)

    def step(self, step: Step, voice: Voice, pick: Pick) -> str:
        return pick(self._shown(getattr(self.written.steps, step.value), voice))

    def checks_all_the_same(self, voice: Voice, pick: Pick) -> str:
        """Return what leads to a question about danger after the user has said that they are safe."""
        return pick(_at(self.written.checks_all_the_same, voice))

    def reach_again(self, voice: Voice) -> str:
        """Return where help is, for the farewell after a danger that is over."""
        return self.written.reach_again.at(voice.locale, voice.register_).replace(LINES_SLOT, self._lines)

    def steadying(self, voice: Voice, pick: Pick) -> str:
        """Return what helps against an urge for some minutes."""
        return pick(_at(self.written.steadying, voice))

    def every_wording(self, voice: Voice) -> tuple[str, ...]:
        """Return the wordings of what guides the user to people, as they are shown."""
        steps = (getattr(self.written.steps, name) for name in StepTexts.model_fields)
        voiced = (*steps, self.written.checks_all_the_same, self.written.steadying)
        return tuple(text for one in voiced for text in self._shown(one, voice))

    def _shown(self, wordings: VoicedVariants, voice: Voice) -> tuple[str, ...]:
        return tuple(text.replace(LINES_SLOT, self._lines) for text in _at(wordings, voice))

    def answer(self, barrier: Barrier, voice: Voice) -> str:
        """Return what makes a barrier easier."""
        said: str = getattr(self.written.barriers, barrier.value).answer.at(voice.locale, voice.register_)
        return said.replace(LINES_SLOT, self._lines)


def lines_at_any_hour(protocol: CrisisProtocol) -> str:
    """Return each country's first counselling line for a danger to one's own life that answers day and night."""
    talking = (line for line in protocol.resources.en if Need.LIFE in line.needs and line.hours == ANY_HOUR)
    by_country: dict[str, str] = {}
    for line in talking:
        by_country.setdefault(line.country, line.number)
    return ", ".join(f"{number} ({country})" for country, number in by_country.items())


def _at(wordings: VoicedVariants, voice: Voice) -> tuple[str, ...]:
    return wordings.at(voice.locale, voice.register_)
