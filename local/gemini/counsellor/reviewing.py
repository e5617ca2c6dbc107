"""What the supervisor's and the session manager's models would answer."""

import re

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

LONG_REPLY = 180
"""Characters from which a reply is longer than it should be."""
_WISHES = re.compile(r"고 싶|좋겠|바라|목표|\b(?:want to|wish|hope to)\b", re.IGNORECASE)
_EXPLAINED = re.compile(r"만큼만|괜찮아요|괜찮아|편하게|순서|AI|as much as you like|it is fine|in any order")
_OPEN = ("pending", "in_progress")


def supervise(prompt: Prompt) -> JsonObject:
    """Score the newest replies: good on the whole, with one thing to mend."""
    replies = [line.text for line in prompt.dialogue if not line.by_user][-3:]
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
    calm = danger_in(last) == "none" and feeling_of(last).intensity < 6
    spoken = [one for line in prompt.dialogue if not line.by_user for one in sentences(line.text)]
    explained = [one for one in spoken if _EXPLAINED.search(one)]
    words = background_data().review[language(prompt)]
    return {
        "part2_completed": done,
        "wrap_up_advised": calm and (done or has("end", last)),
        "rapport": _finding([one for one in told if feeling_of(one).intensity and len(one) >= 10]),
        "information": _finding([one for one in told if themes_of(one) and len(one) >= 8]),
        "goal_setting": _finding([one for one in told if _WISHES.search(one) and danger_in(one) == "none"]),
        "trust": _finding(explained if len(mine) > 2 else []),
        "reason": words["done" if done else "open"],
        "feedback_to_task_planner": "",
    }


def _finding(shown: list[str]) -> JsonObject:
    return {"met": bool(shown), "evidence": max(shown, key=len) if shown else ""}
