r"""The pattern language of the rules, and what it compiles to.

A pattern is a regular expression with six things added:

| written | means |
|---|---|
| two Hangul syllables side by side | with or without a space between them: Korean spacing is a matter of mood |
| a space | in Korean: a space or none |
| `<name>` | a fragment, a piece that patterns share; it may name another |
| `{name:었}`, `{긋:었}` | the stems of that name, or that stem, before an ending (see below) |
| `~` and `~~` | anything short, and anything longer, within the sentence: at most 12 and 30 letters |
| `*` and `+` after a group, a letter or a class | at most 8 words, or 24 letters |

So no match is longer than its pattern allows, and matching takes time in proportion to the text. Classes and
look-behinds are left as they are. An English pattern matches whole words: `cut\w*` where a word may go on.

A rule names a stem and the kind of its ending, `{긋:었}`, and gets its forms: 그었. So rules list no
inflections. The kinds are those of school grammar, each named by its shortest member:

| kind | endings | 죽 | 베 | 뛰어내리 | 긋 | 살 | 자살하 |
|---|---|---|---|---|---|---|---|
| 고 | -고 -기 -지 -게 -자 -겠다 … | 죽 | 베 | 뛰어내리 | 긋 | 살 | 자살하 |
| 는 | -는 -니 -네 | 죽 | 베 | 뛰어내리 | 긋 | 사 | 자살하 |
| 으 | -(으)면 -(으)려고 -(으)러 | 죽으 | 베 | 뛰어내리 | 그으 | 살 | 자살하 |
| ㄹ | -(으)ㄹ: 까 래 게 거 수 | 죽을 | 벨 | 뛰어내릴 | 그을 | 살 | 자살할 |
| ㄴ | -(으)ㄴ | 죽은 | 벤 | 뛰어내린 | 그은 | 산 | 자살한 |
| ㅁ | -(으)ㅁ | 죽음 | 벰 | 뛰어내림 | 그음 | 삶 | 자살함 |
| ㅂ | -ㅂ니다, -습니다 | 죽습 | 벱 | 뛰어내립 | 긋습 | 삽 | 자살합 |
| 어 | -아/어: 서 버리다 도 | 죽어 | 베어, 베 | 뛰어내려 | 그어 | 살아 | 자살해 |
| 었 | -았/었다 | 죽었 | 베었, 벴 | 뛰어내렸 | 그었 | 살았 | 자살했 |

Only the last syllable of a stem changes; any pattern may precede it. Source: 국립국어원, 한글 맞춤법 제15–18항,
제34–38항.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

_FIRST, _LAST = ord("가"), ord("힣")
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_TAILS: list[str] = ["", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"]
_LOSE_SIEUT = frozenset("긋짓낫붓잇젓")
"""긋다 그어, 낫다 나아; 웃다 and 씻다 keep theirs."""
_DIGEUT_TO_RIEUL = frozenset("듣걷깨닫싣묻")
"""듣다 들어; 받다 and 믿다 keep theirs. 묻다 is taken as "ask"."""
_BIEUP_TO_U = frozenset("굽눕춥덥맵쉽렵겁롭럽갑깝답둡밉섭껍")
"""눕다 누워, 외롭다 외로워; 잡다 and 입다 keep theirs."""
_REU_AS_EU = frozenset(("따르", "치르", "들르", "푸르"))
"""따르다 따라; all other stems in 르 double the consonant: 찌르다 찔러."""
_FUSED = {"ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅣ": "ㅕ", "ㅚ": "ㅙ"}
"""Vowels that fuse with the ending's, or stay apart: 주어 and 줘; ㅣ always fuses within a longer stem."""
_SWALLOW = frozenset("ㅏㅓㅐㅔㅕ")
"""Vowels that absorb the ending's: 가 + 아 = 가; after ㅐ and ㅔ it may be written, 베어."""


class Ending(StrEnum):
    """Kinds of endings."""

    PLAIN = "고"
    NEUN = "는"
    EU = "으"
    RIEUL = "ㄹ"
    NIEUN = "ㄴ"
    MIEUM = "ㅁ"
    BIEUP = "ㅂ"
    INFINITIVE = "어"
    PAST = "었"


