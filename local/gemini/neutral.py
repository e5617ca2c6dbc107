"""Answers to what no story knows: fixed ones. Nothing here reads a word for its meaning."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from cases.story import Gold
from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.prompt import Language, Prompt, Said
from local.gemini.protocol import Content
from local.gemini.story_answers import Offered, reading, without_question
from shared.content.loader import load_yaml
from shared.model import Model
from shared.prompts.data import decoded
from shared.services.counseling.evidence import plain

FROM_LEVEL = 4
"""Counselling level from which a plan has its last task, a step, in place of the one before it."""
LONGEST_QUOTE = 60
LONGEST = 1500
"""Letters of a summary with its quotes, which the agent's answer has room for."""
SHORTEST_QUOTE = 5
"""Letters of the newest message that is worth keeping, where there is one."""
_OPEN = ("pending", "in_progress")
_KEPT = re.compile(r"\[(?P<seq>\d+)\] (?P<text>.*) \([^()“]*“(?P<quote>.*)”\)")
"""One sentence of the summary so far, with the words that it rests on."""
_PASSAGE = re.compile(r"\[(?P<label>[^\[\]]+)\] .*?: (?P<text>.*)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n+|[“”\"]")
_NO_ARGS: JsonObject = {
    "topics": [], "article_numbers": [], "exhibit_numbers": [], "titles": [], "user_article_numbers": [], "topic": ""
}  # fmt: skip


class FixedTask(Model):
    """A task of the fixed plan."""

    kind: str
    module_id: str
    title: str
    target: str
    criteria: str

    def proposal(self, restrictions: str) -> JsonObject:
        """Return it as the planner answers it."""
        return proposal(self.title, self.target, self.criteria, self.kind, self.module_id, restrictions=restrictions)


class FixedTexts(Model):
    """See background.yaml."""

    goal: str
    tasks: tuple[FixedTask, ...]
    restrictions: str
    once_more: str
    told: str
    kept: str
    shared: str
    next_session: str
    reviewed: str
    reached: str
    read: str
    absent: str


class _Background(Model):
    ko: FixedTexts
    en: FixedTexts
    fixed: Mapping[str, JsonObject]


class _Replies(Model):
    """See neutral.yaml; by register, `en` for English."""

    replies: Mapping[str, tuple[str, ...]]
    care: Mapping[str, tuple[str, ...]]


@cache
def _background() -> _Background:
    return load_yaml(Path(__file__).with_name("background.yaml"), _Background)


@cache
def _replies() -> _Replies:
    return load_yaml(Path(__file__).with_name("neutral.yaml"), _Replies)


def texts(language: Language) -> FixedTexts:
    """Return the fixed texts of a language."""
    return _background().ko if language == "ko" else _background().en


def fixed() -> Mapping[str, JsonObject]:
    """Return the answers that are always the same, by the title of their schema."""
    return _background().fixed


def read(prompt: Prompt) -> JsonObject:
    """Return the reader's answer: nothing found, and the session stays where it is."""
    answer: JsonObject = reading(Gold(), Offered.by(prompt.text)).model_dump(mode="json")
    return answer


def reply(system: str, contents: Sequence[Content]) -> str:
    """Return the next calm reply, with what the prompt orders to be asked in its own words."""
    prompt = Prompt(system, system)
    if question := prompt.text_of("question"):
        told = [decoded(tag.text) for name in ("problem", "fact") for tag in prompt.tags(name)]
        return " ".join((*told, question))
    voice = "en" if prompt.language == "en" else prompt.text_of("register") or "존댓말"
    careful = prompt.text_of("stance") == "care" or any(
        tag.attributes.get("kind") == "concern" for tag in prompt.tags("notice")
    )
    calm = (_replies().care if careful else _replies().replies)[voice]
    error = " ".join(without_question(decoded(tag.text)) for tag in prompt.tags("slot_error"))
    said = [error or _next(calm, contents), prompt.text_of("ask")]
    return " ".join(part for part in said if part)


def _next(calm: Sequence[str], contents: Sequence[Content]) -> str:
    """Return the reply after the last one that was given, else the one of the turn's number."""
    past = [one.text for one in contents if one.role == "model"]
    given = next((at for text in reversed(past) for at, one in enumerate(calm) if one in text), None)
    turn = sum(one.role == "user" for one in contents)
    return calm[(turn if given is None else given + 1) % len(calm)]


def proposal(
    title: str,
    target: str,
    criteria: str,
    kind: str,
    module_id: str,
    *,
    priority: str = "medium",
    restrictions: str = "",
) -> JsonObject:
    """Return a task as the planner answers it."""
    return {
        "title": title,
        "description": target,
        "target": target,
        "completion_criteria": criteria,
        "restrictions": restrictions,
        "kind": kind,
        "module_id": module_id,
        "priority": priority,
        "slots": [],
    }


def plan(prompt: Prompt) -> JsonObject:
    """Return the fixed plan of the level; where there is one, a task that it does not have."""
    own, present = texts(prompt.language), titles(prompt)
    level = int(prompt.attribute("depth", "level") or 1)
    *first, pattern, step = own.tasks
    chosen = [one.proposal(own.restrictions) for one in (*first, step if level >= FROM_LEVEL else pattern)]
    if present:
        new = (one for one in chosen if one["title"] not in present)
        chosen = [next(new, _again(chosen[0], present, own))]
    keywords = [word.strip() for word in prompt.text_of("keywords").split(",") if word.strip()]
    ratings: list[JsonValue] = [{"keyword": word, "quote": "", "relevance": 0} for word in keywords]
    return {"ratings": ratings, "goal": prompt.text_of("goal") or own.goal, "tasks": list[JsonValue](chosen)}


