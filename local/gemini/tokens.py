"""Counts and splits text approximately like a tokenizer.

Gemini's tokenizer is not public. Google states about 4 Latin characters per token
(https://ai.google.dev/gemini-api/docs/tokens); for Hangul, subword vocabularies of that size have about two syllables
per token; punctuation that stands together in JSON (`{"`, `":`, `",`) is one token in them. So a token here is at most
4 Latin letters, 2 syllables, 3 digits, or two other characters, including a leading space. The pieces of a stream are
these tokens.
"""

import re

_TOKEN = re.compile(r" ?[가-힣]{1,2}| ?[A-Za-z]{1,4}| ?\d{1,3}|\s+| ?[^\s\w]{1,2}|.", re.DOTALL)


def split_tokens(text: str) -> tuple[str, ...]:
    """Split `text` into pieces that join to `text`."""
    return tuple(_TOKEN.findall(text))


def count_tokens(text: str) -> int:
    return len(split_tokens(text))
