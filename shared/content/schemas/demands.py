"""`demands.yaml`: what a user asks of the AI that it is not or cannot do, and the fixed answers."""

from pydantic import Field

from shared.content.schemas.crisis import TestedPhrases
from shared.content.schemas.voice import Voiced, VoicedVariants
from shared.model import Model


class DemandPhrases(TestedPhrases):
    """What a user asks, and the fixed answers to it.

    Attributes:
        in_danger: The answer in a follow-through; `{lines}` stands for the lines that answer at any hour.
        otherwise: The answer outside a danger, or None if the model may answer.
    """

    in_danger: Voiced
    otherwise: VoicedVariants | None = None


class DemandEntries(Model):
    """An entry for each `Demand`."""

    come: DemandPhrases
    call: DemandPhrases
    heal: DemandPhrases
    only: DemandPhrases
    secrecy: DemandPhrases
    promise: DemandPhrases
    method: DemandPhrases
    present: DemandPhrases
    diagnosis: DemandPhrases
    medication: DemandPhrases
    memory: DemandPhrases
    lived: DemandPhrases
    love: DemandPhrases
    transfer: DemandPhrases
    machine: DemandPhrases
    blame: DemandPhrases


class DemandFile(Model):
    """The file.

    Attributes:
        fragments: Fragments of the patterns, besides those of the protocol.
    """

    demands: DemandEntries
    fragments: dict[str, str] = Field(min_length=1)
