"""Faults of form: another language, a label before a line, another person's name, loops.

They need no rule about words: the rules of the guard read Korean and English only, so a sentence in another language
cannot be checked and is not shown.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache

from shared.locale import Locale
from shared.safety.matcher import Family, Rule
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.rules import GuardRule
from shared.safety.output_guard.sentence import Sentence, squashed
from shared.safety.output_guard.situation import Situation

FEWEST_WORDS = 2
"""Words of a language from which a message counts as written in it, and a sentence without any other as well."""
MOST_LETTERS = 4
"""Letters of scripts other than Hangul and Latin that a sentence may hold: a term in Chinese characters, which a Korean
sentence has in brackets or quotation marks."""
MORE_WORDS = 2
"""How many more foreign words than own ones a sentence may have: names and terms of art."""
FEW_KNOWN, FEW_KNOWN_ACCENTED = 5, 3
"""A sentence in Latin letters is not English if we know no more than one in five of its words, or one in three where an
unknown one has an accent."""
SAME_SENTENCES = 3
SENTENCE_WORDS, SENTENCE_LETTERS = 4, 12
"""Words or letters from which a sentence may not come so often: shorter ones guide a breath, or say who is there."""
REPEATED_WORDS, ROUNDS = 6, 4
"""A loop inside a sentence: at least so many words, in at least so many rounds (one word: six rounds)."""
LONGEST_ROUND, LONG_WORD = 8, 24
"""Most words, or letters of a word, of one round; letters of a word from which it may be a loop."""
LOOP_WITHIN = 400
"""Last letters of a sentence in which a loop is looked for."""

_ADDRESS = re.compile(r"(?<!\S)\S*?(?:[/@]|[a-z0-9]\.[a-z])\S*", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[(（][^()（）]{1,24}[)）]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_HANGUL = re.compile("[가-힣ㄱ-ㆎᄀ-ᇿ]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f'’]+")
_ACCENTED = re.compile("[\u00c0-\u024f]")
_LABEL = re.compile(
    r"^[\W_]{0,3}(?:thoughts?|thinking|reasoning|analysis|user|client|person|사용자|내담자|상대|추론)[\W_]{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""Begins a line that the model writes to itself, or speaks as the user in."""
_GREETING = r"^\s*(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|[Tt]hanks|[Tt]hank you)"
_CALLED = re.compile(
    r"(?:^\s*(?=[가-힣]{2,4} ?님)|[,.!?…]\s+(?=[가-힣]{2,4} 님))([가-힣]{2,4}) ?님(?=[,.!?…]|\s*$)"
    rf"|{_GREETING},? ([A-Z][a-z]{{2,15}})(?=[,.!?])"
)
"""Somebody is called by a name; what is told of somebody is no call."""
_TITLE = re.compile("(?<![가-힣])[가-힣]{2,4}님")
_MODEL = re.compile(
    r"\b(?:I['’]?m|I am|[Mm]y name is) (?!CBot\b)[A-Z][A-Za-z]{3,}"
    r"|\bI(?:['’]m| was| am)\b[^.?!]{0,24}\b(?:trained|built|made|created|developed) by [A-Z]"
    r"|(?<![가-힣])(?:저는|나는|제 이름은|내 이름은)[^.?!]{0,12}?(?<![A-Za-z])(?!CBot)[A-Za-z][A-Za-z0-9.-]{3,}"
    r"(?:예요|이에요|입니다|이?라는|이?라고 )"
)
"""The speaker names itself, and not CBot: the name of the model."""
_MAY_CALL = re.compile(rf"[,.!?…]\s+[가-힣]{{2,4}}$|{_GREETING}$")


class _Script(StrEnum):
    HANGUL = "hangul"
    LATIN = "latin"
    OTHER = "other"


def _rule(name: str, category: Category) -> GuardRule:
    looks_for = Rule(name, Family.GUARD, category.value, triggers=(), sources=())
    return GuardRule(category=category, looks_for=looks_for, reach=0, excuses=frozenset())


LABEL = _rule("label", Category.FORM)
LOOP = _rule("loop", Category.FORM)
LANGUAGE = _rule("language", Category.LANGUAGE)
NAME = _rule("name", Category.NAME)
MODEL = _rule("model", Category.INTERNAL)


def languages_of(text: str) -> frozenset[Locale]:
    """Return the language in which most words of a text are, if they are at least two."""
    scripts = Counter(map(_script, _WORD.findall(_ADDRESS.sub(" ", text))))
    korean, latin = scripts[_Script.HANGUL], scripts[_Script.LATIN]
    if max(korean, latin) < FEWEST_WORDS:
        return frozenset()
    return frozenset({Locale.KO if korean >= latin else Locale.EN})


def is_labelled(sentence: Sentence) -> bool:
    """Return whether a line of the sentence begins with a label."""
    return bool(_LABEL.search(sentence.raw))