def titles(prompt: Prompt) -> Mapping[str, str]:
    """Return the titles of the tasks in a prompt, with their status."""
    return {decoded(tag.text.partition(" — ")[0]): tag.attributes.get("status", "") for tag in prompt.tags("task")}


def _again(task: JsonObject, present: Mapping[str, str], own: FixedTexts) -> JsonObject:
    title = str(task["title"])
    while title in present:
        title += own.once_more
    return {**task, "title": title}


def review(prompt: Prompt) -> JsonObject:
    """Find no goal met, and Part 2 complete once none of its tasks is open."""
    statuses = [tag.attributes.get("status", "") for tag in prompt.tags("task")]
    in_part2 = prompt.attribute("session", "part") == "2"
    goals = [tag.attributes.get("id", "") for tag in prompt.tags("session_goal")]
    return {
        "goals": [{"goal": one, "evidence": "", "answer": "", "met": False} for one in goals],
        "reason": texts(prompt.language).reviewed if in_part2 else "",
        "part2_completed": in_part2 and bool(statuses) and not any(status in _OPEN for status in statuses),
        "wrap_up_advised": False,
        "feedback_to_task_planner": "",
    }


def summarize(prompt: Prompt) -> JsonObject:
    """Keep the summary and add the newest message that says something."""
    newest = _newest(prompt)
    return {"sentences": summary(prompt, [newest] if newest else [])}


def summary(prompt: Prompt, quotes: Sequence[Said]) -> list[JsonValue]:
    """Return the summary so far with a sentence for each quote; over its length the oldest sentences go."""
    told = texts(prompt.language).told
    found = (_KEPT.fullmatch(line) for line in next((tag.text for tag in prompt.tags("summary")), "").splitlines())
    kept = [sentence(int(one["seq"]), decoded(one["quote"]), decoded(one["text"])) for one in found if one]
    added = [sentence(one.seq, one.text, told.format(quote=one.text)) for one in quotes]
    whole = [*kept, *(one for one in added if one["text"] not in {each["text"] for each in kept})]
    while sum(len(str(one["text"])) + len(str(one["quote"])) for one in whole) > LONGEST:
        whole.pop(0)
    return list[JsonValue](whole)


def close(prompt: Prompt) -> JsonObject:
    """Give back the newest message that says something; a sentence that rests on it stands also where it must not."""
    own, newest = texts(prompt.language), _newest(prompt)
    told = (own.kept.format(quote=newest.text), own.shared) if newest else ()
    kept = [sentence(newest.seq, newest.text, text) for text in told] if newest else []
    return closing(prompt, kept, [], own.next_session)


def closing(
    prompt: Prompt, sentences: Sequence[JsonObject], goals: Sequence[JsonValue], next_session: str
) -> JsonObject:
    """Return the closer's answer: the outlook rests on the words of the last sentence; the level stays."""
    ahead: list[JsonValue] = [{**one, "text": next_session} for one in sentences[-1:]]
    return {
        "goals": list(goals),
        "sentences": list(sentences),
        "next_session": ahead,
        "suggested_level": prompt.level,
    }


def sentence(seq: int, quote: str, text: str) -> JsonObject:
    """Return a sentence with the words that it rests on."""
    return {"seq": seq, "quote": quote, "text": text}


def _newest(prompt: Prompt) -> Said | None:
    """Return the beginning of the newest message that says something, or None."""
    said = next((one for one in reversed(prompt.said) if len(plain(one.text)) >= SHORTEST_QUOTE), None)
    return said and Said(said.seq, bounded(said.text))


def bounded(text: str) -> str:
    """Return the first line of a message, cut at a word."""
    line = next((one.strip() for one in text.splitlines() if one.strip()), "")
    return line if len(line) <= LONGEST_QUOTE else line[:LONGEST_QUOTE].rpartition(" ")[0] or line[:LONGEST_QUOTE]


def search(prompt: Prompt) -> JsonObject:
    """Search once, for the message as it stands."""
    wanted, done = prompt.text_of("newest_message"), prompt.tags("call")
    if done or not wanted:
        return {"reason": "", "tool": "none", "args": _NO_ARGS}
    topic: JsonObject = {"topic_name": wanted, "queries": [wanted]}
    return {"reason": texts(prompt.language).read, "tool": "hybrid_search", "args": {**_NO_ARGS, "topics": [topic]}}


def evaluate(prompt: Prompt) -> JsonObject:
    """Find enough in what was read, from the second round on."""
    first = prompt.text_of("round").startswith("1/")
    return {"reason": "", "missing": "", "sufficient": bool(prompt.tags("passage")) and not first}


def cite(system: str) -> str | None:
    """Return the first sentence of the first passage, word for word with its source; None without passages."""
    prompt = Prompt(system, system)
    # The instructions name the tag before they open it.
    shown = [decoded(tag.text.rpartition("<passage>")[2].strip()) for tag in prompt.tags("passage")]
    if not shown:
        return None
    found = next((one for text in shown if (one := _PASSAGE.fullmatch(text))), None)
    phrases = (
        [one.strip() for one in _SENTENCE.split(found["text"]) if len(plain(one)) >= SHORTEST_QUOTE] if found else []
    )
    return f"“{phrases[0]}” [{found['label']}]" if found and phrases else texts(prompt.language).absent