_AS_IT_IS = re.compile(r"(\\[a-zA-Z][*+]?|\\.|\(\?<[=!][^)]*\)|\[[^\]]*\][*+]?)")
_BETWEEN_SYLLABLES = re.compile(r"(?<=[가-힣])(?=[가-힣])")
_FRAGMENT = re.compile(r"<([a-z_]+)>")
_INFLECTED = re.compile(r"\{([a-z_]+|[^{}:a-z]+):([고는으ㄹㄴㅁㅂ어었])\}")
_NO_ENDING = re.compile(r"\{[^{}]*:[^{}]*\}")
_GAP = re.compile(r"~~?")
_GAPS = {"~": "[^.?!]{0,12}?", "~~": "[^.?!]{0,30}?"}
_REPEATED_LETTER = re.compile(r"([a-z가-힣])([*+])")
_WORDS = {"*": "{0,8}", "+": "{1,8}"}
_LETTERS = {"*": "{0,24}", "+": "{1,24}"}


@dataclass(frozen=True)
class Vocabulary:
    """What the patterns of a language share.

    Attributes:
        fragments: Pieces of patterns by name.
        stems: Korean stems by the name of their group.
        whole_words: Whether a pattern matches whole words only, and a space in it is one.
    """

    fragments: Mapping[str, str] = field(default_factory=dict)
    stems: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole_words: bool = False

    def source(self, pattern: str) -> str:
        """Return a pattern as a regular expression.

        Raises:
            KeyError: It names a fragment or a group of stems that is not there.
            ValueError: It names an ending that is not there.
        """
        filled = _INFLECTED.sub(self._forms, _filled(pattern, self.fragments))
        if unknown := _NO_ENDING.search(filled):
            raise ValueError(f"{unknown[0]}: an ending is one of {' '.join(Ending)}")
        filled = _GAP.sub(lambda found: _GAPS[found[0]], filled)
        return rf"\b(?:{_pieced(filled, _repeated)})\b" if self.whole_words else _pieced(filled, _spaced)

    def _forms(self, found: re.Match[str]) -> str:
        named, ending = found.groups()
        stems = self.stems[named] if named.isascii() else [named]
        filled = (_filled(stem, self.fragments) for stem in stems)
        forms = dict.fromkeys(form for stem in filled for form in inflected(stem, Ending(ending)))
        return f"(?:{'|'.join(forms)}) "


def expand(pattern: str, fragments: Mapping[str, str] | None = None) -> str:
    """Return a pattern as a regular expression, its blanks optional as in Korean.

    Raises:
        KeyError: It names a fragment that is not there.
    """
    return _pieced(_filled(pattern, fragments or {}), _spaced)


def _pieced(pattern: str, rewrite: Callable[[str], str]) -> str:
    """Return a pattern with every repetition bounded, and rewritten but for classes, escapes and look-behinds."""
    pieces = _AS_IT_IS.split(pattern)
    pieces[::2] = map(rewrite, pieces[::2])
    pieces[1::2] = map(_bounded, pieces[1::2])
    return "".join(pieces)


def _filled(pattern: str, fragments: Mapping[str, str]) -> str:
    return _FRAGMENT.sub(lambda found: _filled(fragments[found[1]], fragments), pattern)


def _repeated(piece: str) -> str:
    piece = _REPEATED_LETTER.sub(lambda found: found[1] + _LETTERS[found[2]], piece)
    for sign, times in _WORDS.items():
        piece = piece.replace(f"){sign}", f"){times}")
    return piece


def _spaced(piece: str) -> str:
    return _BETWEEN_SYLLABLES.sub(" ?", _repeated(piece).replace(" ?", " ").replace(" ", " ?"))


def _bounded(piece: str) -> str:
    sign = piece[-1]
    return piece[:-1] + _LETTERS[sign] if len(piece) > 2 and sign in _LETTERS else piece


