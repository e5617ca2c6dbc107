"""Brings what people type to one spelling, so that the rules need not know every disguise.

Up to three readings come out: the plain one; where they differ, one in which syllables or letters that were pulled
apart ("죽.고.싶.어", "자1살", "s.u.i.c.i.d.e") are joined and digits stand for the letters they imitate ("su1cide");
and what was meant by Korean that was typed with the keyboard in English ("wnrrh tlvek").

Messages may be long, so a step is taken only where something asks for it. A pattern starts with a letter, or a class
of one, and looks behind afterwards: so the engine skips ahead to the few that matter.
"""

import re
import unicodedata
from collections.abc import Set as AbstractSet

from shared.safety.disguises import MEANT, TELLING, composed, latin_words, rejoined
from shared.safety.keyboard import from_keyboard

_WIDE = re.compile(r"[\uff01-\uffee]")
_ONE_LEVEL = {
    chr(code): chr(int(parts[1], 16))
    for code in range(0xFF01, 0xFFEF)
    if len(parts := unicodedata.decomposition(chr(code)).split()) == 2
}
"""Full-width forms and half-width jamo. NFKC itself goes on to conjoining jamo, which lose what was typed."""

_APOSTROPHES = "'’‘`´"
_UNSEEN = (
    "\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ud7a4-\ud7ff\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef"
)
"""Zero-width and control characters, Hangul fillers, jamo of long ago, accents, lone surrogates."""
_DROPPED = re.compile(f"[{_UNSEEN}{_APOSTROPHES}]")
"""With the apostrophes: don't = dont."""
_STYLES = "\u00aa-\u00bb\u2100-\u24ff\U0001d400-\U0001d7ff"
_STYLED = re.compile(f"[{_STYLES}]")
_UNUSUAL = re.compile(f"[{_STYLES}\uff01-\uffee]")
_NOT_USUAL = re.compile("[^\t\n -&(-_a-~가-힣ㄱ-ㅣ–—“”…☀-➿\U0001f300-\U0001faff]")
"""Every other letter or sign has nothing to do with the above, and is in NFC."""

_OTHER_SIGN = re.compile(rf"[^a-z0-9가-힣 .?!,\n{TELLING}](?<!\w)[^\w.?!,\n{TELLING}]*")
"""Neither letter nor mark of a sentence nor a telling picture; most letters are ruled out first, as that is quick."""
_MASKS = {sign: re.compile(rf"{re.escape(sign)}(?<=[a-z].)[a-z*!|1]") for sign in "!|*@1"}
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
"""Words that wait for another: "i want to... die" is one sentence."""


def _after_no_waiting(mark: str) -> str:
    return "".join(rf"(?<!\b{word}{mark})" for word in _WAITING)


_BEGINNING = r"(?:i|im|ive|id|ill|my|he|she|they|we|its?|everyone|everybody|nobody|no one|but)\b"
_ENDING = "[다요죠음임네까냐함됨슴]"
_LINE_END = re.compile(
    rf"\n(?:(?<={_ENDING}\n)|[ \t]*(?=\n)|(?<=[a-z]\n)(?={_BEGINNING})" + _after_no_waiting(r"\n") + ")"
)
"""One that ends a sentence too: after a Korean ending, before an empty line, before an English beginning."""
_BLANK_BEFORE_LINE_END = re.compile(
    rf"[ \t](?=[ \t\n])(?:(?<={_ENDING}.)[ \t]*(?=\n)|(?<=[a-z].)[ \t]*(?=\n{_BEGINNING}))"
)
_BLANK_BEFORE_PAUSE = re.compile(r" \.\.(?<=[a-z] \.\.)")
_LATIN_PAUSE = re.compile(r"\.\.(?<=[a-z]\.\.)" + _after_no_waiting(r"\.\.") + r"\.*(?= ?[a-z가-힣])")
_PAUSE = re.compile(r"\.\.+")
_MARKS_AFTER_MARK = re.compile(r"[.?!,](?<=[.?!,][.?!,])[.?!,]*")
_REPEATED = re.compile(r"(.)\1\1+")

