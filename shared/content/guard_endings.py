"""The words that end a reply from which the output guard cut something."""

from shared.content.schemas.guard_endings import GuardEndings
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category


class SafeEndings:
    """The endings, in every voice."""

    def __init__(self, written: GuardEndings) -> None:
        """Take them as written."""
        self._endings = written.endings

    def ending(
        self, category: Category | None, locale: Locale, register: Register, variant: int, *, others: bool = False
    ) -> str:
        """Return the words that end a reply from which something was cut; two neighbouring variants differ.

        Args:
            category: What was cut; None for words that explain nothing.
            locale: The conversation's language.
            register: Its register; English has none.
            variant: A counter.
            others: Another person is in danger, or has died.
        """
        found = self._endings.of(category) if category else self._endings.plain
        voiced = self._endings.means_of_others if category is Category.MEANS and others else found
        wordings = voiced.at(locale, register)
        return wordings[variant % len(wordings)]
