"""Finds several questions in one sentence ("언제부터, 어디서, 누구와 그랬어요?").

A choice ("일인가요, 사람인가요?") is one question: a further one begins with a question word or a topic of its own.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

_WORD = (
    r"(?<!\w)(?:언제|어디|누구|누가|무엇|무슨|뭐|뭘|어떤|어떻게|어때|어땠|어떠|어째서|왜|몇|얼마|어느)"
    r"(?!든|나(?!\w)|도(?!\w)|보다|이든|라도|새|냐|\s*정도|\s*날)"
)
_AND = r"(?:그리고\s++|또\s++)?"
_BEGINS = rf"{_AND}{_WORD}"
_LINKED = r"(?:,\s*|(?<=[가-힣][고며])(?<!라고)(?<!그리고)\s++|(?<=[는은던을]지)\s++|\s++(?=그))"
_ADJACENT = r"(?<!\w)(?:언제|어디|누구|누가|왜)[가-힣]{0,3}(?P<adjacent>\s++)"
_TOPIC = r"(?:그리고\s++|또\s++)?(?:[가-힣]{1,6}[은는]|그리고|또)\s"
_QUESTION_ENDING = (
    r"(?:[있없았었였했셨겠시하되들싶같많먹받쉬주보르드찮신]나요|[은인한던운른린신]가요|[을할될볼갈실줄일]까요"
    r"|[는은던신인]지요)"
)
_ASKED = rf"(?:(?<={_QUESTION_ENDING}),?\s++|(?<=[가-힣][어아해니야]),\s++(?=그))"
"""The end of a question that has no question mark: another may follow."""
_CARE = (
    r"(?:(?:주무|드|하|지내|계|있으|없으|괜찮으|어떠|되)(?:세요|셨어요)"
    r"|(?<![가-힣])(?:자|자니|잤어|먹어|먹니|먹었어|지내|있어|없어|괜찮아))"
)
"""The end of a question about the user ("잠은 잘 주무세요"), which may also be an order or a wish."""
_TIME = (
    r"(?:오늘|지금|요즘|요새|어제|내일|아까|그때|이제|다음|지난|처음|여기|거기|언제|이건|그건|저건|그|이|저|나|제|내)"
)
_MATTER = rf"(?:그리고\s+|또\s+)?(?!{_TIME}[가-힣]{{0,2}}[은는이가도]\s)[가-힣]{{1,6}}[은는이가도]\s"
_ORDERS = r"(?:꼭|푹|얼른|부디|편히|편하게|천천히|먼저|마음껏|잘들)\s"
_WHETHER_ASKED = r"(?<=[는은던을할될볼갈실줄]지),\s*"
_ENGLISH_WORD = r"\b(?:what|how|why|when|where|who|whom|which)\b"
_LIST = r"(?:(?<=^when)|(?<=^what)|(?<=^where)),\s+"
_YOU = r"(?:are|do|did|have|were|can) you\b"
_ENGLISH = rf"(?:,?\s++and\s++(?=(?:what|how|why)\b|{_YOU})|{_LIST}(?={_ENGLISH_WORD}))"
_FIRST = re.compile(rf"{_WORD}|{_ENGLISH_WORD}", re.IGNORECASE)
_JOIN = re.compile(
    rf"{_LINKED}(?={_BEGINS})|{_ADJACENT}(?={_BEGINS})|{_ASKED}(?={_TOPIC})"
    rf"|{_WHETHER_ASKED}(?={_TOPIC}[^,?.!]*[가-힣]지(?:[\s,]|를|도|가))|{_ENGLISH}",
    re.IGNORECASE,
)
_MATTERS = re.compile(rf",\s+(?={_MATTER})")
_CARED = re.compile(rf"(?:^|[,.]\s*){_MATTER}(?!.*{_ORDERS})[^,.]{{0,14}}{_CARE}$")
_CARES_AT_LAST = re.compile(rf"(?:{_CARE}|[가-힣](?:나요|까요?|가요))[?？\s\"'”’)\]]*$")
""""잠은 잘 주무세요, 밥은 드세요?": a matter with such an ending on both sides of the comma."""
_EMBEDDED = re.compile(
    r"지(?:도|를|조차)?\s+(?:잘\s+|아직\s+)*(?:모르|몰라|알(?!$|고\s*$|고\s*싶|려))|[겠한간]다[는고]|려는"
)
""""뭐가 힘든지, 어디서부터 말할지 모르겠는 마음인가요?" and "언제, 어떻게 하겠다는 말까지 하셨나요?" ask one thing."""
_DEGREE = re.compile(r"\bhow \w+$", re.IGNORECASE)
""""How often and how strongly do you feel it?" asks one thing, too."""
_WHETHER = re.compile(r"[는은던을]지(?:를|도|가)?$")
_ASKS_ALREADY = re.compile(rf"{_QUESTION_ENDING}$|{_WHETHER.pattern}")
""""언제부터 그러셨나요 그리고 …" and "잠은 주무시는지, …" ask before the join, with or without a question word."""


def split_questions(sentence: str) -> tuple[str, ...]:
    cuts = [0, *_joins(sentence), len(sentence)]
    parts = (sentence[start:end].strip(" ,") for start, end in pairwise(cuts))
    return tuple(part for part in parts if part)


def _joins(sentence: str) -> list[int]:
    return sorted({*_asked_on(sentence), *_matters(sentence)})


def _matters(sentence: str) -> Iterator[int]:
    """Yield where a second matter is asked about in the form of the first."""
    if _CARES_AT_LAST.search(sentence):
        joins = (found.start() for found in _MATTERS.finditer(sentence))
        yield from (at for at in joins if _CARED.search(sentence[:at]))


def _asked_on(sentence: str) -> Iterator[int]:
    for found in _JOIN.finditer(sentence):
        at = found.start("adjacent") if found["adjacent"] else found.start()
        begun = sentence[:at]
        if (
            (_FIRST.search(begun) or _ASKS_ALREADY.search(begun))
            and not _DEGREE.search(begun)
            # said, not asked: "무슨 말인지 알 것 같아요, 어떤 마음이셨어요?"
            and not (_EMBEDDED.search(sentence, at) or _EMBEDDED.search(begun))
        ):
            yield at
