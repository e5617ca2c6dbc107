"""Endings for replies that the output guard cut."""

from typing import assert_never

from shared.content.schemas.voice import VoicedVariants
from shared.content.wordings import Pick, nth
from shared.locale import Locale, Register
from shared.model import Model
from shared.safety.output_guard.categories import Category


class Endings(Model):
    """Endings by category; `plain` if there is nothing to explain, `contact` for numbers and links.

    Attributes:
        means_of_others: For `means` if another person is in danger or has died.
    """

    means: VoicedVariants
    means_of_others: VoicedVariants
    encouraging: VoicedVariants
    hopeless: VoicedVariants
    minimising: VoicedVariants
    acted: VoicedVariants
    diagnosis: VoicedVariants
    medication: VoicedVariants
    human: VoicedVariants
    secrecy: VoicedVariants
    cure: VoicedVariants
    blame: VoicedVariants
    deciding: VoicedVariants
    ending: VoicedVariants
    contract: VoicedVariants
    discouraging: VoicedVariants
    intimate: VoicedVariants
    memory: VoicedVariants
    contact: VoicedVariants
    plain: VoicedVariants

    def of(self, category: Category) -> VoicedVariants:  # noqa: C901, PLR0911, PLR0912 -- a case for each category
        match category:
            case Category.MEANS:
                return self.means
            case Category.ENCOURAGING:
                return self.encouraging
            case Category.HOPELESS:
                return self.hopeless
            case Category.MINIMISING:
                return self.minimising
            case Category.ACTED:
                return self.acted
            case Category.DIAGNOSIS:
                return self.diagnosis
            case Category.MEDICATION:
                return self.medication
            case Category.HUMAN:
                return self.human
            case Category.SECRECY:
                return self.secrecy
            case Category.CURE:
                return self.cure
            case Category.BLAME:
                return self.blame
            case Category.DECIDING:
                return self.deciding
            case Category.ENDING:
                return self.ending
            case Category.CONTRACT:
                return self.contract
            case Category.DISCOURAGING:
                return self.discouraging
            case Category.INTIMATE:
                return self.intimate
            case Category.MEMORY:
                return self.memory
            case Category.NUMBER | Category.LINK:
                return self.contact
            case Category.INTERNAL | Category.REGISTER | Category.REPEATED | Category.ASSENT:
                return self.plain
            case Category.LANGUAGE | Category.FORM | Category.NAME:
                return self.plain
            case _:
                assert_never(category)


class GuardEndings(Model):
    """The file.

    Attributes:
        of_others: Patterns of a message about another person who is in danger or has died.
    """

    of_others: tuple[str, ...]
    endings: Endings


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
        written = self._endings
        voiced = (*(written.of(category) for category in Category), written.plain, written.means_of_others)
        return tuple(dict.fromkeys(text for one in voiced for text in one.at(locale, register)))
