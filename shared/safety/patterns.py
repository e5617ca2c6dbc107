r"""The pattern language of the rules, and what it compiles to.

A pattern is a regular expression with six things added:

| written | means |
|---|---|
| two Hangul syllables side by side | with or without a space between them: Korean spacing is a matter of mood |
| a space | in Korean: a space or none |
| `<name>` | a fragment, a piece that patterns share; it may name another |
| `{name:었}`, `{긋:었}` | the stems of that name, or that stem, before an ending (endings.py) |
| `~` and `~~` | anything short, and anything longer, within the sentence: at most 12 and 30 letters |
| `*` and `+` after a group, a letter or a class | at most 8 words, or 24 letters |

So no match is longer than its pattern allows, and matching takes time in proportion to the text. Classes and
look-behinds are left as they are. An English pattern matches whole words: `cut\w*` where a word may go on.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shared.safety.endings import Ending, inflected

_AS_IT_IS = re.compile(r"(\\[a-zA-Z][*+]?|\\.|\(\?<[=!][^)]*\)|\[[^\]]*\][*+]?)")
_BETWEEN_SYLLABLES = re.compile(r"(?<=[가-힣])(?=[가-힣])")
_FRAGMENT = re.compile(r"<([a-z_]+)>")
_INFLECTED = re.compile(r"\{([a-z_]+|[^{}:a-z]+):([고는으ㄹㄴㅁㅂ어었])\}")
_NO_ENDING = re.compile(r"\{[^{}]*:[^{}]*\}")
_GAP = re.compile(r"~~?")
_GAPS = {"~": "[^.?!]{0,12}?", "~~": "[^.?!]{0,30}?"}
_REPEATED_LETTER = re.compile(r"([a-z가-힣])([*+])")
_WORDS = {"*": "{0,8}", "+": "{1,8}"}
_LETTERS = {"*": "{0,24}", "+": "{1,24}"}


@dataclass(frozen=True)
class Vocabulary:
    """What the patterns of a language share.

    Attributes:
        fragments: Pieces of patterns by name.
        stems: Korean stems by the name of their group.
        whole_words: Whether a pattern matches whole words only, and a space in it is one.
    """

    fragments: Mapping[str, str] = field(default_factory=dict)
    stems: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole_words: bool = False

    def source(self, pattern: str) -> str:
        """Return a pattern as a regular expression.

        Raises:
            KeyError: It names a fragment or a group of stems that is not there.
            ValueError: It names an ending that is not there.
        """
        filled = _INFLECTED.sub(self._forms, _filled(pattern, self.fragments))
        if unknown := _NO_ENDING.search(filled):
            raise ValueError(f"{unknown[0]}: an ending is one of {' '.join(Ending)}")
        filled = _GAP.sub(lambda found: _GAPS[found[0]], filled)
        return rf"\b(?:{_pieced(filled, _repeated)})\b" if self.whole_words else _pieced(filled, _spaced)

    def _forms(self, found: re.Match[str]) -> str:
        named, ending = found.groups()
        stems = self.stems[named] if named.isascii() else [named]
        filled = (_filled(stem, self.fragments) for stem in stems)
        forms = dict.fromkeys(form for stem in filled for form in inflected(stem, Ending(ending)))
        return f"(?:{'|'.join(forms)}) "


def expand(pattern: str, fragments: Mapping[str, str] | None = None) -> str:
    """Return a pattern as a regular expression, its blanks optional as in Korean.

    Raises:
        KeyError: It names a fragment that is not there.
    """
    return _pieced(_filled(pattern, fragments or {}), _spaced)


def _pieced(pattern: str, rewrite: Callable[[str], str]) -> str:
    """Return a pattern with every repetition bounded, and rewritten but for classes, escapes and look-behinds."""
    pieces = _AS_IT_IS.split(pattern)
    pieces[::2] = map(rewrite, pieces[::2])
    pieces[1::2] = map(_bounded, pieces[1::2])
    return "".join(pieces)


def _filled(pattern: str, fragments: Mapping[str, str]) -> str:
    return _FRAGMENT.sub(lambda found: _filled(fragments[found[1]], fragments), pattern)


def _repeated(piece: str) -> str:
    piece = _REPEATED_LETTER.sub(lambda found: found[1] + _LETTERS[found[2]], piece)
    for sign, times in _WORDS.items():
        piece = piece.replace(f"){sign}", f"){times}")
    return piece


def _spaced(piece: str) -> str:
    return _BETWEEN_SYLLABLES.sub(" ?", _repeated(piece).replace(" ?", " ").replace(" ", " ?"))


def _bounded(piece: str) -> str:
    sign = piece[-1]
    return piece[:-1] + _LETTERS[sign] if len(piece) > 2 and sign in _LETTERS else piece
