"""Sino-Korean numbers up to 99: 삼, 십이, 삼십일."""

_DIGITS = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "유": 6, "칠": 7, "팔": 8, "구": 9}
_TEN = "십"
_TENS = 10


def sino_number(text: str) -> int | None:
    """Return the number, or None if it is none; 유월 and 시월 have their own spelling of 6 and 10."""
    written = text.replace("시", _TEN)
    if written in _DIGITS:
        return _DIGITS[written]
    before, ten, after = written.partition(_TEN)
    if not ten or any(part and part not in _DIGITS for part in (before, after)):
        return None
    return _DIGITS.get(before, 1) * _TENS + _DIGITS.get(after, 0)
