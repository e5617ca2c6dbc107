"""Reads a question on an agreement without a model, by `data/agreement_questions.yaml`."""

import re

from shared.domain.agreement.numbers import article_numbers, exhibit_numbers
from shared.domain.agreement.tokens import words
from shared.domain.agreement.tool_calls import ToolArgs, ToolCall, ToolName, search
from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.lexicon.session_words import questions_of
from shared.lexicon.session_words_file import WordFile


class AgreementQuestionFile(WordFile):
    """All lists."""

    claims: ExemplifiedPhrases
    asks: ExemplifiedPhrases
    greets: ExemplifiedPhrases
    thanks: ExemplifiedPhrases
    compares: ExemplifiedPhrases
    asks_structure: ExemplifiedPhrases
    searches: ExemplifiedPhrases
    about_service: ExemplifiedPhrases
    asks_elsewhere: ExemplifiedPhrases
    asks_for_prompt: ExemplifiedPhrases
    names_upload: ExemplifiedPhrases
    plain_names: ExemplifiedPhrases
    refers_back: ExemplifiedPhrases
    comparing_words: BilingualPhrases
    naming_words: BilingualPhrases


_MARKS = " \t\n.!?~…。,^"
_LONGEST_QUERY = 80
_LONGEST_CLAIM = 200
"""Characters of a message that may be a question on an agreement; a longer one tells something else too."""


class AgreementQuestions:
    """The lists, each compiled on first use."""

    def __init__(self, file: AgreementQuestionFile) -> None:
        self.written = file
        self._compiled: dict[str, re.Pattern[str]] = {}

    def claims(self, text: str) -> bool:
        """Return whether a message plainly asks about an agreement or its subject."""
        asks = bool(questions_of(text)) or self.asks(text)
        return asks and len(text) <= _LONGEST_CLAIM and self._finds("claims", text)

    def asks_about_document(self, text: str) -> bool:
        """Return whether a message asks something that a document which is open may answer."""
        asks = bool(questions_of(text)) or self.asks(text)
        return asks and len(text) <= _LONGEST_CLAIM and not self.asks_elsewhere(text)

    def asks_of_contracts(self, text: str) -> bool:
        """Return whether a message asks about what agreements regulate."""
        return self._finds("searches", text) and self.asks_about_document(text)

    def asks_elsewhere(self, text: str) -> bool:
        """Return whether a message asks for another service or for advice, not for what a document says."""
        return self._finds("asks_elsewhere", text)

    def asks(self, text: str) -> bool:
        """Return whether a message asks to be told something, without a question."""
        return self._finds("asks", text)

    def greets(self, text: str) -> bool:
        """Return whether a message only greets."""
        return self._is("greets", text)

    def thanks(self, text: str) -> bool:
        """Return whether a message only thanks."""
        return self._is("thanks", text)

    def asks_structure(self, text: str) -> bool:
        """Return whether a message asks which articles there are."""
        return self._finds("asks_structure", text)

    def compares(self, text: str) -> bool:
        """Return whether a message asks for a comparison with a standard form."""
        return self._finds("compares", text)

    def about_service(self, text: str) -> bool:
        """Return whether a message asks how this service treats what is said here, whatever document is open."""
        return self._finds("about_service", text)

    def asks_for_prompt(self, text: str) -> bool:
        """Return whether a message asks what the AI was told to do."""
        return self._finds("asks_for_prompt", text)

    def names_upload(self, text: str) -> bool:
        """Return whether a message means a document that the user uploaded."""
        return self._finds("names_upload", text)

    def names(self, title: str, text: str) -> bool:
        """Return whether a message names a document by its title; a title that any document may have is no name."""
        bare, said = ("".join(one.split()).casefold() for one in (title, text))
        return len(bare) > 1 and bare in said and not self._is("plain_names", title)

    def without_names(self, text: str, title: str) -> str:
        """Return what a message asks, without the words that name a document; "" if it asks nothing else."""
        rest = self._pattern("naming_words").sub(" ", text.replace(title, " ") if title else text)
        return text if any(words(rest)) else ""

    def refers_back(self, text: str) -> bool:
        """Return whether a message cannot be understood without the one before it."""
        return self._finds("refers_back", text)

    def needs_document(self, text: str) -> bool:
        """Return whether a message plainly asks for something that only a document can answer."""
        named = article_numbers(text) or exhibit_numbers(text)
        return bool(named) or any(
            self._finds(one, text) for one in ("compares", "asks_structure", "searches", "claims")
        )

    def first_call(self, text: str) -> ToolCall | None:
        """Return the call that plainly fits a question: 제5조 → by index, 해지 조건 → search; None if it is unclear."""
        articles, exhibits = article_numbers(text), exhibit_numbers(text)
        if self.compares(text):
            topic = " ".join(self._pattern("comparing_words").sub(" ", text).split())[:_LONGEST_QUERY]
            args = ToolArgs(user_article_numbers=articles, topic="" if articles else topic.strip(_MARKS))
            return ToolCall(tool=ToolName.STANDARD, args=args)
        if articles or exhibits:
            return ToolCall(tool=ToolName.BY_INDEX, args=ToolArgs(article_numbers=articles, exhibit_numbers=exhibits))
        if self.asks_structure(text):
            return ToolCall(tool=ToolName.STRUCTURE)
        if self._finds("searches", text) or self._finds("claims", text):
            return self.search(text)
        return None

    @staticmethod
    def search(text: str) -> ToolCall | None:
        """Return the search for a whole question; None for one without words."""
        words = " ".join(text.split())[:_LONGEST_QUERY].strip(_MARKS)
        return search(words) if words else None

    def _is(self, name: str, text: str) -> bool:
        return bool(self._pattern(name).fullmatch(" ".join(text.split()).strip(_MARKS)))

    def _finds(self, name: str, text: str) -> bool:
        return bool(self._pattern(name).search(" ".join(text.split())))

    def _pattern(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            self._compiled[name] = re.compile(self.written.join(getattr(self.written, name)), re.IGNORECASE)
        return self._compiled[name]
