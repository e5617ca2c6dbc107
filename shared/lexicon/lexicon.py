"""Recognises a user's words without a model, by the lists in `data/lexicon.yaml`."""

import re
import unicodedata
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Literal

from shared.domain.counseling.user_state import Resistance
from shared.domain.slots import means_none
from shared.lexicon.clause_text import LONGEST_CLAUSE, bare, clauses_of, ends_in_vowel, one_of, word_starts
from shared.lexicon.content_words import MeaningReader
from shared.lexicon.emotion_words import EmotionReader, Feeling
from shared.lexicon.lexicon_file import BilingualPhrases, LexiconFile

LONGEST_NAME = 3
"""Maximum words of a name."""

_MARKED = re.compile(r"([^.!?,;~…。、\n]+)([.!?,;~…。、\n]*)")
_SPELT_OUT = re.compile(r"(?<!\S)(?:[가-힣] ){3,}[가-힣](?![^\s.!?~])")
_LETTERS: dict[Literal["ko", "en"], re.Pattern[str]] = {"ko": re.compile("[가-힣ㄱ-ㅎ]"), "en": re.compile("[a-zA-Z]")}
_TEARS = re.compile("[ㅠㅜ]|\\bT_T\\b|[\U0001f622\U0001f62d]")
"""A yes in tears may mean the opposite."""
_REST_OF_WORD = r"(?! ?싶)([^\s.!?,;~…。、]*)(?! ?싶)"
_TRAILING_OFF = re.compile(r"(?:\.\.|…)\s*$")
_QUESTIONS = ("ask_if_human", "ask_with_mark")
"""The longest lists: used only if a message has a word of `about_cbot`, and compiled by language, after `ask_lead`."""
_SELDOM = frozenset(("told_before", "told_behind"))
"""Lists that are used only for such a message."""


class Answer(StrEnum):
    """What a reply to a yes-or-no proposal means."""

    CONFIRM = "confirm"
    CANCEL = "cancel"
    UNCLEAR = "unclear"
    """Neither, or half of each; no agreement."""


