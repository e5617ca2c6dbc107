"""Whether words within quotation marks are told of, or are the speaker's own in disguise.

A model may set its whole answer in quotation marks, and an attack may ask it to; that reports nobody's words.
"""

import re

from shared.safety.output_guard.sentence import Sentence

_TOLD = re.compile(
    r"말|글|문장|문자|메시지|카톡|편지|일기|적[어으힌은혀]|[쓴쓰]신|들[으었]|듣|라[고는며]|"
    r"\b(?:sa(?:id|ys?|ying)|words?|wrote|writes?|written|told|texts?|texted|messages?|notes?|letter|label|hear(?:d|ing)?|"
    r"read|asked)\b",
    re.IGNORECASE,
)
"""What a quotation that begins a sentence, or stands behind a colon, is told with."""
_SAID_WHOLE = re.compile(r".*[.!?…~]\W{0,3}", re.DOTALL)
"""A quotation that is a sentence of its own; what stands behind it is another."""
_OWN_TELLING = re.compile(
    r"말씀 ?드리|드리는|드릴|제 (?:말|글)|내 말|말해 ?줄게|\b(?:i|me|let me) (?:say|tell|mean)\b", re.IGNORECASE
)


def is_quoted(sentence: Sentence, first: int, last: int) -> bool:
    """Return whether the letters from `first` to `last` of the raw text stand within quotation marks."""
    return _quotation(sentence, first, last) is not None


def is_told(sentence: Sentence, first: int, last: int) -> bool:
    """Return whether those letters are quoted words of which the rest of the sentence tells."""
    stretch = _quotation(sentence, first, last)
    if stretch is None:
        return False
    begin, close = stretch
    before, behind = sentence.raw[:begin].strip(), sentence.raw[close:].strip()
    whole = not before and _SAID_WHOLE.fullmatch(sentence.raw[begin:close]) and not sentence.raw[close:][:1].strip()
    if whole or before.endswith((":", "：")):
        around_it = f"{before} {behind}"
        return bool(_TOLD.search(around_it)) and not _OWN_TELLING.search(around_it)
    return any(letter.isalnum() for letter in before + behind)


def _quotation(sentence: Sentence, first: int, last: int) -> tuple[int, int] | None:
    """Return where the quotation around those letters begins and ends, its marks included."""
    return next((stretch for stretch in sentence.quoted() if stretch[0] <= first and last < stretch[1]), None)
