"""`guard_endings.yaml`: the endings of cut replies."""

from typing import assert_never

from shared.content.schemas.voice import VoicedVariants
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