_WITH = re.compile(r"w/(?<!\ww/)(?:(o)\b)? ?")
_IN_FULL = {
    "2": (
        re.compile(
            r" 2 (?<=[a-z] 2 )"
            r"(?=(?:be|breathe|bleed|come|cope|crash|cut|die|disappear|do|drown|end|exist|fall|feel|get|give|go|hang|"
            r"harm|have|hit|hurt|jump|keep|kill|leave|let|live|make|not|off|overdose|see|sleep|stay|step|stop|swallow|"
            r"take|talk|tell|try|vanish|wake|walk|me|you|u|him|her|them|the|my|this|myself|death)\b)"
        ),
        " to ",
    ),
    **{
        word: (re.compile(rf"{word}(?<!\w{word})\b"), "tomorrow")
        for word in "2mora 2moraw 2moro 2morow 2morrow 2morroww 2moz tmr tmrow tmrw tomoz".split()  # noqa: SIM905
    },
    "n": (re.compile(r" n (?<=[a-z] n )(?=[a-z])"), " and "),
    "w": (re.compile(r" w (?<=[a-z] w )(?=[a-z])"), " with "),
}
"""Words in short, each with what it is in full."""
_EMPTY_WORDS = {
    word: re.compile(rf"{word}(?<!\w{word})\b ?")
    for word in (
        *("effing", "ffkn", "fking", "fkn", "freakin", "frekin", "frickin", "friggin", "frigin", "fucken", "fuckin"),
        *("fucking", "genuinely", "goddamn", "highkey", "honestly", "kinda", "legit", "literally", "lowkey", "sorta"),
    )
}
"""Words that weigh nothing and stand anywhere: without them the rules need not reckon with them."""
_UNUSUAL_WORDS = frozenset((*_IN_FULL, *_EMPTY_WORDS, *MEANT))
"""All Latin words to which something is done: a message is gone through for them once."""
_LONE_MARK = re.compile(r" [.?!,](?<=[.?!,] [.?!,])")


def normalise(text: str) -> tuple[str, ...]:
    """Return the one to three readings of `text`; lower case, NFC, single spaces."""
    plain = _plain(text)
    unusual = _UNUSUAL_WORDS.intersection(latin_words(plain))
    plain = _in_full(plain, unusual)
    return tuple(dict.fromkeys((plain, rejoined(plain, unusual), from_keyboard(plain))))


def _plain(text: str) -> str:
    text = composed(_in_usual_letters(text))
    if "&" in text and text.isascii():
        text = text.replace(" & ", " and ")
    if "w/" in text:
        text = _WITH.sub(lambda found: "without " if found[1] else "with ", text)
    if "\n" in text:
        text = _with_line_ends_as_marks(text)
    text = _OTHER_SIGN.sub(" ", _unmasked(text)).replace("_", " ")
    text = _single_spaced(_with_single_marks(text))
    if _may_have_triples(text):
        text = _REPEATED.sub(_once, text)
    return text


def _in_usual_letters(text: str) -> str:
    if text.isascii():
        return text.replace("'", "").replace("`", "").lower()
    if not _NOT_USUAL.search(text):
        return text.lower()
    text = _DROPPED.sub("", text)
    if not _NOT_USUAL.search(text):
        return text.lower()
    if _UNUSUAL.search(text):
        text = _WIDE.sub(lambda found: _ONE_LEVEL.get(found[0], " "), text)
        text = unicodedata.normalize("NFC", text)
        return _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text).lower()
    return unicodedata.normalize("NFC", text).lower()


def _with_line_ends_as_marks(text: str) -> str:
    if " \n" in text or "\t\n" in text:
        text = _BLANK_BEFORE_LINE_END.sub("", text)
    return _LINE_END.sub(". ", text)


def _unmasked(text: str) -> str:
    if any(sign in text and mask.search(text) for sign, mask in _MASKS.items()):
        for pattern, word in _MASKED:
            text = pattern.sub(word, text)
    return text


def _with_single_marks(text: str) -> str:
    if ".." in text:
        if " .." in text:
            text = _BLANK_BEFORE_PAUSE.sub("..", text)
        text = _PAUSE.sub(" ", _LATIN_PAUSE.sub(".", text))
    return _MARKS_AFTER_MARK.sub("", text)


def _single_spaced(text: str) -> str:
    text = text.replace("\n", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip(" ")


def _may_have_triples(text: str) -> bool:
    """Compare the text with itself, shifted by one letter and by two: as numbers, which is far quicker."""
    letters = text.encode("utf-16-le")[::2]  # one byte of each: unlike letters seldom have the same
    number = int.from_bytes(letters, "little")
    unlike_next = number ^ number >> 8
    unlike_next_two = unlike_next | unlike_next >> 8
    return b"\0" in unlike_next_two.to_bytes(len(letters), "little") or len(letters) != len(text)


def _once(found: re.Match[str]) -> str:
    letter = found[1]
    return letter if letter.isalnum() and not letter.isdecimal() else found[0]


def _in_full(text: str, words: AbstractSet[str]) -> str:
    for word, (pattern, full) in _IN_FULL.items():
        if word in words:
            text = pattern.sub(full, text)
    emptied = text
    for word, pattern in _EMPTY_WORDS.items():
        if word in words:
            emptied = pattern.sub("", emptied)
    return text if emptied == text else _without_lone_marks(emptied).strip() or text


def _without_lone_marks(text: str) -> str:
    if text.startswith(tuple(".?!,")):
        text = text[1:].removeprefix(" ")
    return _LONE_MARK.sub("", text)
