"""Finds several questions in one sentence ("언제부터, 어디서, 누구와 그랬어요?"), and leaves the first of them.

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
_MAY_BEGIN = rf"(?:{_BEGINS}|{_AND}[언어누무얼]?$|그(?:리고?)?$|또$)"
_LINKED = r"(?:,\s*|(?<=[가-힣][고며])(?<!라고)(?<!그리고)\s++|(?<=[는은던을]지)\s++|\s++(?=그))"
_ADJACENT = r"(?<!\w)(?:언제|어디|누구|누가|왜)[가-힣]{0,3}(?P<adjacent>\s++)"
_TOPIC = r"(?:그리고\s++|또\s++)?(?:[가-힣]{1,6}[은는]|그리고|또)\s"
_MAY_BE_TOPIC = rf"(?:[가-힣]{{0,7}}$|{_TOPIC})"
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
_MAY_BE_MATTER = rf"(?:[가-힣]{{0,7}}$|{_MATTER})"
_ORDERS = r"(?:꼭|푹|얼른|부디|편히|편하게|천천히|먼저|마음껏|잘들)\s"
_WHETHER_ASKED = r"(?<=[는은던을할될볼갈실줄]지),\s*"
_ENGLISH_WORD = r"\b(?:what|how|why|when|where|who|whom|which)\b"
_LIST = r"(?:(?<=^when)|(?<=^what)|(?<=^where)),\s+"
_YOU = r"(?:are|do|did|have|were|can) you\b"
_MAY_BE_YOU = r"(?:a|ar|are|d|do|di|did|h|ha|hav|have|we|wer|were|c|ca|can)(?:\s+y?o?u?)?"
_ENGLISH = rf"(?:,?\s++and\s++(?=(?:what|how|why)\b|{_YOU})|{_LIST}(?={_ENGLISH_WORD}))"
_ENGLISH_MAY = (
    rf"(?:{_ENGLISH}|,?\s*+(?<=[,\s])(?:an?|and(?:\s+(?:[wh]?[a-z]{{0,2}}|{_MAY_BE_YOU}))?)?$"
    rf"|{_LIST}[wh]?[a-z]{{0,3}}$)"
)
_FEELS = (
    r"(?:힘드|힘들|아프|아팠|속상하|속상했|외로우|외로웠|무서우|무서웠|답답하|답답했|서운하|서운했|슬프|슬펐|괴로우|괴로웠"
    r"|억울하|억울했|놀라|놀랐|지치|지쳤|막막하|막막했|불안하|불안했|두려우|두려웠|서러우|서러웠|버거우|버거웠|무거우|무거웠|고단하|고단했)"
)
_FEELS_WITH = re.compile(rf"{_FEELS}(?:셨|시|었|겠)?겠?(?:죠|지요?)$")
"""A tag behind a feeling ("많이 힘드셨죠")."""
_FIRST = re.compile(rf"{_WORD}|{_ENGLISH_WORD}", re.IGNORECASE)
_JOIN, _MAY_JOIN = (
    re.compile(
        rf"{_LINKED}(?={begins})|{_ADJACENT}(?={begins})|{_ASKED}(?={topic})|{_WHETHER_ASKED}(?={whether})|{english}",
        re.IGNORECASE,
    )
    for begins, topic, whether, english in (
        (_BEGINS, _TOPIC, rf"{_TOPIC}[^,?.!]*[가-힣]지(?:[\s,]|를|도|가)", _ENGLISH),
        (_MAY_BEGIN, _MAY_BE_TOPIC, _MAY_BE_TOPIC, _ENGLISH_MAY),
    )
)
_MATTERS, _MAY_MATTER = re.compile(rf",\s+(?={_MATTER})"), re.compile(rf",\s*(?={_MAY_BE_MATTER})")
_CARED = re.compile(rf"(?:^|[,.]\s*){_MATTER}(?!.*{_ORDERS})[^,.]{{0,14}}{_CARE}$")
_CARES = re.compile(rf"{_CARE}$")
_CARES_AT_LAST = re.compile(rf"(?:{_CARE}|[가-힣](?:나요|까요?|가요))[?？\s\"'”’)\]]*$")
""""잠은 잘 주무세요, 밥은 드세요?": a matter with such an ending on both sides of the comma."""
_EMBEDDED = re.compile(
    r"지(?:도|를|조차)?\s+(?:잘\s+|아직\s+)*(?:모르|몰라|알(?!$|고\s*$|고\s*싶|려))|[겠한간]다[는고]|려는"
)
""""뭐가 힘든지, 어디서부터 말할지 모르겠는 마음인가요?" and "언제, 어떻게 하겠다는 말까지 하셨나요?" ask one thing."""
_DEGREE = re.compile(r"\bhow \w+$", re.IGNORECASE)
""""How often and how strongly do you feel it?" asks one thing, too."""
_STOP = re.compile(r"[?？!.。…~\s\"'”’)\]]*$")
_PHRASE = rf"[,\s]*+{_AND}(?:(?<!\w)(?:어떤|무슨|어느|몇)\s*\S*?|{_WORD}\S*?)(?=[\s,?？.!…]|$)"
_PHRASES = re.compile(rf"(?:{_PHRASE})++")
_ENGLISH_PHRASES = re.compile(
    rf"(?:,?\s*+(?:and\s++)?(?:(?:with|from|to|for|by)\s++)?{_ENGLISH_WORD})++", re.IGNORECASE
)
_WHETHER = re.compile(r"[는은던을]지(?:를|도|가)?$")
_LAST_WHETHER = re.compile(r".*[는은던을ㄹ가-힣]지(?:를|도|가)?(?=\s)", re.DOTALL)
_ASKED_BEFORE = re.compile(rf"{_QUESTION_ENDING}$|{_CARE}$|(?<![고며])[어아해니야]$")
_ASKS_ALREADY = re.compile(rf"{_QUESTION_ENDING}$|{_WHETHER.pattern}")
""""언제부터 그러셨나요 그리고 …" and "잠은 주무시는지, …" ask before the join, with or without a question word."""
_AND_ENDING = re.compile(r"[가-힣][고며]$")


LONGEST_WORD = 8
"""Characters that hold any question word and what must not follow it."""


def has_question_word(text: str) -> bool:
    """Return whether a text has a question word or asks at its end; else no further question is joined to it."""
    bare = text.rstrip(", ")
    return bool(_FIRST.search(text) or _ASKS_ALREADY.search(bare) or _CARES.search(bare))


def further_question(sentence: str, *, unfinished: bool = False) -> int | None:
    """Return where a further question is joined to a sentence, or None; the caller knows that the sentence asks.

    Args:
        sentence: The sentence, without what it quotes.
        unfinished: It still grows: its end may be where a further question begins.
    """
    return next(_joins(sentence, unfinished=unfinished), None)


def split_questions(sentence: str) -> tuple[str, ...]:
    cuts = [0, *_joins(sentence, unfinished=False), len(sentence)]
    parts = (sentence[start:end].strip(" ,") for start, end in pairwise(cuts))
    return tuple(part for part in parts if part)


def first_question(begun: str, rest: str) -> str:
    """Return how a sentence goes on after its first question, without those joined to it.

    Args:
        begun: The sentence up to the join.
        rest: The sentence from there.
    """
    stop = _STOP.search(rest)
    mark = "?" if stop is None or not stop[0].strip() else stop[0]
    said = rest[: stop.start()] if stop else rest
    polite = "요" if said.endswith(("요", "까", "다")) else ""
    if not re.search("[가-힣]", begun):
        asked_on = _ENGLISH_PHRASES.match(said)
        alone = " " not in begun.strip()
        return f"{said[asked_on.end() :]}{mark}" if alone and asked_on else mark
    if _ASKED_BEFORE.search(begun):
        return mark
    if _WHETHER.search(begun):
        whether = _LAST_WHETHER.match(said)
        return f"{said[whether.end() :]}{mark}" if whether else f"{polite}{mark}"
    if _AND_ENDING.search(begun):
        return f"{polite}{mark}"
    phrases = _PHRASES.match(said)
    left = said[phrases.end() :].strip(" ,") if phrases else ""
    return f" {left}{mark}" if left else f"{polite}{mark}"


def _joins(sentence: str, *, unfinished: bool) -> Iterator[int]:
    asked, matters = _asked_on(sentence, unfinished=unfinished), _matters(sentence, unfinished=unfinished)
    yield from sorted({*asked, *matters})


def _matters(sentence: str, *, unfinished: bool) -> Iterator[int]:
    """Yield where a second matter is asked about in the form of the first."""
    if unfinished or _CARES_AT_LAST.search(sentence):
        joins = (found.start() for found in (_MAY_MATTER if unfinished else _MATTERS).finditer(sentence))
        yield from (at for at in joins if _CARED.search(sentence[:at]))


def _asked_on(sentence: str, *, unfinished: bool) -> Iterator[int]:
    joined = _MAY_JOIN if unfinished else _JOIN
    for found in joined.finditer(sentence):
        at = found.start("adjacent") if found["adjacent"] else found.start()
        begun = sentence[:at]
        if (
            (_FIRST.search(begun) or _ASKS_ALREADY.search(begun))
            and not _DEGREE.search(begun)
            # said, not asked: "무슨 말인지 알 것 같아요, 어떤 마음이셨어요?"
            and not (_EMBEDDED.search(sentence, at) or _EMBEDDED.search(begun))
        ):
            yield at


def only_feels_with(text: str) -> bool:
    """Return whether a sentence without its mark says what the user feels, and asks nothing: "정말 힘드셨죠"."""
    return bool(_FEELS_WITH.search(text)) and not has_question_word(text)
