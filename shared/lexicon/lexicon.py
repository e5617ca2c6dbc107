"""Recognises a user's words without a model, by the lists in `data/lexicon.yaml`."""

import re

from shared.lexicon.clause_text import clauses_of, ends_in_vowel
from shared.lexicon.lexicon_file import LexiconFile
from shared.lexicon.patterns import Patterns
from shared.lexicon.plain_answers import PlainAnswers
from shared.lexicon.words import Words

LONGEST_NAME = 3
"""Maximum words of a name."""

_REST_OF_WORD = r"(?! ?싶)([^\s.!?,;~…。、]*)(?! ?싶)"


class Lexicon:
    """Reads texts and names."""

    def __init__(self, file: LexiconFile, answers: PlainAnswers) -> None:
        self.patterns = Patterns(file, answers)

    def read(self, text: str) -> Words:
        return Words(text, self.patterns)

    def without_lead_in(self, text: str) -> str:
        """Return a text without its lead-in (`그건 그렇고 …`); a text that is only a lead-in stays."""
        found = self.patterns.lead_in().match(text.lstrip())
        return text.lstrip()[found.end() :] or text if found else text

    def name(self, text: str) -> str | None:
        """Return the name that the user states, if the words leave no doubt."""
        for clause in clauses_of(self.patterns.normalise(text)):
            for pattern in self.patterns.names():
                if found := pattern.fullmatch(clause):
                    return self._checked_name(found, clause)
        return None

    def is_no_name(self, text: str) -> bool:
        """Return whether words in the place of a name are none ("없어요", "비밀")."""
        return bool(self.patterns.phrases("name_stop").fullmatch(self.patterns.normalise(text)))

    def ends_like_a_name(self, name: str) -> bool:
        """Return whether the last two syllables of a word may be a Korean given name."""
        return bool(self.patterns.phrases("given_name").fullmatch(name[-2:]))

    def is_noun_like_a_name(self, word: str) -> bool:
        """Return whether a word of the syllables of names is a noun or verb ("고민", "미안해")."""
        return bool(self.patterns.phrases("noun_like_name").fullmatch(word))

    def stands_as_name(self, value: str, text: str) -> bool:
        """Return whether a value that a model read as a name is used as one in the text.

        Part of a verb (`밝히` of `밝히고 싶지 않아요`) is not, nor is a question back (`굳이요?`).
        """
        said, name = self.patterns.normalise(text), self.patterns.normalise(value)
        if (
            not name
            or len(name.split()) > LONGEST_NAME
            or (said.endswith("?") and not self.patterns.phrases("name_called").search(said))
        ):
            return False
        found = re.finditer(re.escape(name) + _REST_OF_WORD, said, re.IGNORECASE)
        joined = self.patterns.phrases("name_joined")
        return any(joined.fullmatch(one[1]) and not self._is_no_word(one[0]) for one in found)

    def calls_so(self, name: str, text: str) -> bool:
        """Return whether the text says that a person is called by this name, even if it is a word of refusal."""
        return bool(re.search(rf"{re.escape(name)}(?:이?라고|이?라는)|call me {re.escape(name)}", text, re.IGNORECASE))

    def _is_no_word(self, word: str) -> bool:
        return self.is_no_name(word) or self.is_no_name(word.removesuffix("요"))

    def _checked_name(self, found: re.Match[str], clause: str) -> str | None:
        name, end = found["name"], found.end("name")
        # 이 joins only after a final consonant (민준이라고); after a vowel it belongs to the name (제이라고).
        if clause.startswith(("이라", "이야"), end) and ends_in_vowel(name):
            name += "이"
        return None if self.patterns.phrases("name_stop").fullmatch(name) else name
