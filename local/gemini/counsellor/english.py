"""Converts a first-person English sentence for use after "that": "I can't sleep" → "you can't sleep"."""

import re

_SWAPS = {
    "i": "you", "i'm": "you're", "i've": "you've", "i'd": "you'd", "i'll": "you'll", "im": "you're", "my": "your",
    "me": "you", "mine": "yours", "myself": "yourself", "am": "are", "was": "were",
}  # fmt: skip
_OPENERS = re.compile(
    r"^(?:(?:well|so|and|but|because|honestly|actually|yes|yeah|no|um|hi|hello|hey)[, ]+)+", re.IGNORECASE
)
_LONGEST = 90


def quotable_english(sentence: str) -> str:
    """Return a first-person sentence in the second person, or ""."""
    text = _OPENERS.sub("", sentence.strip(" .!~…"))
    words = text.split()
    if len(words) < 3 or (words[0].lower() == "my" and len(words) < 5) or len(text) > _LONGEST or "?" in text:
        return ""
    if words[0].lower() not in {"i", "i'm", "i've", "im", "my", "i'd", "it", "it's", "there's", "nobody", "everyone"}:
        return ""
    turned: list[str] = []
    for word in words:
        bare = word.strip(",;").lower()
        new = _SWAPS.get(bare)
        if bare == "was" and (not turned or turned[-1] != "you"):
            new = None
        turned.append(word.replace(word.strip(",;"), new) if new else word)
    joined = " ".join(turned)
    return joined[0].lower() + joined[1:]
