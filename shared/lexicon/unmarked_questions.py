"""Recognises a question that ends without a question mark ("무엇이 가장 힘드셨나요.")."""

import re


def _ending_in(final: int) -> str:
    """Return a character class of the Korean syllables with a final consonant, by its place in Unicode's order."""
    return f"[{''.join(chr(0xAC00 + 28 * start + final) for start in range(399))}]"


_N, _L, _B = (_ending_in(final) for final in (4, 8, 17))
_ASKS = re.compile(
    r"(?:(?:[있없았었였했셨겠시하되들싶같많먹받쉬주보오르드]|[려겨져아어해]지)나요"
    rf"|{_N}가요|{_L}까요?|{_B}니까|(?:주|보)시겠어요|[할볼줄갈올될실]래요|[줄실]래|[았었였했겠있없땠찮]니|[았었였했있없겠느]냐"
    r"|(?<!\w)어(?:때요?|땠어요?|떠세요|떠셨어요|떻게 지내(?:요|세요|셨어요)))[\s.。…~\"'”’)\]]*$"
)
"""Endings that only a question has; "화가 나요" and "마음을 달래요" have others."""
_POINTED = re.compile(
    r"(?<!\w)(?:언제부터|어디서|누구(?:와|랑)|몇 ?(?:번이나|시|살|명)|얼마나 (?:자주|오래))(?!도|든|나|라)"
    r"(?!.*(?:지(?=[\s,가를는도])|든|라도|[아어해여]도(?!\w)))[^.]*(?:[으시]세요|셨어요|셨죠|거예요|(?<!들)[었았했]어)[\s.。…~]*$"
)
"""Question words that no statement of a counsellor has, with an ending that a statement may have."""
_EXCLAIMS = re.compile("얼마나(?!.*(?:나요|가요))")
""""얼마나 힘드셨을까요." feels with the user and asks nothing."""


def asks_unmarked(sentence: str) -> bool:
    """Return whether a sentence without a question mark asks something."""
    if _POINTED.search(sentence):
        return True
    return bool(_ASKS.search(sentence)) and not _EXCLAIMS.search(sentence)
