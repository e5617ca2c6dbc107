"""Brings what people type to one spelling, so that the rules need not know every disguise.

Up to three readings come out: the plain one; where they differ, one in which syllables or letters that were pulled
apart ("죽.고.싶.어", "자1살", "s.u.i.c.i.d.e") are joined and digits stand for the letters they imitate ("su1cide");
and what was meant by Korean that was typed with the keyboard in English ("wnrrh tlvek").
"""

import re
import unicodedata

from shared.domain.safety.keyboard import from_keyboard

_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_TAILS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_QUIET_TAILS = _TAILS.replace("ㅋ", "").replace("ㅎ", "")  # ㅋ and ㅎ after a syllable are laughter
_FIRST_SYLLABLE = 0xAC00
_TAIL_SLOTS = len(_TAILS) + 1

_WIDE = re.compile(r"[\uff01-\uffee]")
_ONE_LEVEL = {
    chr(code): chr(int(parts[1], 16))
    for code in range(0xFF01, 0xFFEF)
    if len(parts := unicodedata.decomposition(chr(code)).split()) == 2
}
"""Full-width forms and half-width jamo. NFKC itself goes on to conjoining jamo, which lose what was typed."""

_DROPPED = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef'’‘`´]"
)
"""Zero-width and control characters, Hangul fillers, accents, lone surrogates; and apostrophes: don't = dont."""

_UNUSUAL = re.compile("[\u00aa-\u00bb\u2100-\u24ff\uff01-\uffee\U0001d400-\U0001d7ff]")
"""What one of the two neighbours has to do with."""
_STYLED = re.compile(r"[\u00aa-\u00bb\u2100-\u24ff\U0001d400-\U0001d7ff]")
_LATIN_VOWELS = re.compile(r"[rl](?<=[ㄱ-ㅎ][rl])")
_JAMO_SYLLABLE = re.compile(
    rf"([{_LEADS}])(?:(?<![ㅋㅎ])|(?![ㅠㅜㅡ]))([{_VOWELS}])(?:([{_QUIET_TAILS}])(?![{_VOWELS}]))?"
)
_STRAY = re.compile(rf"[{_QUIET_TAILS}](?<=[가-힣].)(?=[가-힣])")
_STRAY_TAIL = re.compile(rf"([가-힣])([{_QUIET_TAILS}])(?=[가-힣])")
_JAMO_APART = re.compile(rf"([{_LEADS}]) +(?=[{_VOWELS}])")
_LAUGH = re.compile(r"[ㅋㅎ](?:[ㅋㅎ]+|(?<![ㄱ-ㅎ].)(?![ㄱ-ㅎ]))")
_TEAR = re.compile(r"[ㅠㅜㅡㅗㅛ]+")
_ANY_JAMO = re.compile(r"[ㄱ-ㅣ]")
_TELLING = "🔪🩸⚰💊🪦"
"""The pictures that say something beside words; the others are dropped."""
_NO_WORD = re.compile(rf"[^\w.?!,\s{_TELLING}][^\w.?!,\s{_TELLING}]*")
_PICTURE = re.compile(rf"(?: ?[{_TELLING}])+ ?")
_LINE_END = re.compile(r"[다요죠음임네까냐함됨슴\n](?:(?<!\n)[ \t]*\n|(?<=\n)[ \t]*(?=\n))")
_MASK = re.compile(r"[a-z][!|*@1][a-z*!|1]")
_MASKED = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\bs[u*@]?[i1!|*]?[c*]+[i1!|*][d*](?=[a-z*3])", "suicid"),
        (r"\bk[i1!|*]ll?\b", "kill"),
        (r"\bd[i1!|*]e\b", "die"),
        (r"\bun ?[a@4*]l[i1!|*]ve", "unalive"),
    )
)
_PAUSE = re.compile(r"\.{2,}")
_OPEN_END = (
    r"(?<!\bto)(?<!\band)(?<!\bthe)(?<!\ba)(?<!\bi)(?<!\bim)(?<!\bmy)(?<!\bof)(?<!\bjust)(?<!\bso)(?<!\bbut)(?<!\bor)"
    r"(?<!\bwant)(?<!\bwanna)(?<!\bbe)(?<!\bin)(?<!\bthat)(?<!\bif)(?<!\bdont)(?<!\blike)"
)
"""Not after a word that waits for another: "i want to... die" is one sentence."""
_LATIN_PAUSE = re.compile(rf"(?<=[a-z]){_OPEN_END} ?\.{{2,}}(?= ?[a-z가-힣])")
_LATIN_LINE_END = re.compile(
    rf"(?<=[a-z]){_OPEN_END}[ \t]*\n"
    r"(?=(?:i|im|ive|id|ill|my|he|she|they|we|its?|everyone|everybody|nobody|no one|but)\b)"
)
_EMPTY_WORDS = re.compile(
    r"\b(?:fuck(?:ing?|en)|f+kn|fking|effing|frigg?in|frea?kin|frickin|goddamn|lowkey|highkey|kinda|sorta|literally|"
    r"honestly|genuinely|legit)\b ?"
)
"""Words that weigh nothing and stand anywhere: without them the rules need not reckon with them."""
_EMPTY_HINT = re.compile(r"f(?:uck|k|f|rea?k|rig|rick)|kinda|sorta|lowk|highk|lit|hones|genui|godda|legit")
_TWO = re.compile(
    r"(?<=[a-z]) 2 (?=(?:be|breathe|bleed|come|cope|crash|cut|die|disappear|do|drown|end|exist|fall|feel|get|give|go|"
    r"hang|harm|have|hit|hurt|jump|keep|kill|leave|let|live|make|not|off|overdose|see|sleep|stay|step|stop|swallow|take|talk|"
    r"tell|try|vanish|wake|walk|me|you|u|him|her|them|the|my|this|myself|death)\b)"
)
_TOMORROW = re.compile(r"\b(?:2mor(?:o|row|a)w?|2moz|tmrw|tmrow|tmr|tomoz)\b")
_LATIN_AND = re.compile(r"(?<=[a-z]) n (?=[a-z])")
_LATIN_WITH = re.compile(r"(?<=[a-z]) w (?=[a-z])")
_LONE_MARK = re.compile(r"(?:(?<=[.?!,])|^) [.?!,]|^[.?!,] ?")
_WITH = re.compile(r"\bw/(?:(o)\b)? ?")
_REPEATED = re.compile(r"([^\W\d])\1\1+")
_REPEATED_MARK = re.compile(r"([.?!,])[.?!,]+")

