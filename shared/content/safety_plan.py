"""The words of the safety plan: its task, what rules say about it, and what users say about it."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from shared.content.crisis_protocol import CrisisReplies, Voice
from shared.content.schemas.safety_plan import PlanQuestion, SafetyPlanFile
from shared.content.schemas.voice import Voiced
from shared.domain.counseling.safety_plan import LONGEST_STEP, PlanStep, ordered
from shared.domain.counseling.task import Task
from shared.lexicon.lexicon_file import ExemplifiedPhrases
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import needs_of
from shared.safety.text_rules import TextRules

_POLITE = re.compile(r"(?:(?<=[가-힣])(?<!거)(?:이에요|예요)|(?:(?<=한테)|(?<=에서)|(?<= 때))요)(?=\s*(?:[.,!~…]|$))")
"""Behind a noun or a particle alone: "친구요" might as well be the end of a verb, and stays."""
_DOUBLED = re.compile(r"[.,!~…]+\s*(?=,)")


def listed(words: str) -> str:
    """Return a step's words as one line of a list has them."""
    return _DOUBLED.sub("", _POLITE.sub("", words)).strip(" .,!~…")


_CLAUSE = re.compile(
    r"[.!?,;~…\n]+|[ㅠㅜ]+|근데|그런데|하지만|지만|은데|으니까|(?<=[요서]) |(?<=니다) |(?<=싶[다어음네]) (?![질지])"
    r"|(?<=[싶들나르]고) (?!.*때(?:요|이요|예요)?$)|\b(?:but|so|because)\b"
)
"""What a condition does not reach over: a wish told before it stands by itself."""
_BETWEEN = re.compile(r"[,.;/\n]+")
_NO_ANSWER = 30
"""Maximum characters of a message that gives no step; a longer one has content."""
_PLAIN = 60
"""Maximum characters of a question about the plan, or of a plain answer; a longer message tells something."""
_OPENED = {
    CrisisOutcome.CRISIS: (PlanStep.ALONE, PlanStep.COMPANY, PlanStep.HELPERS, PlanStep.PROFESSIONALS),
    CrisisOutcome.IMMINENT: (PlanStep.HELPERS, PlanStep.PROFESSIONALS),
}
"""The steps that a crisis reply shows. If a life is in danger now, people only; never `SURROUNDINGS`, which may name
means, nor `SIGNS`, which help before a crisis."""


def _phrases(name: str) -> cached_property[re.Pattern[str]]:
    return cached_property(lambda self: self._compiled(getattr(self.written, name)))


