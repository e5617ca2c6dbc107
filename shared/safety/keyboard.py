"""Decodes Korean typed on an English keyboard layout: "wnrrh tlvek" is 죽고 싶다."""

import re

_KEYS = dict(zip("rsefaqtdwczxvgkoiphynjbuml", "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎㅏㅐㅑㅔㅗㅛㅜㅓㅠㅕㅡㅣ", strict=True))
_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅗㅏ ㅗㅐ ㅗㅣ ㅛ ㅜ ㅜㅓ ㅜㅔ ㅜㅣ ㅠ ㅡ ㅡㅣ ㅣ".split()  # noqa: SIM905 - too long as a list
_TAILS = [
    "",
    *"ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ".split(),  # noqa: SIM905
]
_FIRST_SYLLABLE = 0xAC00

_WORD = re.compile(r"[a-z][a-z]*")  # a class of one letter first lets the engine skip ahead
_LONG_ENOUGH = re.compile(r"[a-z][a-z]{3}")
_SYLLABLE = re.compile(
    rf"([{_LEADS}])({'|'.join(sorted(_VOWELS, key=len, reverse=True))})"
    rf"((?:{'|'.join(sorted(filter(None, _TAILS), key=len, reverse=True))})(?![ㅏ-ㅣ]))?"
)


def from_keyboard(text: str) -> str:
    """Read the Latin words of a lower-case text as Korean keys; unchanged if one makes no syllables."""
    if not _LONG_ENOUGH.search(text):
        return text
    meant: dict[str, str] = {}
    for word in (found[0] for found in _WORD.finditer(text)):
        if word in meant:
            continue
        syllables = _SYLLABLE.sub(_compose, "".join(_KEYS[key] for key in word))
        if not all("가" <= syllable <= "힣" for syllable in syllables):
            return text
        meant[word] = syllables
    return _WORD.sub(lambda found: meant[found[0]], text)


def _compose(found: re.Match[str]) -> str:
    lead, vowel, tail = found.groups(default="")
    block = _LEADS.index(lead) * len(_VOWELS) + _VOWELS.index(vowel)
    return chr(_FIRST_SYLLABLE + block * len(_TAILS) + _TAILS.index(tail))