# Each starts with a class of one letter and looks behind afterwards: so the engine skips ahead to the few that matter.
_INSIDE_WORD = re.compile(r"[0-9a-zㄱ-ㅣ.,](?<=[가-힣][0-9a-zㄱ-ㅣ.,])[0-9a-zㄱ-ㅣ.,]?(?=[가-힣])")
_SPACED_OUT = re.compile(r"[ .,?!][가-힣a-z0-9][ .,?!]{1,2}[가-힣a-z0-9](?![가-힣a-z0-9])")
_LONE_SYLLABLES = re.compile(r"(?<![가-힣])[가-힣](?:[ .,?!]{1,2}[가-힣](?![가-힣])){2,}")
_LONE_LETTERS = re.compile(r"[a-z0-9](?<![a-z0-9][a-z0-9])(?:[ .,]{1,2}[a-z0-9](?![a-z0-9])){2,}")
_NOT_WORD = re.compile(r"[\W_]+")
_LATIN_WORD = re.compile(r"[a-z0-9][a-z0-9]{2,}")
_MISTYPED = {
    f"{word[0]}{''.join(sorted(word))}": word
    for word in (
        "want",
        "kill",
        "myself",
        "life",
        "ending",
        "suicide",
        "suicidal",
        "living",
        "alive",
        "dying",
        "anymore",
    )
}
"""Words whose letters people swap when they are upset, by their first letter and all of them in order."""
_MISTYPED_SHAPES = frozenset((word[0], len(word)) for word in _MISTYPED.values())
_LETTER_OF = str.maketrans("013457", "oieast")


def normalise(text: str) -> tuple[str, ...]:
    """Return the one to three readings of `text`; lower case, NFC, single spaces."""
    plain = _plain(text)
    return tuple(dict.fromkeys((plain, _joined(plain), from_keyboard(plain))))


