"""Converts a Korean clause to quotable form: "잠을 못 자요" → "잠을 못 잔다"(는 말씀)."""

import re
from functools import cache

from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.hangul import Syllable, is_closed, take_apart, with_particle

_COPULA = re.compile(r"^(.*[^\s은는이가을를도])(?:이에요|예요|에요|이야|이요|입니다|이거든요|이라서요?|이네요)$")
_NOUN_SENTENCE = re.compile(r"^(.+(?:얘기|이야기|소리|문제|때))요$")
_THING = re.compile(r"^(.*[은는을ㄹ할될볼갈올] ?)(?:거|건|게)(?:예요|에요|야|죠|네요?|잖아요?|지요|고요)$")
_ADNOMINAL = re.compile(r"^(.+?)(?:데요?|가 봐요?)$")
_SPEAKER = re.compile("\u2060(?:(내가)|나(에게|한테만|한테|보다|처럼|만|도|를|랑|와)|(내) )")
"""References to the speaker in a quotation; the mark comes from endings.yaml."""
_AGREEING = {"를": "을", "랑": "이랑", "와": "과"}
_NO_NAMES = re.compile(r"^(?:그|이|저|아)$")


class EndingData(Data):
    """See data/endings.yaml."""

    after_stem: tuple[str, ...]
    states: tuple[str, ...]
    states_in_ha: tuple[str, ...]
    irregular: dict[str, str]
    verbs: tuple[str, ...]
    stems_in_i: tuple[str, ...]
    nouns: tuple[str, ...]
    requests: tuple[str, ...]
    speaker: tuple[tuple[str, str], ...]
    openers: str
    because: str
    question_ends: str
    sentence_break: str
    connective: str


@cache
def ending_data() -> EndingData:
    return load("endings", EndingData)


def quotable(clause: str, called: str = "") -> str:
    """Return the clause ready for 는 or 고 ("잠을 못 잔다", "내 탓이라"), or "" for an unknown ending.

    Args:
        clause: As written.
        called: See `addressed`.
    """
    text = as_quoted_speech(clause)
    if len(text) < 2 or "?" in clause or re.search(ending_data().question_ends, text):
        return ""
    return addressed(_plain(text) or "", called)


def as_quoted_speech(clause: str) -> str:
    """Strip a clause, and replace its "저" by the "나" of a quotation, marked for `addressed`."""
    text = re.sub(r"[\s.!?~…,ㅠㅜㅋㅎ^\"'“”‘’]+$", "", clause.strip())
    openers = re.compile(ending_data().openers)
    while (shorter := openers.sub("", text, count=1)) != text:
        text = shorter
    for pattern, replacement in ending_data().speaker:
        text = re.sub(pattern, replacement, text)
    return text.strip()


def addressed(text: str, called: str = "") -> str:
    """Replace references to the speaker by the user's name: "내 탓" would mean the counsellor's.

    Args:
        text: A quotation from `as_quoted_speech`.
        called: Form of address (지우 님); without it the quotation keeps its "나".
    """

    def put(found: re.Match[str]) -> str:
        if found[1]:
            return with_particle(called, "이")
        if found[3]:
            return called + " "
        return with_particle(called, _AGREEING[found[2]]) if found[2] in _AGREEING else called + found[2]

    return (_SPEAKER.sub(put, text) if called else text).replace("\u2060", "")


def _plain(text: str) -> str | None:
    if text.endswith(("다", "더라")):
        return _formal(text)
    for reading in (_reason, _thing, _copula, _noun, _after_ss, _before_particle, _irregular, _informal):
        found = reading(text)
        if found:
            return found
    return None


