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

_LEAD = "(?:(?:안녕하세요|네|아니요?|아뇨|근데|아|어|음|앗|저기|저는?|나는?|난|전|(?:제|내)?(?: ?이름은?)?) ){0,4}"
_GREETED = re.compile(r" (?:반갑|만나서|잘 부탁|이라고 ?해).*$")
_NOT = r"(?:이|가|님|씨)? ?(?:말고|아니(?:라|고|구|에요|예요|야|라고|라니까|거든)|아닌데|아녜요|아냐)(?:요)?"
_NO = re.compile(r"(?:아니요?|아뇨|네|음|어|아|앗|저기요?|죄송한데요?)")
_INSISTS = re.compile(r"라(?:고요?|구요?|고 ?했(?:잖아|는데|어)요?|니까요?|니깐요?)$")
_BEFORE = re.compile(rf"{_LEAD}|.*(?:데|서|지만|니까) {_LEAD}")


def name_instead(known: str, text: str, reply: str, content: Content) -> str | None:
    """Return the name that the user puts in place of the known one, if their words leave no other meaning.

    A bare name corrects beside words that deny the known one; alone, it must be like that one, and the reply have it.
    """
    if text.rstrip().endswith(("?", "？")):
        return None
    left, denied = _without_denials(known, clauses_of(text), content)
    names = [name for clause in left if (name := bare_name(clause, content, rest=denied))]
    if denied or len(names) != 1:
        return names[0] if len(names) == 1 else None
    alone = all(_NO.fullmatch(clause) or bare_name(clause, content) for clause in left)
    if not alone or known not in reply or not _alike(names[0], known, content):
        return None
    insists = any(_INSISTS.search(clause) for clause in left)
    no = _NO.match(text.strip()) is not None
    return names[0] if insists or (no and (len(names[0]) == SURNAMED or not asks_of(reply))) else None


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
    clauses = (one for one in clauses_of(text) if not content.lexicon.read(one).is_backchannel)
    first = _GREETED.sub("", next(clauses, ""))
    name = bare_name(first, content)
    if name is None or not 1 < len(name) <= SURNAMED or not content.lexicon.ends_like_a_name(name):
        return None
    return None if content.lexicon.is_noun_like_a_name(name) else name


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
    name = (
        content.lexicon.name(f"이름은 {told}") if told and (rest or " " not in told or _INSISTS.search(told)) else None
    )
    if name is None or name == told or content.people_words.unknown(name, ""):
        return None
    return None if content.lexicon.read(name).emotion.intensity else name


def _alike(name: str, known: str, content: Content) -> bool:
    """Return whether the last two syllables may be a given name, and share one with that of another name."""
    shared = any(one == other for one, other in zip(name[-2:], known[-2:], strict=False))
    return shared and content.lexicon.ends_like_a_name(name)
