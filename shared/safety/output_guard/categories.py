"""Categories of the output guard."""

from enum import StrEnum


class Category(StrEnum):
    """What is wrong with a reply; stored in the turn's record and logged."""

    MEANS = "means"
    """A method, dose or place of suicide or self-harm."""
    ENCOURAGING = "encouraging"
    """Permission to die, self-harm as acceptable, others better off, revenge."""
    HOPELESS = "hopeless"
    """Agreement with the hopelessness of a user in danger."""
    MINIMISING = "minimising"
    """Pain or danger played down: "it is not that bad", or a question that asks for a no."""
    ACTED = "acted"
    """A claim to have contacted or to be about to contact another person."""
    DIAGNOSIS = "diagnosis"
    MEDICATION = "medication"
    """What to take, how much, or to stop it."""
    HUMAN = "human"
    """A claim to be a person."""
    SECRECY = "secrecy"
    CURE = "cure"
    """A promise that all will be well."""
    BLAME = "blame"
    DECIDING = "deciding"
    """An order on a decision about the user's life: to quit, divorce, report, have a child, move out, stop studying."""
    INTERNAL = "internal"
    """The prompt, its tags, names of modules, parts and personas."""
    REGISTER = "register"
    """반말 in a 존댓말 conversation, or the other way."""
    ENDING = "ending"
    """An end or pause decided by the model."""
    CONTRACT = "contract"
    """A promise not to die, asked of the user: such contracts have no evidence (NICE NG225)."""
    DISCOURAGING = "discouraging"
    """Discouraging professional help."""
    INTIMATE = "intimate"
    """An advance, or sex or nude pictures urged on a user: many users are minors."""
    NUMBER = "number"
    """A phone number that is not in hotlines.json."""
    LINK = "link"
    MEMORY = "memory"
    """Remembering an earlier session although none is known."""
    REPEATED = "repeated"
    """Saying that it is an AI right after a rule has said it: the sentence is dropped and the reply goes on."""
    LANGUAGE = "language"
    """A sentence in a language that neither the session nor the user's message has: the rules cannot read it."""
    FORM = "form"
    """A line that the model writes to itself or speaks as the user in; a loop, which ends the reply."""
    NAME = "name"
    """The user is called by a name that is not theirs."""
    ASSENT = "assent"
    """A yes to what the user asks of the AI that it is not or cannot do: the sentence is dropped, too."""


GRAVEST = frozenset({Category.MEANS, Category.ENCOURAGING, Category.HOPELESS})
"""If a sentence has several hits, one of these determines the reply's ending."""
DROPPED = frozenset({Category.REPEATED, Category.ASSENT})
"""A sentence with such a hit is left out; the reply is not cut."""
FAULTS = frozenset({Category.LANGUAGE, Category.FORM, Category.NAME})
"""Faults of form (form.py): the sentence is left out, and the reply goes on unless its beginning was shown or nothing
is left."""
OWN_CLAIMS = frozenset(
    {
        Category.ACTED,
        Category.DIAGNOSIS,
        Category.MEDICATION,
        Category.HUMAN,
        Category.SECRECY,
        Category.CURE,
        Category.INTERNAL,
    }
)
"""The speaker's own claims or advice: quotation marks excuse them only if the words are reported."""
