"""Counts what a reply asks of the user: the one definition for the stream, the supervisor and the figures.

A sentence asks with a question mark, with an ending that only a question has, or as an invitation to tell. Several
questions in one sentence count each; a quoted question does not count.
"""

import re
from functools import lru_cache

from shared.lexicon.joined_questions import split_questions
from shared.lexicon.sentences import sentences_of, without_sentences
from shared.lexicon.unmarked_questions import asks_unmarked

_TELLING = (
    r"(?:(?:말씀?|이야기|얘기|대답|설명)(?:을|를)?\s*(?:좀\s*|한번\s*|더\s*)*해"
    r"|들려|털어놔|털어놓아|나눠|나누어|적어|알려|가르쳐)"
)
_GIVING = (
    r"\s*(?:주세요|주십시오|주시겠어요|주실래요?|주실 수 있(?:을까요|나요|으세요)"
    r"|주(?:시)?면 (?:좋겠|고맙겠|감사하겠)\w*|줘요?|줄래요?|줄 수 있(?:을까|나|니)요?)"
)
_ASKING = re.compile(
    rf"(?:{_TELLING}{_GIVING}|(?:말(?:씀)?|이야기|얘기)해\s*(?:보세요|보실래요|봐요?|볼래요?)"
    r"|(?:듣|들어\s*보)고\s*싶(?:어요?|습니다|네요?)|궁금(?:해요?|합니다|하네요?)"
    r"|[가-힣]지(?:를|도|가|까지)?\s+(?:좀\s*|더\s*|꼭\s*|먼저\s*)*알고\s*싶(?:어요?|습니다|네요?))[\s.!。…~\"'”’)\]]*$"
)
_ELSEWHERE = re.compile(
    r"(?<![저제나내])(?:에게|한테)|(?<!함)께(?![요서])|전화|문자|(?<!\d)1(?:19|12|09|388|577)(?!\d)|구급|경찰"
)
"""Somebody else is to be told, such as a teacher or 119."""
_POLITE = re.compile(
    r"(?:괜찮(?:으시|으)?|가능하(?:시)?|편하(?:시)?|할 수 있(?:으시|으)?|힘들지 않(?:으시|으)?)(?:다)?면"
)
_STANDING = re.compile(
    r"[가-힣]면(?=[\s,])|언제든|언제라도|(?<!\w)계속(?!\w)|(?<!\w)그때(?:는|에)?(?=\s*(?:말|들려|얘기|이야기|알려))"
)
"""An offer that stands for later or in some case: "떠오르는 게 있으면 그때 들려주세요."."""
_MANNER = (
    r"(?:천천히|편하게|편히|편안하게|부담\s*없이|조금씩|그냥|이어서|있는\s*그대로|그대로|서두르지\s*(?:말고|않고|마시고)|네"
    r"|(?:편하신|편한|하고\s*싶은|할\s*수\s*있는|하실\s*수\s*있는)\s*(?:만큼|대로|데)만?|(?:마음\s*)?(?:떠오르는|가는|내키는)\s*대로)"
)
_LEAVING_TIME = re.compile(rf"\s*+(?:{_MANNER}[\s,]*+)+{_TELLING}{_GIVING}[\s.!。…~\"'”’)\]]*")
"""Only says how an answer may be given, and adds nothing to the question that it follows."""
_ENGLISH = re.compile(
    r"\s*+(?:(?:and|so|please|perhaps|maybe|if you(?:'re| are| feel)? (?:able|comfortable|willing|okay|like)),?\s++)*"
    r"(?:tell me(?! (?:if|when|whenever|only|again|as much)\b)|say (?:a (?:bit|little) )?more|describe"
    r"|(?:walk|talk) me through|i(?:'d| would)? (?:want|need|like|love) to (?:hear|know)|i(?:'m| am) curious)\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")


def asks_of(reply: str) -> tuple[str, ...]:
    """Return the questions and invitations of a reply, each question of a sentence by itself."""
    asking = filter(_asks, sentences_of(_ADDRESS.sub(" ", reply)))
    return tuple(part for sentence in asking for part in split_questions(sentence))


@lru_cache(2048)
def asks_of_wording(wording: str) -> tuple[str, ...]:
    """Return what a written wording asks, which each turn compares; what somebody said is not kept."""
    return asks_of(wording)


def asks_in_own_words(reply: str) -> bool:
    """Return whether a reply asks with a question mark outside quotations."""
    return any("?" in sentence for sentence in sentences_of(reply))


def without_asks(reply: str) -> str:
    """Return a reply without its questions and invitations.

    For a model's words: of a fixed safety reply only the questions may be left out, since "말해 주세요" may say what to
    tell 119.
    """
    return without_sentences(reply, _asks)


def asks_without_mark(sentence: str) -> bool:
    """Return whether a sentence without a question mark asks the user for something."""
    return asks_unmarked(sentence) or invites(sentence)


def _asks(sentence: str) -> bool:
    return "?" in sentence or asks_without_mark(sentence)


def invites(sentence: str) -> bool:
    """Return whether a sentence invites the user to tell something now.

    What another person is to be told, what may be told later, and how to take one's time are no invitations.
    """
    if _ENGLISH.match(sentence):
        return True
    if not _ASKING.search(sentence) or _LEAVING_TIME.fullmatch(sentence):
        return False
    return not _ELSEWHERE.search(sentence) and not _STANDING.search(_POLITE.sub("", sentence))
