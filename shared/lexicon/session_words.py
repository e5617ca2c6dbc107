"""Recognises words about closing, going on and declining, by `data/session_words.yaml` and `data/answers.yaml`."""

import re
import unicodedata
from collections.abc import Iterable

from shared.domain.slots import SlotKind
from shared.lexicon.plain_answers import AnswersFile
from shared.lexicon.sentences import plain_marks, sentences_of, without_sentences
from shared.lexicon.session_words_file import SessionWordsFile
from shared.lexicon.unmarked_questions import asks_unmarked

LONGEST_REFUSAL = 60
"""Maximum characters of a clause; a longer one has content."""

_REFUSALS = ("declines", "declines_name", "declines_filler")
"""Lists of `answers.yaml`."""
_CLAUSE_END = re.compile(r"[.!?,;~…。、\n]+")
_SENTENCE_END = re.compile(r"[.!?~…。\n]+")
_SPACES = re.compile(r"\s+")


class SessionWords:
    """The lists, each compiled on first use."""

    def __init__(self, file: SessionWordsFile, answers: AnswersFile) -> None:
        self.written = file
        self._lists = dict.fromkeys(type(file).model_fields, file) | dict.fromkeys(_REFUSALS, answers)
        self._compiled: dict[str, re.Pattern[str]] = {}

    def wants_more(self, text: str) -> bool:
        """Return whether the user wants to go on talking here and now, or not to end."""
        wish, but = self._pattern("wants_more"), self._pattern("wants_more_not")
        more = any(wish.search(clause) and not but.search(clause) for clause in _clauses(text))
        return more or self.wants_to_stay(text)

    def wants_to_stay(self, text: str) -> bool:
        """Return whether the user asks not to end, or to stay a little longer; what was asked last does not matter."""
        stay = self._pattern("wants_to_stay")
        return any(stay.fullmatch(clause) for clause in _clauses(text))

    def says_misread(self, text: str) -> bool:
        """Return whether the user says that the counsellor misread them: at the start of a sentence."""
        return self._begins("says_misread", text)

    def says_more(self, words: Iterable[str]) -> frozenset[str]:
        """Return the content words that do more than correct: "뜻" and "말" alone tell nothing of what was meant."""
        return frozenset(word for word in words if not self._pattern("mere_correction").fullmatch(word))

    def says_of_a_work(self, text: str) -> bool:
        """Return whether the user says that they spoke of a game, a film or a song: at the start of a sentence."""
        return self._begins("says_of_a_work", text)

    def denies_wish_to_die(self, text: str) -> bool:
        """Return whether a message says that no wish to die was meant, and nothing else."""
        return bool(self._pattern("denies_wish_to_die").fullmatch(_SPACES.sub(" ", _plain(text)).strip(" .!~")))

    def says_goodbye(self, text: str) -> bool:
        """Return whether the user says thanks and goodbye, and nothing else."""
        return bool(self._pattern("says_goodbye").fullmatch(_SPACES.sub(" ", _plain(text)).strip()))

    def declines(self, text: str, kind: SlotKind) -> bool:
        """Return whether the user declines to answer, and says nothing else.

        `kind` is that of the slot asked for: what declines a name may be an answer to another question ("없어요").
        """
        return self.refuses(text, kind) and not self.beside_refusal(text, kind)

    def tells_hard(self, text: str) -> bool:
        """Return whether the user tells of a loss, violence, a failure, an illness or tears."""
        return bool(self.hard_words(text))

    def hard_words(self, text: str) -> frozenset[str]:
        return frozenset(found[0] for found in self._pattern("tells_hard").finditer(_plain(text)))

    def asks_about_safety(self, reply: str) -> bool:
        """Return whether a question of a reply asks whether the user, or a person they worry about, is safe."""
        return any(self._pattern("asks_about_safety").search(question) for question in questions_of(reply))

    def asks_to_be_heard(self, text: str) -> bool:
        """Return whether the user asks that they be listened to, now and before anything else."""
        return any(self._pattern("asks_to_be_heard").search(clause) for clause in _clauses(text))

    def opens_up(self, text: str) -> bool:
        """Return whether the user tells what they hold back or never said ("앞에서는 안 울어요")."""
        return any(self._pattern("opens_up").search(clause) for clause in _clauses(text))

    def asks_to_decide(self, text: str) -> bool:
        """Return whether the user asks whether to take a decision about their life ("퇴사할까요?")."""
        return any(self._pattern("asks_to_decide").search(sentence) for sentence in sentences_of(text))

    def is_common(self, word: str) -> bool:
        """Return whether a content word stands in questions about any matter."""
        return bool(self._pattern("common_words").fullmatch(word))

    def refuses(self, text: str, kind: SlotKind) -> bool:
        """Return whether a clause of an answer declines."""
        return any(self._is_refusal(clause, kind) for clause in _clauses(text))

    def beside_refusal(self, text: str, kind: SlotKind) -> str:
        """Return an answer without its refusing clauses; empty if only fillers are left (`음`, `죄송해요`)."""
        left = [clause for clause in _clauses(text) if not self._is_refusal(clause, kind)]
        return "" if all(self._fills(clause) for clause in left) else ", ".join(left)

    def preload(self) -> None:
        for name in self._lists.keys() - {"fragments"}:
            self._pattern(name)

    def _is_refusal(self, clause: str, kind: SlotKind) -> bool:
        lists = ("declines", "declines_name") if kind is SlotKind.NAME else ("declines",)
        return len(clause) <= LONGEST_REFUSAL and any(self._pattern(name).fullmatch(clause) for name in lists)

    def _fills(self, clause: str) -> bool:
        return len(clause) <= LONGEST_REFUSAL and bool(self._pattern("declines_filler").fullmatch(f"{clause} "))

    def _begins(self, name: str, text: str) -> bool:
        return any(self._pattern(name).match(sentence) for sentence in _joined_sentences(text))

    def _pattern(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            file = self._lists[name]
            self._compiled[name] = re.compile(file.join(getattr(file, name)), re.IGNORECASE)
        return self._compiled[name]


def without_questions(reply: str) -> str:
    """Return a reply without its questions; a quoted question does not count."""
    return without_sentences(reply, _asks)


def questions_of(reply: str) -> tuple[str, ...]:
    """Return the questions of a reply, without quotations."""
    return tuple(sentence for sentence in sentences_of(reply) if _asks(sentence))


def _asks(sentence: str) -> bool:
    return "?" in sentence or asks_unmarked(sentence)


def _joined_sentences(text: str) -> list[str]:
    return [_SPACES.sub(" ", part.replace(",", " ")).strip() for part in _SENTENCE_END.split(_plain(text))]


def _clauses(text: str) -> list[str]:
    return [clause for part in _CLAUSE_END.split(_plain(text)) if (clause := part.strip(" \"'()"))]


def _plain(text: str) -> str:
    return _SPACES.sub(" ", plain_marks(unicodedata.normalize("NFC", text))).strip()
