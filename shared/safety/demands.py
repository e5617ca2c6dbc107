"""What a user asks of the AI that it is not or cannot do, so that a yes of the model would be a lie."""

from enum import StrEnum

from shared.safety.output_guard.categories import Category


class Demand(StrEnum):
    """The order is that in which one message is read."""

    COME = "come"
    """To be beside them."""
    CALL = "call"
    """To call, report or tell in their place."""
    HEAL = "heal"
    """To be a therapist or a doctor."""
    ONLY = "only"
    """To be the only one who knows, or the only help."""
    SECRECY = "secrecy"
    """To tell nobody."""
    PROMISE = "promise"
    """To take a promise for safety."""
    METHOD = "method"
    """To say how one dies."""
    PRESENT = "present"
    """Whether it is there and listens; a yes is true."""
    DIAGNOSIS = "diagnosis"
    """To say whether it is an illness."""
    MEDICATION = "medication"
    """To say what to take or to stop."""
    MEMORY = "memory"
    """To remember them as a person would."""
    LIVED = "lived"
    """To have lived through it, or to have feelings and a life."""
    LOVE = "love"
    """To be their partner."""
    TRANSFER = "transfer"
    """To hand over to a person."""
    MACHINE = "machine"
    """To answer for being a machine that understands nothing; a yes is true."""
    BLAME = "blame"
    """To say that all is their fault, or that they are bad; the model answers, but not with a yes."""

    @property
    def explains(self) -> frozenset[Category]:
        """What need not be explained again if the guard cuts the reply after the fixed answer."""
        return _EXPLAINED.get(self, frozenset())


_EXPLAINED = {
    Demand.COME: frozenset({Category.HUMAN}),
    Demand.CALL: frozenset({Category.ACTED}),
    Demand.HEAL: frozenset({Category.HUMAN}),
    Demand.SECRECY: frozenset({Category.SECRECY}),
    Demand.DIAGNOSIS: frozenset({Category.DIAGNOSIS}),
    Demand.MEDICATION: frozenset({Category.MEDICATION}),
    Demand.MEMORY: frozenset({Category.MEMORY}),
    Demand.LIVED: frozenset({Category.HUMAN}),
    Demand.LOVE: frozenset({Category.HUMAN, Category.INTIMATE}),
    Demand.MACHINE: frozenset({Category.HUMAN}),
}