class SafetyPlanWords:
    """The words, in every voice."""

    def __init__(self, written: SafetyPlanFile, crisis: CrisisReplies, rules: TextRules) -> None:
        self.written = written
        self._crisis = crisis
        self._rules = rules

    def task(self, locale: Locale, register: Register) -> Task:
        """Return the task that makes a plan, pending."""
        return self.written.tasks[0].at(locale, register)

    def text(self, entry: Voiced, voice: Voice) -> str:
        return entry.at(voice.locale, voice.register_)

    def known(self, words: str, question: str, voice: Voice) -> str:
        """Return the question for a step that is known already."""
        return f"{self.text(self.written.known, voice).format(words=words)} {question}"

    def shown(self, steps: Mapping[PlanStep, str], voice: Voice) -> str:
        """Return the whole plan with the question whether to keep it."""
        return self.text(self.written.shown, voice).format(plan=self._lines(steps, voice, help_lines=True))

    def offer(self, voice: Voice, *, returning: bool, again: bool) -> str:
        """Return the offer; the second one in other words, the first to a user with earlier sessions, too."""
        first = self.written.offer_to_returning if returning else self.written.offer
        return self.text(self.written.offer_again if again else first, voice)

    def read_out(self, steps: Mapping[PlanStep, str], voice: Voice) -> str:
        """Return the whole kept plan for a user who asks to see it and is not in danger."""
        return self.text(self.written.read_out, voice).format(plan=self._lines(steps, voice, help_lines=True))

    def opened(self, steps: Mapping[PlanStep, str], outcome: CrisisOutcome, voice: Voice, *, kept: bool = True) -> str:
        """Return what a crisis reply shows of the plan: the user's words, without means; empty if nothing is to show.

        The reply itself has the help lines. If the family may hurt the user, or the user may hurt them, no relative is
        shown.
        """
        no_family = voice.without_family
        told = {
            step: words
            for step in _OPENED.get(outcome, ())
            if (words := self._without_means(steps.get(step, "")))
            if not (no_family and self.names_relative(words))
        }
        plan = self._lines(told, voice, help_lines=False)
        opening = self.written.opened if kept else self.written.opened_here
        return self.text(opening, voice).format(plan=plan) if plan else ""

    def storable(self, text: str, step: PlanStep) -> str | None:
        """Return a step's words as they may be stored; None if they tell of a danger or instruct a model.

        A warning sign may say when the thought of dying comes: that is what the step is for.
        """
        words = " ".join(text.split())[:LONGEST_STEP].strip()
        alarming = self._rules.alarming(words) and not (step is PlanStep.SIGNS and self.names_sign(words))
        if not words or alarming or self._rules.instructive(words):
            return None
        return words

    def names_sign(self, text: str) -> bool:
        """Return whether all danger in a text stands in a condition: "죽고 싶어질 때요" says when, no present wish."""
        if self._present.search(text):
            return False
        rest = " ".join(self._conditions.sub(" ", clause) for clause in _CLAUSE.split(text))
        return self._rules.alarming(text) and not self._rules.alarming(rest)

    def names_means(self, text: str) -> bool:
        """Return whether a text names what may be a means of suicide or a place of it."""
        return bool(self._means.search(text))

    def names_relative(self, text: str) -> bool:
        """Return whether a text names a relative, a partner or the home."""
        return bool(self._family.search(text))

    def wants(self, text: str) -> bool:
        """Return whether the user asks for a plan, or to change it."""
        return bool(self._wants.search(text))

    def asks_to_see(self, text: str) -> bool:
        """Return whether the user asks to see the plan."""
        return bool(self._shows.search(text))

    def asks_to_erase(self, text: str) -> bool:
        """Return whether the user asks to delete the kept plan."""
        return bool(self._erases.search(text))

    def question(self, text: str) -> PlanQuestion | None:
        """Return the question about the plan that a message asks, with or without a question mark."""
        if len(text) > _PLAIN:
            return None
        return next((asked for asked, phrases in self._questions if phrases.search(text.strip())), None)

    def accepts(self, text: str) -> bool:
        """Return whether a message says yes to the offer in words that no list of plain answers has."""
        return _is_whole(self._accepts, text)

    def refuses(self, text: str) -> bool:
        """Return whether a message says plainly no to the offer, and not only later."""
        return _is_whole(self._refuses, text) and not self.puts_off(text)

    def puts_off(self, text: str) -> bool:
        """Return whether an answer to the offer leaves it for later."""
        return bool(self._later.search(text))

    def keeps(self, text: str) -> bool:
        """Return whether a message says yes to keeping the plan in words that no list of plain answers has."""
        return _is_whole(self._keeps, text)

    def keeps_after_all(self, text: str) -> bool:
        """Return whether a message asks to keep the plan, without being asked."""
        return _is_whole(self._keeps_after_all, text)

    def stops(self, text: str) -> bool:
        """Return whether the user does not want to go on with the plan."""
        return _is_whole(self._stops, text)

    def gives_nothing(self, text: str) -> bool:
        """Return whether an answer gives no step, or leaves it as it is."""
        return len(text) <= _NO_ANSWER and bool(self._no_answer.search(text))

    def _lines(self, steps: Mapping[PlanStep, str], voice: Voice, *, help_lines: bool) -> str:
        line = self.text(self.written.line, voice)
        told = ordered({step: listed(words) for step, words in steps.items()})
        if help_lines:
            own = (told.get(PlanStep.PROFESSIONALS, ""), *self._help(voice))
            told = ordered({**told, PlanStep.PROFESSIONALS: ", ".join(filter(None, own))})
        return "\n".join(line.format(label=self._labels(voice)[step], words=words) for step, words in told.items())

    def _help(self, voice: Voice) -> Iterable[str]:
        line = self.text(self.written.help_line, voice)
        lines = self._crisis.resources(voice.locale, needs_of(CrisisOutcome.CRISIS), minor=voice.minor)
        return (line.format(name=one.name, number=one.number, hours=one.hours) for one in lines)

    def _labels(self, voice: Voice) -> dict[PlanStep, str]:
        slots = self.task(voice.locale, voice.register_).optional_slots
        return {step: slot.label for step, slot in zip(PlanStep, slots, strict=True)}

    def _without_means(self, words: str) -> str:
        """Return a step without the pieces that name what may be a means or a place of it."""
        pieces = (piece.strip() for piece in _BETWEEN.split(words))
        return ", ".join(piece for piece in pieces if piece and not self.names_means(piece))

    _wants = _phrases("wants")
    _shows = _phrases("shows")
    _erases = _phrases("erases")
    _keeps = _phrases("keeps")
    _keeps_after_all = _phrases("keeps_after_all")
    _accepts = _phrases("accepts")
    _later = _phrases("later")
    _refuses = _phrases("refuses")
    _stops = _phrases("stops")
    _no_answer = _phrases("no_answer")
    _conditions = _phrases("conditions")
    _present = _phrases("present")
    _means = _phrases("means")
    _family = _phrases("family")

    @cached_property
    def _questions(self) -> tuple[tuple[PlanQuestion, re.Pattern[str]], ...]:
        return tuple((one, self._compiled(one.asked)) for one in self.written.questions)

    def _compiled(self, phrases: ExemplifiedPhrases) -> re.Pattern[str]:
        return re.compile(self.written.join(phrases), re.IGNORECASE)


def _is_whole(pattern: re.Pattern[str], text: str) -> bool:
    bare = _bare(text)
    return len(bare) <= _PLAIN and pattern.fullmatch(bare) is not None


def _bare(text: str) -> str:
    return " ".join(text.split()).replace("\u2019", "'").rstrip(".!~ ")