def _formal(text: str) -> str | None:
    """합니다 → 한다, 힘듭니다 → 힘들다; plain 다 stays."""
    if text.endswith("입니다"):
        return _copula(text)
    if text.endswith("습니다"):
        return _of_stem(text[:-3])
    if text.endswith("니다") and len(text) > 2 and (last := take_apart(text[-3])) and last.final == "ㅂ":
        stem = text[:-3] + str(last._replace(final=""))
        with_lieul = text[:-3] + str(last._replace(final="ㄹ"))
        return with_lieul + "다" if _ends(with_lieul, ending_data().states) else _of_stem(stem)
    return text if len(text) > 2 else None


def _reason(text: str) -> str | None:
    """힘들어서(요) → 힘들다: half a sentence counts as the whole."""
    found = re.fullmatch(r"(.+[가-힣])서요?", text)
    return _irregular(found[1] + "요") or _informal(found[1] + "요") if found else None


def _thing(text: str) -> str | None:
    found = _THING.match(text)
    if found is None and text.endswith((" 거", " 거요")):
        return text.removesuffix("요") + "라"
    return f"{found[1]}거라" if found else None


def _copula(text: str) -> str | None:
    found = _COPULA.match(text) or _NOUN_SENTENCE.match(text)
    if not found or _NO_NAMES.match(found[1]) or _is_verb_in_i(text, found[1]):
        return None
    return with_particle(found[1], "이라고").removesuffix("고")


def _is_verb_in_i(text: str, before: str) -> bool:
    """Tell whether 이 belongs to the verb (보이네요, 줄이네요)."""
    rest = text[len(before) :]
    return rest[:2] in ("이네", "이거") and (not is_closed(before) or f"{before}이".endswith(ending_data().stems_in_i))


def _noun(text: str) -> str | None:
    """카페요 → 카페라: a noun that looks like a verb in 해요 form."""
    bare = _without_politeness(text)
    return with_particle(bare, "이라고").removesuffix("고") if _ends(bare, ending_data().nouns) else None


def _after_ss(text: str) -> str | None:
    """Past, 있다 and 겠다: a form with ㅆ is quoted with 다."""
    for place in range(len(text) - 1, max(len(text) - 6, 0), -1):
        syllable = take_apart(text[place])
        if syllable and syllable.final == "ㅆ":
            rest = text[place + 1 :]
            known = ("어요", "어", "음", *ending_data().after_stem)
            return text[: place + 1] + "다" if rest in known else None
    return None


def _before_particle(text: str) -> str | None:
    for ending in sorted(ending_data().after_stem, key=len, reverse=True):
        if text.endswith(ending) and len(text) > len(ending) + 1:
            return _before_ending(text[: -len(ending)], ending)
    found = _ADNOMINAL.match(text)
    last = take_apart(found[1][-1]) if found else None
    if found and last and last.final == "ㄴ" and found[1][-1] not in "는텐":
        if found[1].endswith("은"):
            return _of_stem(found[1][:-1])
        return _of_stem(_lieul_restored(found[1][:-1] + str(last._replace(final=""))))
    return None


def _before_ending(stem: str, ending: str) -> str | None:
    if stem.endswith("더"):
        return stem + "라"
    if ending.startswith("더"):
        return stem + "더라"
    if ending in ("고요", "구요") and stem.endswith(("다", "이라", "니라", "거라")):
        return stem  # quoted already: 화가 난다(고요)
    if ending in ("고요", "구요") and stem.endswith("려"):
        return stem + " 한다"
    return _of_noun_with_ida(stem) or _of_stem(_lieul_restored(stem))


def _of_noun_with_ida(stem: str) -> str | None:
    """탓이(고요) → 탓이라."""
    is_noun = stem.endswith("이") and is_closed(stem[:-1]) and not stem.endswith(ending_data().stems_in_i)
    return stem + "라" if is_noun else None


def _lieul_restored(stem: str) -> str:
    """힘드(네요) → 힘들."""
    last = take_apart(stem[-1:])
    if last and not last.final:
        whole = stem[:-1] + str(last._replace(final="ㄹ"))
        if _ends(whole, ending_data().states):
            return whole
    return stem


