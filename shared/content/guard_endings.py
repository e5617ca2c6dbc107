"""Endings for replies that the output guard cut."""

from shared.content.schemas.guard_endings import GuardEndings
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category


class SafeEndings:
    """The endings, in every voice."""

    def __init__(self, written: GuardEndings) -> None:
        self._endings = written.endings

    def ending(
        self, category: Category | None, locale: Locale, register: Register, variant: int, *, others: bool = False
    ) -> str:
        """Return the ending of a cut reply; consecutive variants differ.

        With `category` None it explains nothing. `others`: another person is in danger, or has died.
        """
        found = self._endings.of(category) if category else self._endings.plain
        voiced = self._endings.means_of_others if category is Category.MEANS and others else found
        wordings = voiced.at(locale, register)
        return wordings[variant % len(wordings)]
