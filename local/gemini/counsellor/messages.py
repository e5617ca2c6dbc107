"""Classifies messages: a greeting, thanks, a yes, a refusal, a request for advice."""

import re
from functools import cache

from local.gemini.counsellor.data_files import Data, load

_EDGE = re.compile(r"^[\s,.!?~…ㅠㅜㅋㅎ^]+|[\s,.!?~…ㅠㅜㅋㅎ^]+$")


class MessageData(Data):
    """See data/messages.yaml."""

    whole: dict[str, str]
    anywhere: dict[str, str]


def is_a(kind: str, text: str) -> bool:
    """Tell whether the whole text is of a kind (`whole` in the data)."""
    return any(_whole(kind).fullmatch(form) for form in (_EDGE.sub("", text), text.strip()))


def has(kind: str, text: str) -> bool:
    """Tell whether the text contains a kind (`anywhere` in the data)."""
    return bool(_anywhere(kind).search(text.strip()))


def is_small_talk(text: str) -> bool:
    """Tell whether a sentence is only a greeting, thanks, a yes or a no."""
    bare = _EDGE.sub("", text)
    return not bare or any(_whole(kind).fullmatch(bare) for kind in ("greeting", "thanks", "yes", "no"))


def danger_in(text: str) -> str:
    """Return "crisis" or "concern" for danger to the writer's own life, else "none"."""
    if has("no_danger", text):
        return "none"
    if has("danger", text):
        return "crisis"
    return "concern" if has("maybe_danger", text) else "none"


@cache
def _data() -> MessageData:
    return load("messages", MessageData)


@cache
def _whole(kind: str) -> re.Pattern[str]:
    return re.compile(_data().whole[kind], re.IGNORECASE)


@cache
def _anywhere(kind: str) -> re.Pattern[str]:
    return re.compile(_data().anywhere[kind], re.IGNORECASE)
