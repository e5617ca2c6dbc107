"""Names that the user gives without saying that they are one: "지우라고요", "지우요, 지은 말고", "김영호입니다"."""

import re
from collections.abc import Iterable

from shared.content.catalogue import Content
from shared.domain.counseling.profile import NAME_SLOT
from shared.domain.counseling.session import Session
from shared.lexicon.asking import asks_of
from shared.lexicon.clause_text import clauses_of

SURNAMED = 3
"""Syllables of a family name and a usual given name."""

_LEAD = (
    "(?:(?:안녕하세요|안녕하십니까|충성|네|예|아니요?|아뇨|근데|아|어|음|앗|저기|저는?|나는?|난|전"
    "|(?:제|내)?(?: ?이름은?)?) ){0,4}"
)
_GREETS = re.compile("충성|안녕하십니까|(?:만나서 )?반(?:갑습니다|가워요)|잘 부탁(?:드립니다|드려요|합니다)")
_GREETED = re.compile(r" (?:반갑|만나서|잘 부탁|이라고 ?해).*$")
_NOT = r"(?:이|가|님|씨)? ?(?:말고|아니(?:라|고|구|에요|예요|야|라고|라니까|거든)|아닌데|아녜요|아냐)(?:요)?"
_SPACED = re.compile(r"[가-힣] [가-힣]|.*라고 ?(?:합니다|해요|하오|하네)$")
"""A family name with a title ("강 상병"), or a name that somebody is called by."""
_INTRODUCES = re.compile(r"(?:입니다|라고 ?합니다|이오|올시다)$")
_FULL_NAME = re.compile(
    "[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공][가-힣]{2}"
)
_NOUN = re.compile("강아지|고지서|[고유][시아치]원|이태원|[전정조].기|지하철|.{2}[구동도시자인병제의민]")
"""Words with the syllables of a full name: places, diseases, what people do; some names, which are asked for, too."""
_OTHERS_ASKED = re.compile(
    r"누구|누가|사람|분[이은도께]|친구|가족|무엇|뭐|뭘|어디|언제|\b(?:who|what|where|when)\b", re.IGNORECASE
)
_INSISTS = re.compile(r"라(?:고요?|구요?|고 ?했(?:잖아|는데|어)요?|니까요?|니깐요?)$")
_BEFORE = re.compile(rf"{_LEAD}|.*(?:데|서|지만|니까) {_LEAD}")


def name_instead(known: str, text: str, content: Content) -> str | None:
    """Return the name that the user gives beside words that deny the known one, if there is one alone."""
    if text.rstrip().endswith(("?", "？")):
        return None
    left, denied = _without_denials(known, clauses_of(text), content)
    names = [name for clause in left if denied and (name := bare_name(clause, content, rest=True))]
    return names[0] if len(names) == 1 else None


def _without_denials(known: str, clauses: Iterable[str], content: Content) -> tuple[list[str], bool]:
    """Return the clauses without what says that the known name is wrong, and whether one said so."""
    denial = re.compile(rf"(?P<before>.*?){re.escape(known)}{_NOT}(?P<after>.*)", re.IGNORECASE)
    left: list[str] = []
    denied = False
    for clause in clauses:
        found = denial.fullmatch(clause)
        if found and _BEFORE.fullmatch(found["before"]):
            left, denied = [*left, found["after"].strip()], True
        elif content.session_words.calls_name_wrong(clause):
            denied = True
        else:
            left.append(clause)
    return [clause for clause in left if clause], denied


def name_answered(text: str, content: Content) -> str | None:
    """Return the name that a message begins with, after a greeting, as the answer to the question for it."""
    if text.rstrip().endswith(("?", "？")):
        return None
    first = _GREETED.sub("", next(iter(_told(text, content)), ""))
    name = bare_name(first, content)
    if name is not None and " " in name:
        return name
    if name is None or not 1 < len(name) <= SURNAMED or not content.lexicon.ends_like_a_name(name):
        return None
    return None if content.lexicon.is_noun_like_a_name(name) else name


def named_alone(text: str, reply: str, content: Content) -> str | None:
    """Return the full name by which a message introduces the user and says nothing else, whatever was asked."""
    told = _told(text, content)
    if len(told) != 1 or not _INTRODUCES.search(told[0]) or _OTHERS_ASKED.search(" ".join(asks_of(reply))):
        return None
    name = name_answered(text, content)
    return name if name and _FULL_NAME.fullmatch(name) and not _NOUN.fullmatch(name) else None


def _told(text: str, content: Content) -> list[str]:
    clauses = (one for one in clauses_of(text) if not content.lexicon.read(one).is_backchannel)
    return [one for one in clauses if not _GREETS.fullmatch(one)]


def denies_name(text: str, state: Session) -> str | None:
    """Return the slot of the user's name if a clause says that they are not called so, and nothing else."""
    value = state.user_info.get(NAME_SLOT)
    if not isinstance(value, str):
        return None
    name = re.escape(value)
    ko = rf"{_LEAD}{name}(?:이|가|님|씨)? ?(?:아니(?:에요|예요|야|라고요?|라니까요?|거든요?)|아닌데요?|아녜요|아냐)"
    en = rf"(?:no |sorry |actually )*(?:(?:i'm|i am|my name is|my name's) not|my name isn't) {name}"
    denies = re.compile(f"{ko}|{en}", re.IGNORECASE)
    return NAME_SLOT if any(denies.fullmatch(clause) for clause in clauses_of(text)) else None


def bare_name(clause: str, content: Content, *, rest: bool = False) -> str | None:
    """Return the name that a clause consists of, with its ending; no feeling and no word for a person is one.

    Args:
        clause: The clause.
        content: The content.
        rest: More words may follow the name.
    """
    told = re.sub(rf"^{_LEAD}", "", clause)
    whole = rest or " " not in told or _INSISTS.search(told) or _SPACED.match(told)
    name = content.lexicon.name(f"이름은 {told}") if told and whole else None
    if name is None or name == told or content.people_words.unknown(name, ""):
        return None
    return None if content.lexicon.read(name).emotion.intensity else name