class Lexicon:
    """The lists, each compiled on first use."""

    def __init__(self, file: LexiconFile) -> None:
        self._file = file
        self._noise = re.compile(file.noise)
        self._compiled: dict[str, re.Pattern[str]] = {}
        self._emotion = EmotionReader(file.emotion)
        self._meaning = MeaningReader(file.meaning)

    def answer(self, text: str) -> Answer:
        """Read a reply to "shall we stop here?": a wish to go on outweighs a yes (`네, 근데 더 얘기하고 싶어요`)."""
        said = self._normalise(text)
        without_no_more, nothing_left = self._no_more().subn(" ", said)
        if self._anywhere("cancel").search(without_no_more):
            return Answer.CANCEL
        if self._anywhere("agreeing_question").search(said):
            return Answer.CONFIRM
        if self.hesitates(text):
            return Answer.UNCLEAR
        if self.asks_to_end(text):
            return Answer.CONFIRM
        plain = self._plain_answer(said)
        if nothing_left and self._tells_nothing(without_no_more):
            plain = Answer.CONFIRM
        in_tears = plain is Answer.CONFIRM and _TEARS.search(text)
        return Answer.UNCLEAR if in_tears else plain

    def hesitates(self, text: str) -> bool:
        """Return whether a reply asks back or is at most half a yes (`글쎄요`, `네, 근데 …`)."""
        said = self._normalise(text)
        return "?" in said or bool(self._anywhere("hesitant").search(said))

    def is_ambiguous(self, text: str) -> bool:
        """Return whether an answer to a proposal can mean both yes and no (`아니 됐어요`)."""
        clauses = clauses_of(self._normalise(text))
        return bool(clauses) and all(self._tokens(clause, "ambiguous", "refuse", "confirm") for clause in clauses)

    def asks_to_end(self, text: str) -> bool:
        """Return whether the user asks to end the session, and not a job, a relationship or their life."""
        said = self._normalise(text)
        return not self._anywhere("end_exclude").search(said) and self._a_clause_is("end_request", said)

    def says_task_done(self, text: str) -> bool:
        """Return whether the user says that the present subject is finished, or asks for the next."""
        return self._a_clause_is("task_done", self._normalise(text)) or self.says_all_is_said(text)

    def says_all_is_said(self, text: str) -> bool:
        """Return whether the user says that they have said all that they wanted to say."""
        return self._a_clause_is("all_said", self._normalise(text))

    def has_nothing_to_say(self, text: str) -> bool:
        """Return whether the answer to "is anything left?" is only a no; a mere `네` is not."""
        said = self._no_more().sub(" ", self._normalise(text))
        clauses = clauses_of(said)
        none = all(means_none(one) or self._tokens(one, "refuse", "ambiguous", "confirm_filler") for one in clauses)
        return (none and (bool(clauses) or bool(text.strip()))) or self.says_all_is_said(text)

    def is_backchannel(self, text: str) -> bool:
        """Return whether the message is only a sound, a greeting or emoji (`네`, `ㅎㅎ`, `안녕하세요`)."""
        clauses = clauses_of(self._normalise(text))
        return bool(text.strip()) and all(self._tokens(clause, "backchannel") for clause in clauses)

    def resistance(self, text: str) -> Resistance:
        """Read reluctance towards this conversation."""
        said = self._normalise(text)
        if self._anywhere("resistance_strong").search(said):
            return Resistance.STRONG
        return Resistance.MILD if self._a_clause_is("resistance_mild", said) else Resistance.NONE

    def emotion(self, text: str) -> Feeling:
        """Read the strongest emotion that the user names as their own; neutral and 0 if there is none."""
        return self._emotion.read(self._normalise(text))

    def changes_topic(self, text: str) -> bool:
        """Return whether the user says that they change the subject of this conversation."""
        return bool(self._anywhere("topic_change").search(self._normalise(text)))

    def without_lead_in(self, text: str) -> str:
        """Return a text without its lead-in (`그건 그렇고 …`); a text that is only a lead-in stays."""
        pattern = self._pattern("lead_in, at the start", lambda: f"(?:(?:{self._joined('lead_in')})[\\s,.…~]+)+")
        found = pattern.match(text.lstrip())
        return text.lstrip()[found.end() :] or text if found else text

    def content_words(self, text: str) -> frozenset[str]:
        """Return the content words of a text, without inflection, particles and quotations."""
        return self._meaning.read(self._normalise(text))

    def asks_if_human(self, text: str) -> bool:
        """Return whether the user asks if they are talking to a person; a reported question does not count."""
        said = _SPELT_OUT.sub(lambda found: found[0].replace(" ", ""), self._normalise(text))
        if not self._anywhere("about_cbot").search(said):
            return False
        asking, with_mark = self._questions("ask_if_human", said), self._questions("ask_with_mark", said)
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

    def _is_told(self, mark: str, before: str, behind: str) -> bool:
        """Return whether a question is only reported, or is an answer (`네, 사람이에요` to what is hard)."""
        if self._anywhere("told_before").search(before) or self._anywhere("told_behind").match(behind):
            return True
        return "?" not in mark and bool(before) and self._tokens(before, "confirm")

    def name(self, text: str) -> str | None:
        """Return the name that the user states, if the words leave no doubt."""
        for clause in clauses_of(self._normalise(text)):
            for index in range(len(self._file.name_patterns.all)):
                found = self._name_pattern(index).fullmatch(clause)
                if found:
                    return self._checked_name(found, clause)
        return None

    def is_no_name(self, text: str) -> bool:
        """Return whether words in the place of a name are none ("없어요", "비밀")."""
        return bool(self._anywhere("name_stop").fullmatch(self._normalise(text)))

    def stands_as_name(self, value: str, text: str) -> bool:
        """Return whether a value that a model read as a name is used as one in the text.

        Part of a verb (`밝히` of `밝히고 싶지 않아요`) is not, nor is a question back (`굳이요?`).
        """
        said, name = self._normalise(text), self._normalise(value)
        if (
            not name
            or len(name.split()) > LONGEST_NAME
            or (said.endswith("?") and not self._anywhere("name_called").search(said))
        ):
            return False
        found = re.finditer(re.escape(name) + _REST_OF_WORD, said, re.IGNORECASE)
        return any(self._anywhere("name_joined").fullmatch(one[1]) and not self._is_no_word(one[0]) for one in found)

    def calls_so(self, name: str, text: str) -> bool:
        """Return whether the text says that a person is called by this name, even if it is a word of refusal."""
        return bool(re.search(rf"{re.escape(name)}(?:이?라고|이?라는)|call me {re.escape(name)}", text, re.IGNORECASE))

    def _is_no_word(self, word: str) -> bool:
        return self.is_no_name(word) or self.is_no_name(word.removesuffix("요"))

    def preload(self) -> None:
        """Compile the lists that nearly every message needs."""
        self._compile(_SELDOM)

    def compile_all(self) -> None:
        """Compile every list, so that a broken pattern fails in a test and not in a turn (`re.error`)."""
        self._compile(frozenset())
        for name in _QUESTIONS:
            self._questions(name, "가a")

    def _compile(self, without: frozenset[str]) -> None:
        for field in LexiconFile.model_fields.keys() - {"name_patterns", "ask_lead", *_QUESTIONS} - without:
            if isinstance(getattr(self._file, field), BilingualPhrases):
                self._anywhere(field)
        for index in range(len(self._file.name_patterns.all)):
            self._name_pattern(index)
        self._emotion.read("")
        self._meaning.read("")

    def _plain_answer(self, said: str) -> Answer:
        clauses = clauses_of(said)
        if clauses and all(self._tokens(clause, "confirm", "confirm_filler") for clause in clauses):
            agreed = any(self._starts_any_token(clause) for clause in clauses)
            reluctant = _TRAILING_OFF.search(said)
            return Answer.CONFIRM if agreed and not reluctant else Answer.UNCLEAR
        refused = clauses and self._anywhere("refuse").fullmatch(clauses[0])
        return Answer.CANCEL if refused and len(clauses) == 1 else Answer.UNCLEAR

    def _no_more(self) -> re.Pattern[str]:
        """Return the pattern of "nothing more" with its verb ending."""
        return self._pattern(
            "no_more, to the end", lambda: f"(?:{self._joined('no_more')})(?:요|습니다|다|네요|음|을 ?것 ?같아요)?"
        )

    def _tells_nothing(self, rest: str) -> bool:
        """Return whether the words around "nothing more" are only politeness, a yes or a no."""
        lists = ("confirm", "confirm_filler", "ambiguous", "refuse", "backchannel")
        return all(self._tokens(clause, *lists) for clause in clauses_of(rest))

    def _starts_any_token(self, clause: str) -> bool:
        yes = self._token("confirm")
        return any(yes.match(clause, start) for start in word_starts(clause))

    def _tokens(self, clause: str, *lists: str) -> bool:
        """Return whether a clause consists only of the lists' phrases; scans forward without backtracking."""
        patterns = [self._token(name) for name in lists]
        position = 0
        while position < len(clause):
            ends = [found.end() for pattern in patterns if (found := pattern.match(clause, position))]
            if not ends or max(ends) == position:
                return False
            position = max(ends) + 1
        return True

    def _a_clause_is(self, name: str, said: str) -> bool:
        pattern = self._anywhere(name)
        return any(pattern.fullmatch(clause) for clause in clauses_of(said) if len(clause) <= LONGEST_CLAUSE)

    def _checked_name(self, found: re.Match[str], clause: str) -> str | None:
        name, end = found["name"], found.end("name")
        # 이 joins only after a final consonant (민준이라고); after a vowel it belongs to the name (제이라고).
        if clause.startswith(("이라고", "이야"), end) and ends_in_vowel(name):
            name += "이"
        return None if self._anywhere("name_stop").fullmatch(name) else name

    def _anywhere(self, name: str) -> re.Pattern[str]:
        return self._pattern(name, lambda: self._joined(name))

    def _questions(self, name: str, said: str) -> tuple[re.Pattern[str], ...]:
        """Return a list's patterns in the languages whose letters the text has; the others are not compiled."""
        return tuple(
            self._pattern(f"{name}, {language}", partial(self._file.questions, language, getattr(self._file, name)))
            for language, letters in _LETTERS.items()
            if letters.search(said)
        )

    def _token(self, name: str) -> re.Pattern[str]:
        return self._pattern(f"{name}, by word", lambda: f"(?:{self._joined(name)})(?=\\s|$)")

    def _name_pattern(self, index: int) -> re.Pattern[str]:
        one = BilingualPhrases(ko=(self._file.name_patterns.all[index],))
        return self._pattern(f"name {index}", lambda: self._file.join(one))

    def _joined(self, name: str) -> str:
        phrases: BilingualPhrases = getattr(self._file, name)
        return self._file.join(phrases)

    def _pattern(self, key: str, source: Callable[[], str]) -> re.Pattern[str]:
        if key not in self._compiled:
            self._compiled[key] = re.compile(source(), re.IGNORECASE)
        return self._compiled[key]

    def _normalise(self, text: str) -> str:
        composed = unicodedata.normalize("NFC", text).replace("\u2019", "'").replace("？", "?").replace("！", "!")
        return " ".join(self._noise.sub(" ", composed).split())
