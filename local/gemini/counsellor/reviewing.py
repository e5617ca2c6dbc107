"""What the supervisor's and the session manager's models would answer."""

import re
from collections.abc import Callable, Sequence

from local.gemini.counsellor.background_data import (
    background_data,
    language,
    told_by_user,
    user_sentences,
    weightiest,
)
from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.messages import danger_in, has
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.themes import themes_of
from local.gemini.json_types import JsonObject

_FIXED = ("(정해진 문구)", "(fixed text)")
LONG_REPLY = 180
"""Characters from which a reply is longer than it should be."""
_WISHES = re.compile(r"고 싶|좋겠|바라|목표|\b(?:want to|wish|hope to)\b", re.IGNORECASE)
_EXPLAINED = re.compile(r"만큼만|괜찮아요|괜찮아|편하게|순서|AI|as much as you like|it is fine|in any order")
_OPEN = ("pending", "in_progress")
_TIRED = re.compile(
    r"(?:이제|오늘은|슬슬|(?:말|얘기|이야기)하다 ?보니)[^.!?]{0,12}(?:지치|지쳤|피곤|졸려|졸리|쉬고 싶)"
    r"|이쯤(?:이면|에서)|이만하면|이 ?정도면|그만할까|할 ?(?:말|얘기)(?:은|는)? ?(?:이제 )?다 ?(?:한|했)"
    r"|\b(?:(?:now|today)[^.!?]{0,12}tired|tired now|that's enough|said (?:it all|everything))\b",
    re.IGNORECASE,
)
"""A hint that the person would rather stop, short of asking to."""
_AGREED = re.compile(
    r"지난번|저번|지난주|그때 (?:정한|말한)|해 ?보기로|해 ?봤|못 했|last time|tried|didn't get to", re.IGNORECASE
)
_CHANGED = re.compile(
    r"달라|나아졌|좋아졌|그대로|예전|처음(?:보다|에 비)|전보다|변했|changed|better than|used to|same as", re.IGNORECASE
)
_BACK = re.compile(
    r"그동안|돌아보|돌이켜|처음 (?:왔|시작)|함께한|looking back|when (?:I|we) (?:began|started)", re.IGNORECASE
)
_HELP = re.compile(
    r"언제든|다시 찾아|다시 오|연락|상담전화|\b(?:1577-0199|109)\b|come back|reach out|call", re.IGNORECASE
)


def supervise(prompt: Prompt) -> JsonObject:
    """Score the newest replies: good on the whole, with one thing to mend."""
    replies = [line.text for line in prompt.dialogue if not line.by_user and not line.text.startswith(_FIXED)][-3:]
    last = replies[-1] if replies else ""
    long, asks = len(last) > LONG_REPLY, last.count("?")
    said = weightiest(told_by_user(prompt)[-3:], korean=prompt.is_korean)
    words = background_data().supervision[language(prompt)]
    improvement = words["shorter"] if long or asks > 1 else words["improve" if said else "improve_plain"]
    reflected = any(quote[:6] in last for quote in said)
    return {
        "red_item": False,
        "register_or_restriction_violated": False,
        "scores": {
            "empathy": 8 if reflected else 7,
            "appropriate_questions": {0: 7, 1: 8}.get(asks, 6),
            "non_judgement": 8,
            "advice_timing": 8,
            "register": 8,
            "task_adherence": 7,
            "information_stage": 7,
            "length": 6 if long else 8,
        },
        "needs_improvement": False,
        "strategy_change": False,
        "strategy": "",
        "suggested_module": "",
        "improvements": [fill(improvement, {"said": said[-1] if said else ""})],
        "strengths": [words["strength"]],
    }


def review(prompt: Prompt) -> JsonObject:
    """Find what was reached: Part 2 is complete when nothing planned is left."""
    statuses = [tag.attributes.get("status", "") for tag in prompt.tags("task")]
    in_part2 = prompt.attribute("session", "part") == "2"
    done = in_part2 and bool(statuses) and not any(status in _OPEN for status in statuses)
    told, mine = user_sentences(prompt), told_by_user(prompt)
    last = mine[-1] if mine else ""
    hints = danger_in(last) == "none" and (has("end", last) or bool(_TIRED.search(last)))
    spoken = [one for line in prompt.dialogue if not line.by_user for one in sentences(line.text)]
    words = background_data().review[language(prompt)]
    goals = [tag.attributes.get("id", "") for tag in prompt.tags("session_goal")]
    return {
        "part2_completed": done,
        "wrap_up_advised": hints and not done,
        "goals": [_finding(goal, _shown(goal, told, spoken if len(mine) > 2 else [])) for goal in goals],
        "reason": words["done" if done else "open"],
        "feedback_to_task_planner": "",
    }


def _finding(goal: str, shown: list[str]) -> JsonObject:
    return {"goal": goal, "met": bool(shown), "evidence": max(shown, key=len) if shown else ""}


def _shown(goal: str, told: Sequence[str], spoken: Sequence[str]) -> list[str]:
    """Return the sentences that show a goal of any type of session."""
    tests: dict[str, Callable[[str], object]] = {
        "rapport": lambda one: feeling_of(one).intensity and len(one) >= 10,
        "information": lambda one: themes_of(one) and len(one) >= 8,
        "goal_setting": _is_wish,
        "agreement": _AGREED.search,
        "present": lambda one: feeling_of(one).intensity,
        "focus": lambda one: themes_of(one) and len(one) >= 15,
        "next_step": _is_wish,
        "looking_back": _BACK.search,
        "change": _CHANGED.search,
        "keeping": _is_wish,
    }
    of_counsellor: dict[str, Callable[[str], object]] = {"trust": _EXPLAINED.search, "farewell": _HELP.search}
    if goal in of_counsellor:
        return [one for one in spoken if of_counsellor[goal](one)]
    test = tests.get(goal)
    return [one for one in told if test(one)] if test else []


def _is_wish(sentence: str) -> bool:
    return bool(_WISHES.search(sentence)) and danger_in(sentence) == "none"
