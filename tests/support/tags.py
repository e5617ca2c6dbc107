"""Reads a rendered prompt by its tags."""

import re


def elements(text: str, tag: str) -> list[str]:
    """Return what stands inside each `<tag>`, stripped."""
    return [found.strip() for found in re.findall(rf"<{tag}(?: [^>]*)?>(.*?)</{tag}>", text, re.DOTALL)]


def element(text: str, tag: str) -> str:
    (found,) = elements(text, tag)
    return found
