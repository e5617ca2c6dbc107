"""Normalises spelling, so that the rules need not know every disguise.

It returns up to three readings: the plain one; if different, one in which spaced-out syllables or letters
("죽.고.싶.어", "자1살", "s.u.i.c.i.d.e") are joined and digits are read as letters ("su1cide"); and Korean typed on an
English keyboard layout ("wnrrh tlvek").
"""

import re
import unicodedata

from shared.safety.disguises import TELLING, composed, rejoined

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
_WIDE = re.compile(r"[\uff01-\uffee]")
_ONE_LEVEL = {
    chr(code): chr(int(parts[1], 16))
    for code in range(0xFF01, 0xFFEF)
    if len(parts := unicodedata.decomposition(chr(code)).split()) == 2
}
"""Full-width forms and half-width jamo. Full NFKC would also produce conjoining jamo."""

_APOSTROPHES = "'’‘`´"
_UNSEEN = (
    "\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ud7a4-\ud7ff\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef"
)
"""Zero-width and control characters, Hangul fillers, archaic jamo, accents, lone surrogates."""
_DROPPED = re.compile(f"[{_UNSEEN}{_APOSTROPHES}]")
"""Including apostrophes: don't = dont."""
_STYLES = "\u00aa-\u00bb\u2100-\u24ff\U0001d400-\U0001d7ff"
_STYLED = re.compile(f"[{_STYLES}]")
_UNUSUAL = re.compile(f"[{_STYLES}\uff01-\uffee]")

_OTHER_SIGN = re.compile(rf"[^a-z0-9가-힣 .?!,\n{TELLING}](?<!\w)[^\w.?!,\n{TELLING}]*")
"""Neither a letter nor a sentence mark nor a telling emoji; most letters are excluded first, for speed."""
_MASK = re.compile(r"(?<=[a-z])[!|*@1](?=[a-z*!|1])")
_MASKED = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"s(?<!\ws)[u*@]?[i1!|*]?[c*]+[i1!|*][d*](?=[a-z*3])", "suicid"),
        (r"k(?<!\wk)[i1!|*]ll?\b", "kill"),
        (r"d(?<!\wd)[i1!|*]e\b", "die"),
        (r"u(?<!\wu)n ?[a@4*]l[i1!|*]ve", "unalive"),
    )
)

_WAITING = "to and the a i im my of just so but or want wanna be in that if dont like".split()  # noqa: SIM905
"""Words that expect a continuation: "i want to... die" is one sentence."""


def _after_no_waiting(mark: str) -> str:
    return "".join(rf"(?<!\b{word}{mark})" for word in _WAITING)


_BEGINNING = r"(?:i|im|ive|id|ill|my|he|she|they|we|its?|everyone|everybody|nobody|no one|but)\b"
_ENDING = "[다요죠음임네까냐함됨슴]"
_LINE_END = re.compile(
    rf"\n(?:(?<={_ENDING}\n)|[ \t]*(?=\n)|(?<=[a-z]\n)(?={_BEGINNING})" + _after_no_waiting(r"\n") + ")"
)
"""A line end that also ends a sentence: after a Korean ending, before an empty line, before an English beginning."""
_BLANK_BEFORE_LINE_END = re.compile(
    rf"[ \t](?=[ \t\n])(?:(?<={_ENDING}.)[ \t]*(?=\n)|(?<=[a-z].)[ \t]*(?=\n{_BEGINNING}))"
)
_BLANK_BEFORE_PAUSE = re.compile(r" \.\.(?<=[a-z] \.\.)")
_LATIN_PAUSE = re.compile(r"\.\.(?<=[a-z]\.\.)" + _after_no_waiting(r"\.\.") + r"\.*(?= ?[a-z가-힣])")
_PAUSE = re.compile(r"\.\.+")
_MARKS_AFTER_MARK = re.compile(r"[.?!,](?<=[.?!,][.?!,])[.?!,]*")
_REPEATED = re.compile(r"(.)\1\1+")

