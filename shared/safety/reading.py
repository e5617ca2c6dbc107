"""A normalised text with its sentences and clauses.

A predicate lowers a finding only from the same clause, so a border too many is safe: it prevents lowering. Borders are
commas, ends of sentences (-요, -았다, -았어, 싶어 and -ㄹ 거야 without a mark, too), Korean connective endings (-는데,
-다가, -고, -아서, -지만, -니까, -면서 …), a time at the very beginning (수업 중에, 수술 뒤로) and English conjunctions.
No borders are: -고 of an auxiliary (죽고 싶다, 하고 있다), quotations (-다고, -라고, -자고, -냐고), intentions (-려고),
-에서.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

_BORDER = re.compile(
    r"[.?!,] ?"
    r"|[가-힣](?<![필중주])요 |[갔꼈났놨됐뒀렸봤샀섰셨썼았었없였왔있졌쳤켰했]다 "
    r"|(?<!보고)(?<!보고 )싶어 (?![하해했한할합죽])|[거꺼]야 |[거꺼]예요 "
    r"|[갔꼈났놨됐뒀렸봤샀섰셨썼았었였왔졌쳤켰했]어 |[에고] ?있어 (?!보)"
    r"|(?:^|(?<=[.?!,] ))[가-힣]{1,7}(?<![이가은는도]) ?(?:(?:도중|중|뒤|후|시간)에|(?:뒤|후|이후)로|내내) "
    r"|[가-힣](?:(?:는데|(?<!까)지만|면서|니까(?!지))[도요는]? ?"
    r"|(?:데|다가|길래|더니|느라|(?<![다라])며|자마자)[도요는]? "
    r"|(?<![다라냐자려])고(?: ?나서)?[도요는]? (?!싶|있|계[시셔세]|말|나(?:서|니|면))"
    r"|(?<!에)(?<!께)(?<!한테)(?<!혼자)서[도요는]? )"
    r"|(?<!\bback) (?=(?:and|but|so|because|bc|cuz|cause|then|while|although|though|yet|plus)\b)"
)
_CAUSE = re.compile(r"[가-힣](?<!나)서[도요는]? $")
"""A border after which a phrase may continue: 더워서 | 죽겠다, 후회하면서 | 살고 싶지 않다."""
Span: TypeAlias = tuple[int, int]

_SENTENCE = re.compile(r"[^.?!]*[.?!]?")
_LAST_SYLLABLE = re.compile("[가-힣]{2} [가-힣]")
_PARTICLES = frozenset("에을를이가은는도로고서만의와과랑께면지아어야")


class Reading:
    """A normalised text.

    Attributes:
        text: Lower case, single blanks (normalise.py).
        squeezed: The text without blanks, since Korean spacing varies.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = text.split(" ")
        self.squeezed = "".join(self._words)

    @cached_property
    def starts(self) -> Sequence[int]:
        """Starts of the sentences, and the end of the text."""
        starts = [found.start() for found in _SENTENCE.finditer(self.text) if found[0]]
        return [*(starts or [0]), len(self.text)]

    def sentence(self, number: int) -> Span:
        """Return start and end of a sentence, its mark included."""
        return self.starts[number], self.starts[number + 1]

    def sentence_at(self, position: int) -> int:
        """Return the number of the sentence at a position of the text."""
        return max(min(bisect_right(self.starts, position), len(self.starts) - 1) - 1, 0)

    def sentence_of_letter(self, number: int) -> int:
        """Return the number of the sentence of a letter of `squeezed`."""
        return self.sentence_at(number + bisect_right(self._letters_before_spaces, number))

    @cached_property
    def _letters_before_spaces(self) -> Sequence[int]:
        return list(accumulate(map(len, self._words)))

    def begins_inside_word(self, span: Span) -> bool:
        """Return whether a span has only the last syllable of its first word: "인생 사진" does not contain 생사.

        A particle may stand alone: "차에 뛰어들".
        """
        begin = span[0]
        around = self.text[max(begin - 1, 0) : begin + 3]
        return _LAST_SYLLABLE.fullmatch(around) is not None and around[1] not in _PARTICLES

    def clause(self, span: Span) -> Span:
        """Return the clauses that a span touches, with the cause before them (더워서 죽겠다)."""
        starts, (begin, end) = self._clause_starts, span
        at = bisect_right(starts, begin) - 1
        after = bisect_left(starts, end)
        first = with_cause(self.text, starts[at], starts[at - 1]) if at else 0
        return first, max(starts[after] if after < len(starts) else len(self.text), end)

    @cached_property
    def _clause_starts(self) -> Sequence[int]:
        return clause_starts(self.text)


def clause_starts(text: str) -> list[int]:
    """Return the start of each clause, beginning with 0."""
    return [0, *(found.end() for found in _BORDER.finditer(text))]


def with_cause(text: str, start: int, earliest: int) -> int:
    """Return the start of a clause, extended to a word of cause or manner before it: 더워서 죽겠다 is one idiom.

    Args:
        text: The whole text.
        start: Start of the clause.
        earliest: Start of the previous clause.
    """
    if not _CAUSE.search(text, earliest, start):
        return start
    return max(text.rfind(" ", earliest, start - 1) + 1, earliest)
