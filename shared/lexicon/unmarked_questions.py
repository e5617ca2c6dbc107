"""Recognises a question that ends without a question mark ("무엇이 가장 힘드셨나요.")."""

import re

_ASKS = re.compile(
    "(?:[있없았었였했셨겠시하되들]나요|[을할갈볼될릴일줄쉴]까요?|[은는인던한운떤런]가요|[습입십합]니까"
    r"|(?:주|보)시겠어요|(?:주|보|하)실래요)[\s.。…~\"'”’)\]]*$"
)
"""Endings that only a question has; "화가 나요" and "힘드시겠어요" have others."""
_EXCLAIMS = re.compile("얼마나")
""""얼마나 힘드셨을까요." feels with the user and asks nothing."""


def asks_unmarked(sentence: str) -> bool:
    """Return whether a sentence without a question mark asks something."""
    return bool(_ASKS.search(sentence)) and not _EXCLAIMS.search(sentence)