_PAST = "갔겠깼꼈놨됐뒀땄떴렀렸맸벴봤빴샀섰셨썼쐈았었였왔웠있잤졌줬쳤컸켰탔팼폈했혔"
_SHORT_PAST = {chr(ord(syllable) - 1): syllable for syllable in _PAST}
_TYPED_SHORT = re.compile(f"[{''.join(_SHORT_PAST)}](?=[어다는음습지네던으고거])")
"""햇어 for 했어: one key instead of two; 낫다 (better) stays."""

_WITH = re.compile(r"w/(?<!\ww/)(?:(o)\b)? ?")
_IN_FULL = (
    (
        re.compile(
            r" 2 (?<=[a-z] 2 )"
            r"(?=(?:be|breathe|bleed|come|cope|crash|cut|die|disappear|do|drown|end|exist|fall|feel|get|give|go|hang|"
            r"harm|have|hit|hurt|jump|keep|kill|leave|let|live|make|not|off|overdose|see|sleep|stay|step|stop|swallow|"
            r"take|talk|tell|try|vanish|wake|walk|me|you|u|him|her|them|the|my|this|myself|death)\b)"
        ),
        " to ",
    ),
    (re.compile(r"(?<!\w)(?:2mora|2moraw|2moro|2morow|2morroww?|2moz|tmr|tmrow|tmrw|tomoz)\b"), "tomorrow"),
    (re.compile(r"(?<!\w)abt(?!\w)"), "about"),
    (re.compile(r"(?<!\w)infront(?!\w)"), "in front"),
    (re.compile(r" n (?<=[a-z] n )(?=[a-z])"), " and "),
    (re.compile(r" w (?<=[a-z] w )(?=[a-z])"), " with "),
)
"""Abbreviations with their full forms."""
_EMPTY_WORDS = re.compile(
    r"(?<!\w)(?:effing|ff?kn|fking|freakin|frekin|frickin|frigg?in|fucken|fuckin|fucking|genuinely|goddamn|highkey|honestly|"
    r"kinda|legit|literally|lowkey|sorta)\b ?"
)
"""Fillers that may stand anywhere; they are removed so that rules need not allow for them."""
_LONE_MARK = re.compile(r" [.?!,](?<=[.?!,] [.?!,])")


def normalise(text: str) -> tuple[str, ...]:
    """Return the one to three readings of `text`; lower case, NFC, single spaces."""
    plain = _in_full(_plain(text))
    return tuple(dict.fromkeys((plain, rejoined(plain), from_keyboard(plain))))


def _plain(text: str) -> str:
    text = composed(_in_usual_letters(text))
    if text.isascii():
        text = text.replace(" & ", " and ")
    text = _WITH.sub(lambda found: "without " if found[1] else "with ", text)
    text = _LINE_END.sub(". ", _BLANK_BEFORE_LINE_END.sub("", text))
    if _MASK.search(text):
        for pattern, word in _MASKED:
            text = pattern.sub(word, text)
    text = _OTHER_SIGN.sub(" ", text).replace("_", " ")
    text = " ".join(_with_single_marks(text).split())
    text = _REPEATED.sub(_once, text)
    return _TYPED_SHORT.sub(lambda found: _SHORT_PAST[found[0]], text)


def _in_usual_letters(text: str) -> str:
    text = unicodedata.normalize("NFC", _DROPPED.sub("", text))
    if _UNUSUAL.search(text):
        text = unicodedata.normalize("NFC", _WIDE.sub(lambda found: _ONE_LEVEL.get(found[0], " "), text))
        text = _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return text.lower()


def _with_single_marks(text: str) -> str:
    text = _PAUSE.sub(" ", _LATIN_PAUSE.sub(".", _BLANK_BEFORE_PAUSE.sub("..", text)))
    return _MARKS_AFTER_MARK.sub("", text)


def _once(found: re.Match[str]) -> str:
    letter = found[1]
    return letter if letter.isalnum() and not letter.isdecimal() else found[0]


def _in_full(text: str) -> str:
    for pattern, full in _IN_FULL:
        text = pattern.sub(full, text)
    emptied = _EMPTY_WORDS.sub("", text)
    return text if emptied == text else _without_lone_marks(emptied).strip() or text


def _without_lone_marks(text: str) -> str:
    if text.startswith(tuple(".?!,")):
        text = text[1:].removeprefix(" ")
    return _LONE_MARK.sub("", text)


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
