"""The pattern language of the rules, and what it compiles to.

A pattern is a regular expression with six things added:

| written | means |
|---|---|
| two Hangul syllables side by side | with or without a space between them: Korean spacing is a matter of mood |
| a space | in Korean: a space or none |
| `<name>` | a fragment, a piece that patterns share; it may name another |
| `{name:었}`, `{긋:었}` | the stems of that name, or that stem, before an ending (endings.py) |
| `~` and `~~` | anything short, and anything longer, within the sentence: at most 12 and 30 letters |
| `*` and `+` behind a group or class | at most 8 words or 24 letters |

So no match is longer than its pattern allows, and matching takes time in proportion to the text. Classes and
look-behinds are left as they are. An English pattern matches whole words: `cut\\w*` where a word may go on.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shared.safety.endings import Ending, inflected

_AS_IT_IS = re.compile(r"(\\[a-zA-Z][*+]?|\\.|\(\?<[=!][^)]*\)|\[[^\]]*\][*+]?)")
_BETWEEN_SYLLABLES = re.compile(r"(?<=[가-힣])(?=[가-힣])")
_FRAGMENT = re.compile(r"<([a-z_]+)>")
_INFLECTED = re.compile(r"\{([a-z_]+|[^{}:a-z]+):([고는으ㄹㄴㅁ어었])\}")
_GAP = re.compile(r"~~?")
_GAPS = {"~": "[^.?!]{0,12}?", "~~": "[^.?!]{0,30}?"}
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
        """
        filled = _INFLECTED.sub(self._forms, self._filled(pattern))
        filled = _GAP.sub(lambda found: _GAPS[found[0]], filled)
        if self.whole_words:
            return rf"\b(?:{filled})\b"
        return expand(filled)

    def _filled(self, pattern: str) -> str:
        return _FRAGMENT.sub(lambda found: self._filled(self.fragments[found[1]]), pattern)

    def _forms(self, found: re.Match[str]) -> str:
        named, ending = found.groups()
        stems = self.stems[named] if named.isascii() else [named]
        forms = dict.fromkeys(form for stem in stems for form in inflected(self._filled(stem), Ending(ending)))
        return f"(?:{'|'.join(forms)})"


def expand(pattern: str, fragments: Mapping[str, str] | None = None) -> str:
    """Return a pattern as a regular expression, its blanks optional as in Korean.

    Raises:
        KeyError: It names a fragment that is not there.
    """
    pieces = _AS_IT_IS.split(Vocabulary(fragments or {})._filled(pattern))
    pieces[::2] = [_spaced(piece) for piece in pieces[::2]]
    pieces[1::2] = [_bounded(piece) for piece in pieces[1::2]]
    return "".join(pieces)


def _spaced(piece: str) -> str:
    for sign, times in _WORDS.items():
        piece = piece.replace(f"){sign}", f"){times}")
    return _BETWEEN_SYLLABLES.sub(" ?", piece.replace(" ?", " ").replace(" ", " ?"))


def _bounded(piece: str) -> str:
    sign = piece[-1]
    return piece[:-1] + _LETTERS[sign] if len(piece) > 2 and sign in _LETTERS else piece
