"""Answers of the session manager's review."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from local.gemini.counsellor.background_data import (
    background_data,
    told_by_user,
    user_sentences,
)
from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.messages import danger_in, has, is_a
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.themes import themes_of
from local.gemini.counsellor.wishes import is_a_goal
from local.gemini.json_types import JsonObject, JsonValue

STALLING = 5
"""Newest messages of the user by which a plan is judged: the turns between two reviews."""
TWICE = 2
_EXPLAINED = re.compile(
    r"끝에 같이 정리|마지막에 정리|함께 정리하기 순서|gather (?:it|what came up)|to gathering it", re.IGNORECASE
)
_OPEN = ("pending", "in_progress")
_TIRED = re.compile(
    r"(?:이제|오늘은|슬슬|(?:말|얘기|이야기)하다 ?보니)[^.!?]{0,12}(?:지치|지쳤|피곤|졸려|졸리|쉬고 싶)"
    r"|이쯤(?:이면|에서)|이만하면|이 ?정도면|그만할까|할 ?(?:말|얘기)(?:은|는)? ?(?:이제 )?다 ?(?:한|했)"
    r"|\b(?:(?:now|today)[^.!?]{0,12}tired|tired now|that's enough|said (?:it all|everything))\b",
    re.IGNORECASE,
)
"""A hint that the user would rather stop, without asking to."""
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
_WISHES = ("goal_setting", "next_step", "keeping")
_EXPLAINS = {"trust": _EXPLAINED, "farewell": _HELP}
"""Goals that need the counsellor's explanation and the user's response."""


def review(prompt: Prompt) -> JsonObject:
    """Judge the goals: Part 2 is complete when no planned task is left, and out of reach if it stalls."""
    statuses = [tag.attributes.get("status", "") for tag in prompt.tags("task")]
    in_part2 = prompt.attribute("session", "part") == "2"
    done = in_part2 and bool(statuses) and not any(status in _OPEN for status in statuses)
    told, mine = user_sentences(prompt), told_by_user(prompt)
    last = mine[-1] if mine else ""
    hints = danger_in(last) == "none" and (has("end", last) or bool(_TIRED.search(last)))
    words = background_data().review[prompt.language]
    goals = [tag.attributes.get("id", "") for tag in prompt.tags("session_goal")]
    return {
        "part2_completed": done,
        "wrap_up_advised": hints and not done,
        "goals": _findings(prompt, goals, told),
        "reason": words["done" if done else "open"] if in_part2 else "",
        "feedback_to_task_planner": _stalled(prompt, mine) if in_part2 and not done else "",
    }


def _stalled(prompt: Prompt, mine: Sequence[str]) -> str:
    """Return what is wrong with a plan that stalls or misses the point for the user, or ""."""
    words, newest = background_data().review[prompt.language], mine[-STALLING:]
    beside = [text for text in newest if has("beside_the_point", text)]
    if len(beside) >= TWICE:
        return fill(words["beside"], {"said": beside[-1]})
    empty = [text for text in newest if is_a("dont_know", text) or is_a("flat", text)]
    return words["stalled"] if len(empty) > TWICE else ""


def _findings(prompt: Prompt, goals: Sequence[str], told: Sequence[str]) -> list[JsonValue]:
    """Find what shows each goal; words that show one show no other, and a wish is looked for first."""
    used: set[str] = set()
    found: dict[str, JsonObject] = {}
    for goal in sorted(goals, key=lambda one: one not in _WISHES):
        fresh = [one for one in told if one not in used]
        found[goal] = _taken_in(prompt, goal) if goal in _EXPLAINS else _finding(goal, _shown(goal, fresh))
        used.add(str(found[goal]["evidence"]))
    return [found[goal] for goal in goals]


def _finding(goal: str, shown: list[str]) -> JsonObject:
    return {"goal": goal, "evidence": max(shown, key=len) if shown else "", "answer": "", "met": bool(shown)}


def _taken_in(prompt: Prompt, goal: str) -> JsonObject:
    """Find the counsellor's explanation and the user's response to it."""
    behind = [pair for pair in pairwise(prompt.dialogue) if not pair[0].by_user and pair[1].by_user]
    for told, answer in reversed(behind[1:]):
        explained = [one for one in sentences(told.text) if _EXPLAINS[goal].search(one)]
        if explained and (words := sentences(answer.text)):
            return {"goal": goal, "evidence": max(explained, key=len), "answer": words[0], "met": True}
    return _finding(goal, [])


def _shown(goal: str, told: Sequence[str]) -> list[str]:
    """Return the user's sentences that show a goal."""
    tests: dict[str, Callable[[str], object]] = {
        "rapport": lambda one: feeling_of(one).intensity and len(one) >= 10,
        "information": lambda one: themes_of(one) and len(one) >= 8,
        "goal_setting": is_a_goal,
        "agreement": _AGREED.search,
        "present": lambda one: feeling_of(one).intensity,
        "focus": lambda one: themes_of(one) and len(one) >= 15,
        "next_step": is_a_goal,
        "looking_back": _BACK.search,
        "change": _CHANGED.search,
        "keeping": is_a_goal,
    }
    test = tests.get(goal)
    return [one for one in told if test(one)] if test else []
