"""Whether a text that is still being written may yet become what a pattern asks for.

Every letter of the pattern may also be the end of the text: what then matches is a match or the beginning of one.
"""

import re

_TOKEN = re.compile(
    r"\(\?(?:<[=!]|!)"  # what is looked at and not taken stays as it is
    r"|\(\?[:=]|[()|]|[?*+]\??|\{\d+,?\d*\}\??"
    r"|\\.|\[\^?\]?(?:\\.|[^\]])*\]|.",
    re.DOTALL,
)
_LOOKS = ("(?<=", "(?<!", "(?!")
_STRUCTURE = frozenset(("(?:", "(?=", "(", ")", "|"))
_REPEATS = frozenset("?*+{")


def beginning_of(source: str) -> re.Pattern[str]:
    r"""Return a pattern that matches what `source` matches, and at a text's end every beginning of it.

    Args:
        source: A regular expression without backreferences and named groups.
    """
    tokens = _TOKEN.findall(source)
    written: list[str] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token in _LOOKS:
            end = _closed(tokens, place)
            written.extend(tokens[place:end])
            place = end
            continue
        written.append(token if token in _STRUCTURE or token[0] in _REPEATS else rf"(?:{token}|\Z)")
        place += 1
    return re.compile("".join(written))


def _closed(tokens: list[str], place: int) -> int:
    """Return the place behind the group that opens at `place`."""
    depth = 0
    for at in range(place, len(tokens)):
        depth += tokens[at].startswith("(") - (tokens[at] == ")")
        if depth == 0:
            return at + 1
    return len(tokens)
