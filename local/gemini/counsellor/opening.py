"""The start of a reply: an answer to the kind of message, else a reflection."""

import re

from local.gemini.counsellor.brief import Brief
from local.gemini.counsellor.messages import has, is_a
from local.gemini.counsellor.reflection import person_in, reflect
from local.gemini.counsellor.slots import answer_to, is_wish
from local.gemini.counsellor.stances import say, say_anew
from local.gemini.counsellor.voice import Speaker

_CHECKS = ("맞게 들었", "이해해도", "마음과 잘 맞", "hear you right", "understand it this way", "fit how it feels")
_PROPOSED = ("마칠까", "여기까지 할까", "마무리로 넘어가도", "모아 볼까", "stop here", "towards closing")
_BY_KIND = ("refusal_strong", "advice", "about_cbot", "refusal_mild")
_FREE = frozenset({"support_people", "coping_style", "session_goal"})
_WHOLE = ("flat", "dont_know", "thanks", "greeting")
_NEXT = ("이어 가는 것은 어떠", "이어 가는 건 어때", "go on like this", "going on like this")
_YES = re.compile(r"(?:네|넵|예|응|어|그래요?|좋아요?|yes|yeah|ok|okay|sure)(?:[\s,.!~]|$)", re.IGNORECASE)
_RIGHT = re.compile(r"맞|비슷|정확|그런 것 같|잘 ?들|\b(?:right|yes|exactly)\b", re.IGNORECASE)
_WHETHER = (
    "있으세요",
    "있어?",
    "있을까",
    "계세요",
    "괜찮",
    "될까",
    "인가요",
    "맞나요",
    "맞아?",
    "들려주",
    "어떠세요",
    "Is there",
    "Do you",
    "Would",
)
_SHORT_YES = 25
"""Characters of a yes with a word of praise; a longer one tells something too."""


def opening(brief: Brief, speaker: Speaker) -> list[str]:
    if to_name := _to_name(brief, speaker):
        return to_name
    if proposed(brief) and has("wants_more", brief.text):
        return [say("go_on", speaker)]
    for kind in _BY_KIND:
        if has(kind, brief.text):
            return [say(kind, speaker)]
    found = _to_slot(brief, speaker) or _to_last_words(brief, speaker)
    if found:
        return found
    for kind in _WHOLE:
        if is_a(kind, brief.text):
            return [say(kind, speaker)]
    return _to_yes_or_no(brief, speaker) or called(brief, reflect(brief, speaker))


def confirms(brief: Brief) -> bool:
    """Tell whether the message only confirms the last reply's summary."""
    if not any(check in brief.last_reply for check in _CHECKS):
        return False
    said_yes = bool(_YES.match(brief.text.strip()))
    praise = has("heard_well", brief.text) and len(brief.text) <= 2 * _SHORT_YES
    return is_a("yes", brief.text) or (said_yes and (praise or len(brief.text) <= _SHORT_YES))


def _to_last_words(brief: Brief, speaker: Speaker) -> list[str]:
    """Answer a yes to the last reply's summary or next step, or a statement of safety."""
    if confirms(brief):
        return [say(_how_heard(brief.text), speaker)]
    if _YES.match(brief.text.strip()) and any(words in brief.last_reply for words in _NEXT):
        return [say("agreed_next", speaker)]
    if brief.stance == "work" and has("safe", brief.text) and not has("unsafe", brief.text):
        return [said] if "109" in brief.last_reply and (said := say_anew("safe_again", speaker)) else []
    return []


def _how_heard(text: str) -> str:
    """Return how a yes to a summary is answered: "네, 알겠어요" does not confirm it."""
    return "heard_right" if _RIGHT.search(text) else "heard_so"


def _to_name(brief: Brief, speaker: Speaker) -> list[str]:
    """Answer a message that denies, corrects or first gives a name."""
    told = reflect(brief, speaker, brief_only=True) if brief.gist.said or brief.gist.because else []
    if brief.name_denied:
        return [say("name_denied", speaker), *told]
    if brief.name_corrected:
        return [say("name_corrected", speaker, name=brief.calling), *told]
    if brief.name_just_given and not any(brief.name in reply for reply in brief.replies):
        return [say("name_given", speaker, name=brief.calling), *told]
    return []


def proposed(brief: Brief) -> bool:
    """Tell whether the last reply proposed to close or to end."""
    return any(word in brief.last_reply for word in _PROPOSED)


def called(brief: Brief, sentences: list[str]) -> list[str]:
    """Begin every third reply with the user's name."""
    due = bool(brief.name) and brief.name not in " ".join(brief.replies[-2:])
    if not due or not sentences or brief.name in sentences[0] or not brief.korean or sentences[0][:2] in {"네,", "응,"}:
        return sentences
    return [f"{brief.calling}, {sentences[0]}", *sentences[1:]]


def _to_slot(brief: Brief, speaker: Speaker) -> list[str]:
    kind = _answer_kind(brief)
    if kind == "support_some":
        torn = has("torn", brief.text)
        return [say("support_torn" if torn else kind, speaker, who=person_in(brief.text))]
    said = say_anew(kind, speaker) if kind else ""
    if kind in {"coping_some", "goal_given"} and said and brief.gist.said:
        return [*reflect(brief, speaker, brief_only=True)[:1], said]
    return [said] if said else []


def _answer_kind(brief: Brief) -> str:
    """Return the kind of answer to the slot that was asked for, or ""."""
    text, unknown = brief.text, is_a("dont_know", brief.text)
    prior = answer_to("prior_counseling", text, asked=brief.answered_slot == "prior_counseling")
    if prior is not None:
        return "prior_yes" if prior == "true" else "prior_no"
    if brief.answered_slot in _FREE and answer_to(brief.answered_slot, text) is None and not unknown:
        return ""
    none = unknown or has("none", text)
    none_near = has("none", text) or is_wish(text)
    kinds = {
        "name": "name_refused" if not brief.name and (unknown or has("refusal_mild", text)) else "",
        "support_people": "support_none" if none_near else "support_some" if person_in(text) else "",
        "coping_style": "coping_none" if none else "coping_endure" if has("endures", text) else "coping_some",
        "session_goal": "goal_open" if unknown else "goal_given",
    }
    return kinds.get(brief.answered_slot, "")


def _to_yes_or_no(brief: Brief, speaker: Speaker) -> list[str]:
    yes, no = is_a("yes", brief.text), is_a("no", brief.text)
    if not (yes or no):
        return []
    if any(check in brief.last_reply for check in _CHECKS):
        return [say(_how_heard(brief.text) if yes else "heard_wrong", speaker)]
    return [say("yes" if yes else "no", speaker)] if yes or _asked_whether(brief) else [say("flat", speaker)]


def _asked_whether(brief: Brief) -> bool:
    """Tell whether the last question can be answered with a no."""
    return any(word in brief.last_reply for word in _WHETHER)
