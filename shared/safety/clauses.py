"""Finds the clauses of a normalised text.

A predicate lowers a finding only from the same clause, so a border too many is safe: it prevents lowering. Borders are
commas, ends of sentences (-요, -았다, -았어, 싶어 and -ㄹ 거야 without a mark, too), Korean connective endings (-는데,
-다가, -고, -아서, -지만, -니까, -면서 …), a time at the very beginning (수업 중에, 수술 뒤로) and English conjunctions.
No borders are: -고 of an auxiliary (죽고 싶다, 하고 있다), quotations (-다고, -라고, -자고, -냐고), intentions (-려고),
-에서.
"""

import re

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
