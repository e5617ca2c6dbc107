"""Gives access to all content; each file is read once, when it is first needed."""

from collections.abc import Mapping
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from shared.content.age_replies import AgeReplies, Under14Replies
from shared.content.conditions import Facts
from shared.content.crisis_answers import crisis_answers
from shared.content.crisis_protocol import CrisisReplies, load_protocol
from shared.content.demands import DemandFile, DemandWords
from shared.content.guard_endings import GuardEndings, SafeEndings
from shared.content.guard_rules import load_guard_rules
from shared.content.help_seeking import HelpSeekingFile, HelpSeekingWords
from shared.content.loader import load_yaml
from shared.content.plain_words import PlainWords
from shared.content.reason_plans import ReasonPlanFile
from shared.content.safety_plan import SafetyPlanWords
from shared.content.safety_rules import load_screening
from shared.content.schemas.agreement_messages import AgreementMessageFile, AgreementMessages
from shared.content.schemas.booking import BookingReplies
from shared.content.schemas.consents import ConsentFile
from shared.content.schemas.goals import GoalFile
from shared.content.schemas.instructions import InstructionFile
from shared.content.schemas.measures import MeasureFile
from shared.content.schemas.messages import MessageFile, Messages
from shared.content.schemas.modules import ModuleFile
from shared.content.schemas.plans import PlanFile
from shared.content.schemas.references import Hotline, HotlineFile, Rubric
from shared.content.schemas.safety_plan import SafetyPlanFile
from shared.content.schemas.state_words import StateWords, StateWordsFile
from shared.content.schemas.tasks import TaskFile
from shared.content.word_files import load_answers, load_words
from shared.domain.booking.calendar import Calendar
from shared.domain.counseling.module import Module
from shared.domain.counseling.persona import PersonaCatalogue
from shared.domain.counseling.review import SessionGoal
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Task
from shared.lexicon.agreement_questions import AgreementQuestionFile, AgreementQuestions
from shared.lexicon.booking.reader import BookingReader
from shared.lexicon.booking.words_file import BookingWordsFile
from shared.lexicon.lexicon import Lexicon
from shared.lexicon.lexicon_file import ExemplifiedPhrases, LexiconFile
from shared.lexicon.plain_answers import PlainAnswers
from shared.lexicon.service_claims import ClaimsFile, ServiceClaim
from shared.lexicon.session_words import SessionWords
from shared.lexicon.session_words_file import SessionWordsFile
from shared.locale import Locale, Register
from shared.safety.crisis_answers import CrisisAnswers
from shared.safety.instructions import InstructionPatterns
from shared.safety.output_guard.rules import GuardRules
from shared.safety.screening import Screening
from shared.safety.text_rules import TextRules

if TYPE_CHECKING:
    from shared.content.agreements import Agreements

M = TypeVar("M", bound=BaseModel)
DATA = Path(__file__).parent / "data"


def _file(name: str, model: type[M]) -> cached_property[M]:
    return cached_property(lambda _: load_yaml(DATA / name, model))