def _plain(text: str) -> str:
    text = _in_usual_letters(_DROPPED.sub("", text)).lower()
    if _ANY_JAMO.search(text):
        text = _without_jamo_games(text)
    if " & " in text:
        text = text.replace(" & ", " and ") if text.isascii() else text
    if "w/" in text:
        text = _WITH.sub(lambda found: "without " if found[1] else "with ", text)
    if "\n" in text:
        text = _LATIN_LINE_END.sub(". ", text)
        text = _LINE_END.sub(lambda found: f"{found[0][0].strip()}. ", text)
    text = _NO_WORD.sub(" ", _unmasked(text)).replace("_", " ")
    if ".." in text:
        text = _LATIN_PAUSE.sub(".", text)
        text = _PAUSE.sub(" ", text)
    text = _REPEATED_MARK.sub(r"\1", text)
    return _in_full(" ".join(_REPEATED.sub(r"\1", text).split()))


def _in_full(text: str) -> str:
    if " 2 " in text:
        text = _TWO.sub(" to ", text)
    if "2m" in text or "tm" in text or "moz" in text:
        text = _TOMORROW.sub("tomorrow", text)
    if " n " in text:
        text = _LATIN_AND.sub(" and ", text)
    if " w " in text:
        text = _LATIN_WITH.sub(" with ", text)
    if _EMPTY_HINT.search(text) and (emptied := _EMPTY_WORDS.sub("", text)) != text:
        text = _LONE_MARK.sub("", emptied).strip() or text
    return text


def _in_usual_letters(text: str) -> str:
    if not _UNUSUAL.search(text):
        return unicodedata.normalize("NFC", text)
    text = unicodedata.normalize("NFC", _WIDE.sub(lambda found: _ONE_LEVEL.get(found[0], " "), text))
    return _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def _unmasked(text: str) -> str:
    if _MASK.search(text):
        for pattern, word in _MASKED:
            text = pattern.sub(word, text)
    return text


def _without_jamo_games(text: str) -> str:
    text = _LATIN_VOWELS.sub(lambda found: "ㅏ" if found[0] == "r" else "ㅣ", _JAMO_APART.sub(r"\1", text))
    text = _JAMO_SYLLABLE.sub(_compose, text)
    if _STRAY.search(text):
        text = _STRAY_TAIL.sub(_close, text)
    return _TEAR.sub(" ", _LAUGH.sub(" ", text))


def _joined(plain: str) -> str:
    text = plain
    if any(picture in text for picture in _TELLING):
        text = _PICTURE.sub(" ", text).strip()
    text = _INSIDE_WORD.sub("", text)
    if _SPACED_OUT.search(f" {text}"):
        text = _LONE_LETTERS.sub(_join, _LONE_SYLLABLES.sub(_join, text))
    disguised = {word for word in set(_LATIN_WORD.findall(text)) if _undisguised(word) != word}
    return _LATIN_WORD.sub(lambda found: _undisguised(found[0]), text) if disguised else text


def _join(found: re.Match[str]) -> str:
    return _NOT_WORD.sub("", found[0])


def _undisguised(word: str) -> str:
    if not word.isalpha() and not word.isdigit():
        word = word.translate(_LETTER_OF)
    if (word[0], len(word)) not in _MISTYPED_SHAPES:
        return word
    return _MISTYPED.get(f"{word[0]}{''.join(sorted(word))}", word)


def _compose(found: re.Match[str]) -> str:
    lead, vowel, tail = found.groups()
    slot = _TAILS.index(tail) + 1 if tail else 0
    block = _LEADS.index(lead) * len(_VOWELS) + _VOWELS.index(vowel)
    return chr(_FIRST_SYLLABLE + block * _TAIL_SLOTS + slot)


def _close(found: re.Match[str]) -> str:
    """Put a stray consonant under the open syllable before it: 주ㄱ고 → 죽고."""
    syllable, tail = found.groups()
    if (ord(syllable) - _FIRST_SYLLABLE) % _TAIL_SLOTS:
        return found[0]
    return chr(ord(syllable) + _TAILS.index(tail) + 1)
