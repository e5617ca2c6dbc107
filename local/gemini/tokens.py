"""Counts and splits text as a tokenizer would, roughly.

Gemini's tokenizer is not public. Google gives about 4 Latin characters a token
(https://ai.google.dev/gemini-api/docs/tokens); for Hangul, subword vocabularies of that size come to about
two syllables a token. So a token here is at most 4 Latin letters, 2 syllables, 3 digits, or one other
character, with a leading space included. The pieces of a stream are these tokens.
"""

import re

_TOKEN = re.compile(r" ?[가-힣]{1,2}| ?[A-Za-z]{1,4}| ?\d{1,3}|\s+| ?[^\s\w]|.", re.DOTALL)


def split_tokens(text: str) -> tuple[str, ...]:
    """Split `text`; joined again, the pieces are `text`."""
    return tuple(_TOKEN.findall(text))


def count_tokens(text: str) -> int:
    """Count the tokens of `text`."""
    return len(split_tokens(text))