class Content:
    """All content, and the rules that read texts.

    A composition root passes it on. Files are read on first use, from any thread; a wrong one raises `ContentError`.
    """

    def modules(self, locale: Locale) -> tuple[Module, ...]:
        return self._modules[locale]

    def templates(self, session_type: str, locale: Locale, register: Register) -> tuple[Task, ...]:
        """Return the pending tasks of Part 1 and Part 3."""
        return self._templates[SessionType(session_type), locale, register]

    def more_talk(self, locale: Locale, register: Register) -> Task:
        """Return the pending task of Part 2 for a user who wants to go on."""
        return self._tasks.more_talk.at(locale, register)

    def goals(self, session_type: SessionType, locale: Locale) -> tuple[SessionGoal, ...]:
        """Return the goals that the session manager checks in a type of session."""
        return tuple(goal.at(locale) for goal in self._goals.of(session_type))

    def messages(self, locale: Locale, register: Register = Register.FORMAL) -> Messages:
        """Return the fixed sentences of CBot."""
        return Messages(self._messages, locale, register)

    def facts(self, locale: Locale) -> Mapping[str, tuple[str, ...]]:
        """Return what the Counselor answers from, by the effect of a condition that asks for it."""
        return {effect.value: lines.at(locale) for effect, lines in self._facts.root.items()}

    def state_words(self, locale: Locale) -> StateWords:
        """Return the wording of the user's state for the Counselor and the planner."""
        return StateWords(self._state_words, locale)

    consents = _file("consents.yaml", ConsentFile)
    """The consents that a user is asked for."""

    @cached_property
    def agreements(self) -> "Agreements":
        """The counselling agreement, the standard forms and the words of their search."""
        # Its patterns take some 40 ms to compile: a cold start does not wait for them.
        from shared.content.agreements import Agreements  # noqa: PLC0415

        return Agreements(DATA, self.consents.versions)

    @cached_property
    def agreement_questions(self) -> AgreementQuestions:
        """Reads questions on agreements; both languages at once."""
        return AgreementQuestions(load_yaml(DATA / "agreement_questions.yaml", AgreementQuestionFile))

    def claim_of(self, service: str) -> ServiceClaim:
        """Return what reads whether a message asks for a small service; an unknown one is a KeyError."""
        return ServiceClaim(self._claims[service])

    def agreement_messages(self, locale: Locale, register: Register) -> AgreementMessages:
        """Return the fixed sentences about agreements."""
        return AgreementMessages(self._agreement_messages, locale, register)

    measures = _file("measures.yaml", MeasureFile)
    """The self-report measures."""

    personas = _file("personas.json", PersonaCatalogue)
    """The sixteen types."""

    @cached_property
    def lexicon(self) -> Lexicon:
        """Recognises words without a model; both languages at once."""
        return Lexicon(load_words("lexicon.yaml", LexiconFile), self.answers)

    @cached_property
    def answers(self) -> PlainAnswers:
        """Plain answers: yes, no, none and not known."""
        return PlainAnswers(load_answers())

    @cached_property
    def session_words(self) -> SessionWords:
        """Recognises words about closing, going on and declining; both languages at once."""
        return SessionWords(load_words("session_words.yaml", SessionWordsFile), load_answers())

    @cached_property
    def screening(self) -> Screening:
        """Screens messages by the safety rules; both languages at once."""
        return load_screening()

    @cached_property
    def crisis_answers(self) -> CrisisAnswers:
        """Reads answers to the crisis protocol; both languages at once."""
        return crisis_answers(self.crisis_replies.written)

    @cached_property
    def crisis_replies(self) -> CrisisReplies:
        return CrisisReplies(load_protocol())

    @cached_property
    def help_seeking(self) -> HelpSeekingWords:
        """Guides a user in danger to people; both languages at once."""
        return HelpSeekingWords(load_words("help_seeking.yaml", HelpSeekingFile), self.crisis_replies.written)

    @cached_property
    def demands(self) -> DemandWords:
        """Answers what a user asks of the AI that it is not or cannot do; both languages at once."""
        return DemandWords(load_words("demands.yaml", DemandFile), self.crisis_replies.written)

    @cached_property
    def under_14_replies(self) -> Under14Replies:
        """Fixed replies to users under 14."""
        return Under14Replies(load_yaml(DATA / "age_replies.yaml", AgeReplies), self.crisis_replies)

    @cached_property
    def guard_rules(self) -> GuardRules:
        """Rules of the output guard; both languages at once."""
        english = (
            text for one in self.modules(Locale.EN) for text in (*one.guidelines, *one.examples[Register.FORMAL])
        )
        return load_guard_rules(self.crisis_replies.written, english)

    @cached_property
    def safe_endings(self) -> SafeEndings:
        """Endings for replies that the output guard cut."""
        return SafeEndings(self._guard_endings)

    @cached_property
    def instructions(self) -> InstructionPatterns:
        """Finds instructions to a model; both languages at once."""
        return load_yaml(DATA / "instructions.yaml", InstructionFile).compiled()

    @cached_property
    def text_rules(self) -> TextRules:
        """Rules for texts, most of them before they are stored."""
        return TextRules(self.screening, self.instructions, self._guard_endings.of_others)

    @cached_property
    def safety_plan(self) -> SafetyPlanWords:
        """The words of the safety plan; both languages at once."""
        written = load_words("safety_plan.yaml", SafetyPlanFile)
        return SafetyPlanWords(written, self.crisis_replies, self.text_rules)

    @cached_property
    def booking_reader(self) -> BookingReader:
        """Reads bookings; both languages at once."""
        return BookingReader(load_words("booking.yaml", BookingWordsFile), self.answers, self.session_words)

    booking_replies = _file("booking_replies.yaml", BookingReplies)
    """What CBot says about bookings."""

    booking_calendar = _file("booking_calendar.yaml", Calendar)
    """When sessions can be booked."""

    @cached_property
    def hotlines(self) -> tuple[Hotline, ...]:
        """Help lines, Korea's first."""
        return load_yaml(DATA / "hotlines.json", HotlineFile).root

    rubric = _file("supervisor_rubric.json", Rubric)
    """The supervisor's criteria."""

    plain_words = _file("plain_words.yaml", PlainWords)
    """Whole messages that answer a question which code worded."""

    part2_templates = _file("part2_templates.yaml", PlanFile)
    """Plans of Part 2 without a model."""

    part2_reasons = _file("part2_reasons.yaml", ReasonPlanFile)
    """Plans of Part 2 by the reason for coming, without a model."""

    @cached_property
    def _claims(self) -> dict[str, ExemplifiedPhrases]:
        return load_yaml(DATA / "claims.yaml", ClaimsFile).root

    @cached_property
    def _modules(self) -> dict[Locale, tuple[Module, ...]]:
        every = load_yaml(DATA / "modules.yaml", ModuleFile).modules
        return {locale: tuple(module.at(locale) for module in every) for locale in Locale}

    _guard_endings = _file("guard_endings.yaml", GuardEndings)
    _tasks = _file("tasks.yaml", TaskFile)

    @cached_property
    def _templates(self) -> dict[tuple[SessionType, Locale, Register], tuple[Task, ...]]:
        return {
            (kind, *voice): tuple(task.at(*voice) for task in self._tasks.of(kind))
            for kind in SessionType
            for voice in product(Locale, Register)
        }

    _facts = _file("facts.yaml", Facts)
    _goals = _file("goals.yaml", GoalFile)
    _messages = _file("messages.yaml", MessageFile)
    _agreement_messages = _file("agreement_messages.yaml", AgreementMessageFile)
    _state_words = _file("state_words.yaml", StateWordsFile)


@cache
def content() -> Content:
    """Return the content of this process, for composition roots."""
    return Content()