def known_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the English words and the Korean titles of texts, as `fault_of` takes them."""
    return frozenset(word for text in texts for word in (*map(_plain, _WORD.findall(text)), *_TITLE.findall(text)))


class Extent(StrEnum):
    """How much of a reply a text is."""

    BEGINNING = "beginning"
    """The beginning of a sentence, whose language is still to be seen."""
    SENTENCE = "sentence"
    REPLY = "reply"
    """All that the reply says, of which even a single word tells the language."""


def fault_of(
    raw: str, situation: Situation, known: frozenset[str], extent: Extent = Extent.SENTENCE
) -> GuardRule | None:
    """Return the fault of a sentence in this situation, or None.

    Args:
        raw: The sentence.
        situation: The situation.
        known: English words, and Korean titles.
        extent: How much of the reply it is.
    """
    if _LABEL.search(raw):
        return LABEL
    if _MODEL.search(Sentence.without_quotations(raw)):
        return MODEL
    if situation.languages and any(_is_foreign(line, situation, known, extent) for line in raw.splitlines()):
        return LANGUAGE
    if situation.name is not None and any(_is_another(name, situation, known) for name in _called(raw)):
        return NAME
    return None


def may_be_called(raw: str) -> bool:
    """Return whether the last word of a text may be the name by which somebody is called."""
    return bool(_MAY_CALL.search(raw))


def loops(text: str) -> bool:
    words = text.split()
    last = squashed(words[-1]) if words else ""
    rounds_of_letters = ((last[:size] * len(last))[: len(last)] for size in range(1, LONGEST_ROUND + 1))
    if len(last) >= LONG_WORD and last in rounds_of_letters:
        return True
    spoken = [squashed(word) for word in words[-LONGEST_ROUND * ROUNDS - REPEATED_WORDS :]]
    return _goes_round(spoken, fewest=REPEATED_WORDS)


def comes_again(raw: str, said: Sequence[str]) -> bool:
    """Return whether a sentence makes a reply a loop.

    Args:
        raw: The sentence.
        said: The sentences of the reply up to it, squashed.
    """
    long = len(raw.split()) >= SENTENCE_WORDS or len(said[-1]) >= SENTENCE_LETTERS
    return (long and bool(said[-1]) and said.count(said[-1]) >= SAME_SENTENCES) or _goes_round(said, fewest=ROUNDS)


def _goes_round(parts: Sequence[str], *, fewest: int) -> bool:
    for size in range(1, LONGEST_ROUND + 1):
        rounds = max(ROUNDS, -(-fewest // size))
        tail = parts[-size * rounds :]
        if len(tail) == size * rounds and any(tail[-size:]) and tail == list(tail[-size:]) * rounds:
            return True
    return False


@lru_cache(maxsize=4096)
def _script(word: str) -> _Script:
    if _HANGUL.search(word):
        return _Script.HANGUL
    return _Script.LATIN if _LATIN.fullmatch(word) else _Script.OTHER


def _is_foreign(line: str, situation: Situation, english: frozenset[str], extent: Extent) -> bool:
    """Return whether a line is in another language, but for the user's words and terms in quotation marks."""
    plain = _ADDRESS.sub(" ", line)
    written = _WORD.findall(plain)
    own_words = {word for word in set(written) if _was_said(word, situation)}
    everything = [word for word in written if word not in own_words]
    if sum(len(word) for word in everything if _script(word) is _Script.OTHER) > MOST_LETTERS:
        return True
    unquoted = Sentence.without_quotations(plain)
    spoken = _WORD.findall(unquoted)
    words = [word for word in spoken if word not in own_words]
    scripts = Counter(map(_script, words or everything))
    korean, latin, other = (scripts[script] for script in _Script)
    if korean and other:
        bare = set(_WORD.findall(_IN_BRACKETS.sub(" ", unquoted))) - own_words
        if any(_script(word) is _Script.OTHER for word in bare):
            return True
    own = korean * (Locale.KO in situation.languages) + latin * (Locale.EN in situation.languages)
    foreign = korean + latin + other - own
    if not own:
        enough = FEWEST_WORDS if latin == foreign and extent is Extent.SENTENCE else 1
        return foreign >= enough
    if foreign > own + MORE_WORDS:
        return True
    return not korean and bool(words) and _is_not_english(spoken, english | set(map(_plain, own_words)), extent)


def _is_not_english(words: Sequence[str], english: frozenset[str], extent: Extent) -> bool:
    unknown = [word for word in words if not _is_english(word, english)]
    known = len(words) - len(unknown)
    if extent is Extent.BEGINNING:
        return len(words) >= 2 * known
    if not known:
        return len(words) >= (FEWEST_WORDS if extent is Extent.SENTENCE else 1)
    accented = any(map(_ACCENTED.search, unknown))
    return (FEW_KNOWN_ACCENTED if accented else FEW_KNOWN) * known <= len(words)


def _is_english(word: str, english: frozenset[str]) -> bool:
    """Return whether a word is known; of a contraction, its first part."""
    plain = _plain(word)
    return plain in english or plain.partition("'")[0] in english


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")


def _was_said(word: str, situation: Situation) -> bool:
    if word == situation.name:
        return True
    if _script(word) is _Script.LATIN:
        return word.casefold() in situation.latin_words
    return squashed(word) in situation.words


def _called(raw: str) -> list[str]:
    return [next(filter(None, found.groups())) for found in _CALLED.finditer(raw)]


def _is_another(name: str, situation: Situation, known: frozenset[str]) -> bool:
    own, called = squashed(situation.name or ""), squashed(name)
    if own and (bool(_HANGUL.search(own)) is not bool(_HANGUL.search(called)) or called in own or own in called):
        return False
    return not {called, f"{called}님"} & known and called not in situation.words
