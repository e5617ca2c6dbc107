"""Recognises sentences that may become goals."""

import re

from local.gemini.counsellor.messages import danger_in, has

_WISHES = re.compile(r"고 싶(?:어|습|다|은|네)|좋겠|바라요|바랍|목표는|\b(?:want to|wish|hope to)\b", re.IGNORECASE)
_DENIED = re.compile(r"싶(?:지|진)(?:는|도)? ?(?:않|안)|하기 싫|\b(?:don't|do not|not) want to\b", re.IGNORECASE)
_ABOUT_THE_TALK = re.compile(
    r"(?:얘기|이야기|대화)(?:를|을|은|는|도|부터|만)? ?(?:[가-힣]+ ){0,3}?"
    r"(?:하|해 ?보|나누|꺼내|나눠 ?보|이어 ?가)고 싶|\b(?:talk|speak) (?:about|more)\b",
    re.IGNORECASE,
)


def is_a_goal(text: str) -> bool:
    """Tell whether a sentence is a wish, except refusals, topics to talk about and wishes to end."""
    about_the_talk = any(has(kind, text) for kind in ("wants_more", "end", "end_wish")) or _ABOUT_THE_TALK.search(text)
    return bool(_WISHES.search(text)) and not about_the_talk and not _DENIED.search(text) and danger_in(text) == "none"
