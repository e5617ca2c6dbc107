"""Hears what a user asks of the AI that it is not or cannot do, and answers it in fixed words."""

from collections.abc import Sequence

from pydantic import Field

from shared.content.crisis_protocol import Voice
from shared.content.help_seeking import LINES_SLOT, lines_at_any_hour
from shared.content.schemas.crisis import CrisisProtocol, TestedPhrases
from shared.content.schemas.voice import Voiced, VoicedVariants
from shared.model import Model
from shared.safety.demands import Demand
from shared.safety.phrases import Phrases
from shared.safety.reading import Reading
from shared.safety.screening import readings_of


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


class DemandWords:
    """The words of `demands.yaml`, in every voice.

    Attributes:
        written: The file as written.
    """

    def __init__(self, written: DemandFile, protocol: CrisisProtocol) -> None:
        """Compile the patterns; they also use the fragments of `protocol`.

        Raises:
            KeyError: A pattern names an unknown fragment.
        """
        self.written = written
        self._entries: dict[Demand, DemandPhrases] = {one: getattr(written.demands, one.value) for one in Demand}
        fragments = protocol.fragments | written.fragments
        self._phrases = {
            one: Phrases(entry.patterns, entry.exclusions, fragments) for one, entry in self._entries.items()
        }
        self._lines = lines_at_any_hour(protocol)

    def preload(self) -> None:
        """Compile the patterns, so that no turn waits for them."""
        self.heard(readings_of(""))

    def heard(self, said: Sequence[Reading]) -> tuple[Demand, ...]:
        """Return what a message asks of the AI."""
        return tuple(one for one, words in self._phrases.items() if words.heard(said))

    def in_danger(self, demand: Demand, voice: Voice) -> str:
        """Return what the AI is or cannot do, with a person or a line that can."""
        said = self._entries[demand].in_danger.at(voice.locale, voice.register_)
        return said.replace(LINES_SLOT, self._lines)

    def otherwise(self, demand: Demand, voice: Voice) -> tuple[str, ...]:
        """Return the wordings of what the AI is or cannot do outside a danger; none if the model may answer."""
        written = self._entries[demand].otherwise
        return written.at(voice.locale, voice.register_) if written else ()
