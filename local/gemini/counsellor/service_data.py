"""The phrases of the services beside the counselling; see data/services.yaml."""

from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.prompt import Prompt


class ServiceWords(Data):
    """Texts by language; of a pair the first is polite and the second casual."""

    reads: str
    misses: str
    searches: str
    done: str
    asks_document: str
    asks_else: str
    quoted: tuple[str, str]
    also: tuple[str, str]
    absent: tuple[str, str]


class ServiceData(Data):
    """Patterns, endings and texts."""

    off_topic: str
    about_itself: str
    filler: str
    endings: dict[str, tuple[str, str]]
    days: dict[str, str]
    times: dict[str, str]
    ways: dict[str, str]
    note: str
    ko: ServiceWords
    en: ServiceWords


def service_data() -> ServiceData:
    return load("services", ServiceData)


def words_for(prompt: Prompt) -> ServiceWords:
    """Return the texts in the language of the prompt."""
    return service_data().ko if prompt.is_korean else service_data().en
