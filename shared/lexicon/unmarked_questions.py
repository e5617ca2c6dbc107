"""Recognises a question that ends without a question mark ("무엇이 가장 힘드셨나요.")."""

import re


def ending_in(final: int) -> str:
    """Return a character class of the Korean syllables with a final consonant, by its place in Unicode's order."""
    return f"[{''.join(chr(0xAC00 + 28 * start + final) for start in range(399))}]"


_N, _L, _B, _SS = (ending_in(final) for final in (4, 8, 17, 20))
_ASKS = re.compile(
    rf"(?:(?:{_SS}|[없시하되들싶같많먹받쉬주보오르드]|[려겨져아어해]지)나요|(?!만){_N}지요"
    rf"|{_N}가요|{_L}까요?|{_B}니까|(?:주|보)시겠어요|[할볼줄갈올될실]래요|[줄실]래|[았었였했겠있없땠찮]니|[았었였했있없겠느]냐"
    r"|(?<!\w)어(?:때요?|땠어요?|떠세요|떠셨어요|떻게 지내(?:요|세요|셨어요)))[\s.。…~\"'”’)\]]*$"
)
"""Endings that only a question has; "화가 나요" and "마음을 달래요" have others."""
_UNLIKE = (
    r"(?!도|든|나|라|보|인|군)(?!.*(?:지(?=[\s,가를는도])|든|라도|래도|[아어해여봐와줘워져]도(?!\w)|[가-힣]면(?=\s)|냐는"
    r"|[다라냐자]고 (?:하|말씀)|[나가까] (?:싶|생각|궁금)|[기것]도 |[없못](?= |었)))[^.]*"
)
"""Behind a question word: what makes the sentence a statement ("누가 뭐래도", "무슨 말을 하셨는지", "누가 오면")."""
_ENDING = r"(?:[으시]세요|[^\s]나요|셨어요|셨죠|거예요|(?<!들)[었았했]어)"
_PAST = r"(?:셨|었|았|했|였|갔|왔|봤|졌|났|랬)어요"
_POINTED = re.compile(
    r"(?<!\w)(?:"
    rf"(?:언제부터|어디서|누구(?:와|랑)|몇 ?(?:번이나|시|살|명)|얼마나 (?:자주|오래)){_UNLIKE}{_ENDING}"
    rf"|(?:누가|어디가|무엇이|뭐가|왜|어떤 (?:점|일|마음|생각|기분|것|말)이){_UNLIKE}(?:{_ENDING}|세요|{_PAST})"
    r"|(?:누구(?:한테|에게|를|와|랑)|무엇을|뭘|언제(?=\s)|어디(?:서|에서|로)|어떻게|무슨 [가-힣]{1,20}[이가을를]"
    rf"|어떤 [가-힣]{{1,20}}[이가을를]|어느 [가-힣]{{1,20}}[이가을를]|몇 ?시에){_UNLIKE}{_PAST}"
    rf"|(?:뭐라고|뭐라) (?:[가-힣]+ )?{_PAST}|(?:뭐라고|뭐라) (?:하|말씀하)셨어요"
    r"|(?:언제부터|언제|누구|무엇|어디)(?:예요|이에요|였어요|이었어요))[\s.。…~]*$"
)
"""Question words that no statement of a counsellor has, with an ending that a statement may have."""
_EXCLAIMS = re.compile("(?:얼마나|어찌나)(?!.*(?:나요|가요))")
""""얼마나 힘드셨을까요." feels with the user and asks nothing."""


def asks_unmarked(sentence: str) -> bool:
    """Return whether a sentence without a question mark asks something."""
    if _POINTED.search(sentence):
        return True
    return bool(_ASKS.search(sentence)) and not _EXCLAIMS.search(sentence)
