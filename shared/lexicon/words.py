"""What a text says, by the word lists and without a model."""

import re
from enum import StrEnum
from functools import cached_property

from shared.domain.counseling.user_state import Resistance
from shared.lexicon.clause_text import bare, clauses_of, one_of, word_starts
from shared.lexicon.emotion_words import NEUTRAL, Feeling
from shared.lexicon.patterns import Patterns

_MARKED = re.compile(r"([^.!?,;~…。、\n]+)([.!?,;~…。、\n]*)")
_SPELT_OUT = re.compile(r"(?<!\S)(?:[가-힣] ){3,}[가-힣](?![^\s.!?~])")
_TEARS = re.compile("[ㅠㅜ]|\\bT_T\\b|[\U0001f622\U0001f62d]")
"""A yes in tears may mean the opposite."""
_TRAILING_OFF = re.compile(r"(?:\.\.|…)\s*$")


class Answer(StrEnum):
    """What a reply to a yes-or-no proposal means."""

    CONFIRM = "confirm"
    CANCEL = "cancel"
    UNCLEAR = "unclear"
    """Neither, or half of each; no agreement."""


class Words:
    """A text, normalised once; what is asked of it often is kept.

    Attributes:
        said: The text in one spelling, without noise.
    """

    def __init__(self, text: str, patterns: Patterns) -> None:
        self.said = patterns.normalise(text)
        self._text = text
        self._patterns = patterns

    @cached_property
    def answer(self) -> Answer:
        """A reply to "shall we stop here?": a wish to go on outweighs a yes (`네, 근데 더 얘기하고 싶어요`)."""
        without_no_more, nothing_left = self._patterns.no_more().subn(" ", self.said)
        if self._patterns.phrases("cancel").search(without_no_more):
            return Answer.CANCEL
        if self._has("agreeing_question"):
            return Answer.CONFIRM
        if self.hesitates:
            return Answer.UNCLEAR
        if self.asks_to_end:
            return Answer.CONFIRM
        plain = self._plain_answer()
        if nothing_left and self._tells_nothing(without_no_more):
            plain = Answer.CONFIRM
        in_tears = plain is Answer.CONFIRM and _TEARS.search(self._text)
        return Answer.UNCLEAR if in_tears else plain

    @cached_property
    def hesitates(self) -> bool:
        """Whether a reply asks back or is at most half a yes (`글쎄요`, `네, 근데 …`)."""
        return "?" in self.said or self._has("hesitant") or self.is_unsure

    @cached_property
    def asks_to_end(self) -> bool:
        """Whether the user asks to end the session, and not a job, a relationship or their life."""
        return not self._has("end_exclude") and self._a_clause_is("end_request")

    @cached_property
    def only_asks_to_end(self) -> bool:
        """Whether the message asks to end the session and holds nothing else but a yes or thanks."""
        patterns = self._patterns
        return self.asks_to_end and all(
            patterns.a_clause_is("end_request", one) or patterns.consists_of(one, "confirm", "confirm_filler")
            for one in self._clauses
        )

    @cached_property
    def says_task_done(self) -> bool:
        """Whether the user says that the present subject is finished, or asks for the next."""
        return self._a_clause_is("task_done") or self.says_all_is_said

    @cached_property
    def says_all_is_said(self) -> bool:
        """Whether the user says that they have said all that they wanted to say."""
        return self._a_clause_is("all_said")

    @cached_property
    def has_nothing_to_say(self) -> bool:
        """Whether the answer to "is anything left?" is only a no; a mere `네` is not."""
        clauses = clauses_of(self._patterns.no_more().sub(" ", self.said))
        lists = ("refuse", "ambiguous", "confirm_filler")
        none = all(self._patterns.answers.says_none(one) or self._patterns.consists_of(one, *lists) for one in clauses)
        return (none and (bool(clauses) or bool(self._text.strip()))) or self.says_all_is_said

    @cached_property
    def is_backchannel(self) -> bool:
        """Whether the message is only a sound, a greeting or emoji (`네`, `ㅎㅎ`, `안녕하세요`)."""
        return bool(self._text.strip()) and (not self._clauses or self._consists_of("backchannel"))

    @cached_property
    def is_unsure(self) -> bool:
        """Whether the message says only that the user has no answer (`몰라요`, `네, 글쎄요`); no resistance."""
        unsure = [clause for clause in self._clauses if self._patterns.answers.is_not_known(clause)]
        others = [clause for clause in self._clauses if clause not in unsure]
        return bool(unsure) and all(self._patterns.consists_of(clause, "backchannel") for clause in others)

    @cached_property
    def says_little(self) -> bool:
        """Whether the message is only a sound or says only that the user has no answer."""
        return self.is_backchannel or self.is_unsure

    @cached_property
    def resistance(self) -> Resistance:
        """Reluctance towards this conversation."""
        of_the_talk = self._declines_one.sub(" ", self.said)
        if self._patterns.phrases("resistance_strong").search(of_the_talk):
            return Resistance.STRONG
        return Resistance.MILD if self._a_clause_is("resistance_mild") else Resistance.NONE

    @cached_property
    def emotion(self) -> Feeling:
        """The strongest emotion that the user names as their own; neutral and 0 if there is none."""
        return next(iter(self.emotions), NEUTRAL)

    @cached_property
    def emotions(self) -> tuple[Feeling, ...]:
        """All emotions that the user names as their own, the strongest first."""
        return self._patterns.emotion.read(self.said)

    @cached_property
    def changes_topic(self) -> bool:
        """Whether the user says that they change the subject of this conversation."""
        return self._has("topic_change")

    @cached_property
    def content_words(self) -> frozenset[str]:
        """The content words, without inflection, particles and quotations."""
        return self._patterns.meaning.read(self.said)

    @cached_property
    def asks_if_human(self) -> bool:
        """Whether the user asks if they are talking to a person; a reported question does not count."""
        said = _SPELT_OUT.sub(lambda found: found[0].replace(" ", ""), self.said)
        if not self._patterns.phrases("about_cbot").search(said):
            return False
        asking, with_mark = (self._patterns.questions(name, said) for name in ("ask_if_human", "ask_with_mark"))
        if one_of(asking, said):
            return True
        marked = [(clause, mark) for part, mark in _MARKED.findall(said) if (clause := bare(part))]
        clauses = [clause for clause, _ in marked]
        around = zip(marked, ("", *clauses), (*clauses[1:], ""), strict=False)
        return any(
            (one_of(asking, clause) or ("?" in mark and one_of(with_mark, clause)))
            and not self._is_told(mark, before, behind)
            for (clause, mark), before, behind in around
        )

    @property
    def _declines_one(self) -> re.Pattern[str]:
        return self._patterns.phrases("declines_one")

    def _is_told(self, mark: str, before: str, behind: str) -> bool:
        """Return whether a question is only reported, or is an answer (`네, 사람이에요` to what is hard)."""
        if self._patterns.phrases("told_before").search(before) or self._patterns.phrases("told_behind").match(behind):
            return True
        return "?" not in mark and bool(before) and self._patterns.consists_of(before, "confirm")

    def _plain_answer(self) -> Answer:
        clauses = self._clauses
        if clauses and self._consists_of("confirm", "confirm_filler"):
            agreed = any(self._starts_any_yes(clause) for clause in clauses)
            reluctant = _TRAILING_OFF.search(self.said)
            return Answer.CONFIRM if agreed and not reluctant else Answer.UNCLEAR
        refused = clauses and self._patterns.phrases("refuse").fullmatch(clauses[0])
        return Answer.CANCEL if refused and len(clauses) == 1 else Answer.UNCLEAR

    def _tells_nothing(self, rest: str) -> bool:
        """Return whether the words around "nothing more" are only politeness, a yes or a no."""
        lists = ("confirm", "confirm_filler", "ambiguous", "refuse", "backchannel")
        return all(self._patterns.consists_of(clause, *lists) for clause in clauses_of(rest))

    def _starts_any_yes(self, clause: str) -> bool:
        yes = self._patterns.word("confirm")
        return any(yes.match(clause, start) for start in word_starts(clause))

    @cached_property
    def _clauses(self) -> list[str]:
        return clauses_of(self.said)

    def _has(self, name: str) -> bool:
        return bool(self._patterns.phrases(name).search(self.said))

    def _a_clause_is(self, name: str) -> bool:
        return self._patterns.a_clause_is(name, self.said)

    def _consists_of(self, *lists: str) -> bool:
        return bool(self._clauses) and all(self._patterns.consists_of(clause, *lists) for clause in self._clauses)
