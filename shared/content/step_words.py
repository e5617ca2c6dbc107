"""Lists a step of the safety plan: the person's words, without the polite ending of a bare noun ("형한테요.")."""

import re

_POLITE = re.compile(r"(?:(?<=[가-힣])(?<!거)(?:이에요|예요)|(?:(?<=한테)|(?<=에서)|(?<= 때))요)(?=\s*(?:[.,!~…]|$))")
"""Behind a noun or a particle alone: "친구요" might as well be the end of a verb, and stays."""
_DOUBLED = re.compile(r"[.,!~…]+\s*(?=,)")


def listed(words: str) -> str:
    """Return a step's words as one line of a list has them."""
    return _DOUBLED.sub("", _POLITE.sub("", words)).strip(" .,!~…")
