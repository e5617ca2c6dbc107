"""Endings for replies that the output guard cut."""

from shared.content.schemas.guard_endings import GuardEndings
from shared.content.wordings import Pick, nth
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category


class SafeEndings:
    """The endings, in every voice.

    Args:
        written: The file.
        pick: Chooses the wording of an ending; without it a counter does.
    """

    def __init__(self, written: GuardEndings, pick: Pick | None = None) -> None:
        self._written = written
        self._endings = written.endings
        self._pick = pick

    def picked_by(self, pick: Pick) -> "SafeEndings":
        """Return the endings, of which `pick` chooses the wording."""
        return SafeEndings(self._written, pick)

    def ending(
        self, category: Category | None, locale: Locale, register: Register, variant: int, *, others: bool = False
    ) -> str:
        """Return the ending of a cut reply; consecutive variants differ.

        With `category` None it explains nothing. `others`: another person is in danger, or has died.
        """
        found = self._endings.of(category) if category else self._endings.plain
        voiced = self._endings.means_of_others if category is Category.MEANS and others else found
        pick = self._pick or nth(variant)
        return pick(voiced.at(locale, register))

    def every_wording(self, locale: Locale, register: Register) -> tuple[str, ...]:
        """Return the wordings of all endings."""
        written = self._endings
        voiced = (*(written.of(category) for category in Category), written.plain, written.means_of_others)
        return tuple(dict.fromkeys(text for one in voiced for text in one.at(locale, register)))
