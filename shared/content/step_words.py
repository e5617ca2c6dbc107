"""Lists a step of the safety plan: the person's words, without the polite ending of a bare noun ("형한테요.")."""

import re

_FIRST, _FINALS = 0xAC00, 28
_SYLLABLES = [chr(code) for code in range(_FIRST, 0xD7A4)]
_CLOSED = f"[{''.join(one for one in _SYLLABLES if (ord(one) - _FIRST) % _FINALS)}]"
"""Syllables with a final consonant; few verbs end so before 요."""
_OPEN = f"[{''.join(one for one in _SYLLABLES if (ord(one) - _FIRST) % (21 * _FINALS) in (8 * 28, 13 * 28, 20 * 28))}]"
"""Syllables in ㅗ, ㅜ and ㅣ without one."""
_NOUN = "|".join(
    f"(?<={one})"
    for one in ("한테", "때", "에서", "상담사", "의사", "엄마", "아빠", "누나", "고양이", "강아지", "어린이")
)
_POLITE = re.compile(
    rf"(?:(?<={_CLOSED})(?<!고양)(?<!어린)이(?:에|예)?요|(?<=[가-힣])(?<!거)예요|(?:{_NOUN})요"
    rf"|(?<![든군걸])(?<={_CLOSED})요|(?<![고지이])(?<!아니)(?<={_OPEN})요)(?=\s*(?:[.,!~…]|$))"
)
_DOUBLED = re.compile(r"[.,!~…]+\s*(?=,)")


def listed(words: str) -> str:
    """Return a step's words as one line of a list has them."""
    return _DOUBLED.sub("", _POLITE.sub("", words)).strip(" .,!~…")
