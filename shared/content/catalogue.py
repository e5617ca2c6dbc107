"""The way in to all content: each file is read when it is first asked for, and once."""

from functools import cache
from pathlib import Path

from shared.content.lexicon import Lexicon
from shared.content.loader import load_yaml
from shared.content.safety_rules import screening
from shared.content.schemas.consents import ConsentFile
from shared.content.schemas.goals import GoalFile
from shared.content.schemas.lexicon import LexiconFile
from shared.content.schemas.messages import MessageFile, Messages
from shared.content.schemas.modules import ModuleFile
from shared.content.schemas.plans import PlanFile
from shared.content.schemas.references import Hotline, HotlineFile, Rubric
from shared.content.schemas.session_words import SessionWordsFile
from shared.content.schemas.state_words import StateWords, StateWordsFile
from shared.content.schemas.tasks import MoreFile, TaskFile
from shared.content.session_words import SessionWords
from shared.domain.counseling.module import Module
from shared.domain.counseling.persona import PersonaCatalogue
from shared.domain.counseling.review import SessionGoal
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Task
from shared.domain.errors import ContentError
from shared.locale import Locale, Register
from shared.safety.screening import Screening

DATA = Path(__file__).parent / "data"


class Content:
    """Everything CBot says and knows. Reading is lazy, and safe when two threads ask at once: they read the same."""

    def modules(self, locale: Locale) -> tuple[Module, ...]:
        """Return the fifteen techniques."""
        return _modules(locale)

    def templates(self, session_type: str, locale: Locale, register: Register) -> tuple[Task, ...]:
        """Return the pending tasks of Part 1 and Part 3 (`ContentError` for an unknown session type)."""
        return _templates(session_type, locale, register)

    def more_talk(self, locale: Locale, register: Register) -> Task:
        """Return the pending task of Part 2 for who wants to go on."""
        return _more_file().tasks[0].at(locale, register)

    def goals(self, session_type: SessionType, locale: Locale) -> tuple[SessionGoal, ...]:
        """Return what the session manager looks for in a type of session."""
        return tuple(goal.at(locale) for goal in _goal_file().of(session_type))

    def messages(self, locale: Locale, register: Register = Register.FORMAL) -> Messages:
        """Return the sentences that CBot itself says."""
        return Messages(_message_file(), locale, register)

    @property
    def consents(self) -> ConsentFile:
        """What a person agrees to before the first word."""
        return _consents()

    @property
    def personas(self) -> PersonaCatalogue:
        """The sixteen types."""
        return _personas()

    @property
    def lexicon(self) -> Lexicon:
        """The words that code recognises; both languages at once."""
        return _lexicon()

    @property
    def session_words(self) -> SessionWords:
        """The words at the turning points of a session; both languages at once."""
        return _session_words()

    def state_words(self, locale: Locale) -> StateWords:
        """Return how the user's state is told to the Counselor and to the planner."""
        return StateWords(_state_words(), locale)

    @property
    def screening(self) -> Screening:
        """Reads messages with the safety rules; both languages at once."""
        return screening()

    @property
    def hotlines(self) -> tuple[Hotline, ...]:
        """Places to turn to, Korea's first."""
        return _hotlines()

    @property
    def rubric(self) -> Rubric:
        """The supervisor's criteria."""
        return _rubric()

    @property
    def part2_templates(self) -> PlanFile:
        """Plans for when no model can be reached."""
        return _plans()


@cache
def content() -> Content:
    """Return the catalogue."""
    return Content()


@cache
def _modules(locale: Locale) -> tuple[Module, ...]:
    return tuple(module.at(locale) for module in _module_file().modules)


@cache
def _templates(session_type: str, locale: Locale, register: Register) -> tuple[Task, ...]:
    return tuple(task.at(locale, register) for task in _task_file(session_type).tasks)


@cache
def _module_file() -> ModuleFile:
    return load_yaml(DATA / "modules.yaml", ModuleFile)


@cache
def _task_file(session_type: str) -> TaskFile:
    path = DATA / f"tasks_{session_type}.yaml"
    # A session type comes from a closed list at the edge; still, no path is built from anything but a plain word.
    if not session_type.isidentifier() or not path.is_file():
        raise ContentError(path.name, None, f"no tasks for session type {session_type!r}")
    return load_yaml(path, TaskFile)


@cache
def _more_file() -> MoreFile:
    return load_yaml(DATA / "tasks_more.yaml", MoreFile)


@cache
def _goal_file() -> GoalFile:
    return load_yaml(DATA / "goals.yaml", GoalFile)


@cache
def _message_file() -> MessageFile:
    return load_yaml(DATA / "messages.yaml", MessageFile)


@cache
def _lexicon() -> Lexicon:
    return Lexicon(load_yaml(DATA / "lexicon.yaml", LexiconFile))


@cache
def _session_words() -> SessionWords:
    return SessionWords(load_yaml(DATA / "session_words.yaml", SessionWordsFile))


@cache
def _consents() -> ConsentFile:
    return load_yaml(DATA / "consents.yaml", ConsentFile)


@cache
def _personas() -> PersonaCatalogue:
    return load_yaml(DATA / "personas.json", PersonaCatalogue)


@cache
def _state_words() -> StateWordsFile:
    return load_yaml(DATA / "state_words.yaml", StateWordsFile)


@cache
def _hotlines() -> tuple[Hotline, ...]:
    return load_yaml(DATA / "hotlines.json", HotlineFile).root


@cache
def _rubric() -> Rubric:
    return load_yaml(DATA / "supervisor_rubric.json", Rubric)


@cache
def _plans() -> PlanFile:
    return load_yaml(DATA / "part2_templates.yaml", PlanFile)