def _irregular(text: str) -> str | None:
    bare = _without_politeness(text)
    for ending, quoted in sorted(ending_data().irregular.items(), key=lambda pair: -len(pair[0])):
        if bare.endswith(ending):
            before = bare[: -len(ending)]
            whole_word = not before or before.endswith(" ") or len(ending) > 1 or before[-1] in "못안"
            return before + quoted if whole_word else None
    return None


def _without_politeness(text: str) -> str:
    return text[:-1] if text.endswith(("요", "용", "여")) and len(text) > 2 else text


def _informal(text: str) -> str | None:
    """Return the 해요 form of another verb, converted by its stem."""
    bare = _without_politeness(text)
    last = take_apart(bare[-1:])
    if last is None or last.final or len(bare) < 2:
        return None
    if bare[-1] == "해":
        return _of_stem(bare[:-1] + "하")
    if bare[-1] in "세셔":  # the honorific 시: 하세요 → 하신다
        if bare.endswith(ending_data().requests):
            return None
        return bare[:-1] + ("센다" if bare.endswith(" 세") else "신다")
    if bare[-1] in "아어여":
        return _of_stem(bare[:-1]) if take_apart(bare[-2]) and is_stem(bare[:-1]) else None
    return _contracted(bare, last)


def is_stem(text: str) -> bool:
    """Tell whether 아 or 어 may follow it uncontracted."""
    last = take_apart(text[-1:])
    return last is not None and bool(last.final)


def _contracted(bare: str, last: Syllable) -> str | None:
    """Return the plain form of a verb whose stem runs into its ending; None for others, which may be nouns."""
    before = take_apart(bare[-2])
    if bare[-1] == "뭐":
        return None
    if bare[-1] in "게께" and before and before.final == "ㄹ":
        return None  # a promise (해 볼게요): whether the ㄹ belongs to the stem (살게요) is unknown
    if last == Syllable("ㅇ", "ㅝ", "") and before and not before.final:
        return bare[:-2] + str(before._replace(final="ㅂ")) + "다"
    known = re.search(rf"(?:^| |[안못])(?:{'|'.join(ending_data().verbs)})$", bare)
    if known and last.initial == "ㄹ" and last.vowel in "ㅏㅓ" and before and before.final == "ㄹ":
        return bare[:-2] + str(before._replace(final="")) + "른다"
    opened = {"ㅕ": "ㅣ", "ㅘ": "ㅗ", "ㅝ": "ㅜ", "ㅙ": "ㅚ"}.get(last.vowel)
    if opened and (last.vowel != "ㅘ" or last.initial in "ㅇㅂㄴ"):
        return bare[:-1] + str(Syllable(last.initial, opened, "ㄴ")) + "다"
    if known and last.vowel in "ㅏㅓㅐㅔ" and last.initial != "ㅇ":
        return bare[:-1] + str(last._replace(final="ㄴ")) + "다"
    return None


def _of_stem(stem: str) -> str | None:
    last = take_apart(stem[-1:])
    if last is None:
        return None
    if _is_state(stem) or last.final == "ㅆ":
        return stem + "다"
    if last.final == "ㄹ" or not last.final:
        return stem[:-1] + str(last._replace(final="ㄴ")) + "다"
    return stem + "는다"


def _is_state(stem: str) -> bool:
    data = ending_data()
    if stem.endswith("하"):
        return _ends(stem[:-1], data.states_in_ha) or stem.endswith(("스러하", "롭하"))
    if stem.endswith("않"):
        return bool(re.search(r"지(?:가|는|도)? 않$", stem)) and _is_state(re.sub(r"지(?:가|는|도)? 않$", "", stem))
    return _ends(stem, data.states) or stem.endswith(("스럽", "롭", "럽", "겁", "렵", "섭", "쁘", "프"))


def _ends(text: str, words: tuple[str, ...]) -> bool:
    """Tell whether the last word is one of these, also after 안 and the like."""
    return any(text == word or text.endswith((" " + word, word)) for word in words)
