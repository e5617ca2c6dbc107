"""What is said to somebody under 14: read and checked once. How users state their age: shared/safety/rules."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from shared.content.crisis_protocol import Voice, resource_lines
from shared.content.loader import load_yaml
from shared.content.schemas.age_replies import AgeReplies
from shared.content.schemas.crisis import RESOURCE_SLOT
from shared.safety.needs import Need

_FILE = Path(__file__).parent / "data" / "age_replies.yaml"


@cache
def age_replies() -> AgeReplies:
    """Return the replies as written.

    Raises:
        ContentError: The file is wrong.
    """
    return load_yaml(_FILE, AgeReplies)


def under_14_reply(voice: Voice, variant: int, needs: Iterable[Need], *, first: bool = False) -> str:
    """Return what is said to somebody under 14 where nothing is being followed through.

    Args:
        voice: How this conversation speaks.
        variant: A counter; two neighbours never give the same text.
        needs: What all findings call for.
        first: Whether they have just told their age: the first text thanks them for it, and no other.
    """
    written: tuple[str, ...] = dict(age_replies().replies)[voice.key]
    texts = written[:1] if first else written[1:]
    return texts[variant % len(texts)].replace(RESOURCE_SLOT, resource_lines(voice, needs))


def under_14_behind(voice: Voice) -> str:
    """Return what goes behind the words that a crisis calls for."""
    said: str = dict(age_replies().behind)[voice.key]
    return said
