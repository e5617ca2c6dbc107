"""Phone numbers in the words that people are shown, and which of them the repository has a source for."""

import re

from shared.content.catalogue import content

NUMBER = re.compile(r"(?<![\d-])(?<!\d[.,])(?:\d{1,4}(?:-\d{3,4})+|\d{3} \d{3}|\d{3,4})(?!\d|,\d|-\d)")
"""One that may be dialled: 1577-0199, 1-800-273-8255, 116 123, 109, 1388. Amounts such as 4,000 and dates are none."""


def numbers_in(text: str) -> list[str]:
    return NUMBER.findall(text)


def listed_numbers() -> set[str]:
    """Return the numbers that hotlines.json has, those of its notes too."""
    return {number for line in content().hotlines for number in numbers_in(f"{line.number}; {line.note}")}
