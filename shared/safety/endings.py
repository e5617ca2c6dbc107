"""Inflects Korean stems: the form of a stem before each kind of ending.

A rule names a stem and the kind of its ending, `{긋:었}`, and this module returns the forms: 그었. So rules list no
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
        before = _vowel(stem[:-1]) if len(stem) > 1 and _is_syllable(stem[-2]) else ""
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


def _is_syllable(letter: str) -> bool:
    return _FIRST <= ord(letter) <= _LAST


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