def inflected(stem: str, ending: Ending) -> tuple[str, ...]:
    """Return the forms of a stem before an ending, the usual one first.

    Args:
        stem: Dictionary form without -다; its last letter is a Hangul syllable.
        ending: The kind of ending.

    Raises:
        ValueError: The stem does not end with a syllable.
    """
    if not stem or not _FIRST <= ord(stem[-1]) <= _LAST:
        raise ValueError(f"no Korean stem: {stem!r}")
    match ending:
        case Ending.PLAIN:
            return (stem,)
        case Ending.NEUN:
            return (_with_tail(stem, "") if _tail(stem) == "ㄹ" else stem,)
        case Ending.BIEUP:
            return (_with_tail(stem, "ㅂ") if _tail(stem) in ("", "ㄹ") else f"{stem}습",)
        case Ending.INFINITIVE:
            return _infinitive(stem)
        case Ending.PAST:
            return tuple(_with_tail(form, "ㅆ") for form in _infinitive(stem))
        case _:
            return (_before_eu(stem, ending),)


def _before_eu(stem: str, ending: Ending) -> str:
    """Return a stem with -(으) and the ending's joining consonant, if any."""
    open_stem = _opened(stem)
    joined = "" if ending is Ending.EU else ending.value
    if _tail(stem) == "ㄹ":
        return _with_tail(stem, {"": "ㄹ", "ㄹ": "ㄹ", "ㄴ": "ㄴ", "ㅁ": "ㄻ"}[joined])
    if _tail(stem) == "":
        return _with_tail(stem, joined)
    if stem[-1] in _BIEUP_TO_U:
        return open_stem + _with_tail("우", joined)
    return open_stem + _with_tail("으", joined)


def _infinitive(stem: str) -> tuple[str, ...]:
    last, vowel = stem[-1], _vowel(stem)
    bright = "아" if vowel in "ㅏㅗ" else "어"
    if last == "하":
        return (f"{stem[:-1]}해", f"{stem}여")
    if _tail(stem):
        if last in _BIEUP_TO_U:
            return (f"{_opened(stem)}워",)
        return (_opened(stem) + bright, *((f"{stem[:-1]}놔",) if last == "놓" else ()))
    if last == "르" and stem[-2:] not in _REU_AS_EU and len(stem) > 1 and not _tail(stem[:-1]):
        return (_with_tail(stem[:-1], "ㄹ") + ("라" if _vowel(stem[:-1]) in "ㅏㅗ" else "러"),)
    if vowel == "ㅡ":
        before = _vowel(stem[:-1]) if len(stem) > 1 and _FIRST <= ord(stem[-2]) <= _LAST else ""
        return (_with_vowel(stem, "ㅏ" if before in ("ㅏ", "ㅗ") else "ㅓ"),)
    if vowel in _SWALLOW:
        return (stem, stem + bright) if vowel in "ㅐㅔ" else (stem,)
    if vowel in _FUSED:
        fused = _with_vowel(stem, _FUSED[vowel])
        return (fused,) if vowel == "ㅣ" and len(stem) > 1 else (fused, stem + bright)
    return (stem + bright,)


def _opened(stem: str) -> str:
    """Return a stem before a vowel: some lose or change their last consonant."""
    last = stem[-1]
    if last in _LOSE_SIEUT or last in _BIEUP_TO_U:
        return _with_tail(stem, "")
    return _with_tail(stem, "ㄹ") if last in _DIGEUT_TO_RIEUL else stem


def _tail(stem: str) -> str:
    return _TAILS[(ord(stem[-1]) - _FIRST) % len(_TAILS)]


def _vowel(stem: str) -> str:
    return _VOWELS[(ord(stem[-1]) - _FIRST) // len(_TAILS) % len(_VOWELS)]


def _with_tail(stem: str, tail: str) -> str:
    code = ord(stem[-1]) - _FIRST
    return stem[:-1] + chr(_FIRST + code - code % len(_TAILS) + _TAILS.index(tail))


def _with_vowel(stem: str, vowel: str) -> str:
    code = ord(stem[-1]) - _FIRST
    lead, tail = code // (len(_TAILS) * len(_VOWELS)), code % len(_TAILS)
    return stem[:-1] + chr(_FIRST + (lead * len(_VOWELS) + _VOWELS.index(vowel)) * len(_TAILS) + tail)
