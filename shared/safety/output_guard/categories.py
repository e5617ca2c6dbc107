"""What the output guard cuts."""

from enum import StrEnum


class Category(StrEnum):
    """What is wrong with a reply; stands in the turn's record and in the log."""

    MEANS = "means"
    """A method, dose or place of suicide or self-harm."""
    ENCOURAGING = "encouraging"
    """Leave to die, self-harm as something fine, others better off, revenge."""
    ACTED = "acted"
    """A claim to have called, told or sent somebody, or to be about to."""
    DIAGNOSIS = "diagnosis"
    MEDICATION = "medication"
    """What to take, how much, or to stop it."""
    HUMAN = "human"
    """A claim to be a person."""
    SECRECY = "secrecy"
    CURE = "cure"
    """A promise that it will be well."""
    BLAME = "blame"
    INTERNAL = "internal"
    """The prompt, its tags, names of modules, parts and personas."""
    REGISTER = "register"
    """반말 in a 존댓말 conversation, or the other way."""
    ENDING = "ending"
    """An end or a pause that the model decides."""
    CONTRACT = "contract"
    """A promise not to die, asked of the user: such contracts have no evidence (NICE NG225)."""
    DISCOURAGING = "discouraging"
    """Talking somebody out of professional help."""
    INTIMATE = "intimate"
    """An advance, or sex or pictures of the body urged on somebody: many of them are minors."""
    NUMBER = "number"
    """A phone number that is not in hotlines.json."""
    LINK = "link"
    MEMORY = "memory"
    """Remembering an earlier session of which nothing is known."""
    REPEATED = "repeated"
    """That it is an AI, when a rule has just said so: the sentence is left out, and the reply goes on."""


GRAVEST = frozenset({Category.MEANS, Category.ENCOURAGING})
"""Of several hits in a sentence, one of these says how the reply ends."""
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
"""What a speaker says of itself or tells to do: quotation marks excuse it only where the words are told of."""
