"""Tells reported quotations from the speaker's own words in quotation marks.

A model may put its whole answer in quotation marks, also because an attack asks for it; that is no report.
"""

import re

from shared.safety.output_guard.sentence import Sentence

_TOLD = re.compile(
    r"말|글|문장|문자|메시지|카톡|편지|일기|적[어으힌은혀]|[쓴쓰]신|들[으었]|듣|라[고는며]|"
    r"\b(?:sa(?:id|ys?|ying)|words?|wrote|writes?|written|told|texts?|texted|messages?|notes?|letter|label|hear(?:d|ing)?|"
    r"read|asked)\b",
    re.IGNORECASE,
)
"""Words that report a quotation at the start of a sentence or after a colon."""
_SAID_WHOLE = re.compile(r".*[.!?…~]\W{0,3}", re.DOTALL)
"""A quotation that is a whole sentence; the text after it is another."""
_OWN_TELLING = re.compile(
    r"말씀 ?드리|드리는|드릴|제 (?:말|글)|내 말|말해 ?줄게|\b(?:i|me|let me) (?:say|tell|mean)\b", re.IGNORECASE
)


def is_quoted(sentence: Sentence, first: int, last: int) -> bool:
    """Return whether the letters from `first` to `last` of the raw text are within quotation marks."""
    return _quotation(sentence, first, last) is not None


def is_told(sentence: Sentence, first: int, last: int) -> bool:
    """Return whether those letters are a quotation that the rest of the sentence reports."""
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
    """Return start and end of the quotation around those letters, marks included, or None."""
    return next((stretch for stretch in sentence.quoted() if stretch[0] <= first and last < stretch[1]), None)
