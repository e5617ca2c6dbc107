"""The criteria for a plan of Part 2, each checked by a rule."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from pydantic import Field

from functions.planner.plan_checks import FEWEST_TASKS, MOST_TASKS
from shared.content.loader import load_yaml
from shared.domain.counseling.task import Task, TaskKind
from shared.model import Model
from tests.evaluation.cases import HOME, Case

LONGEST_GOAL = 120  # characters. A sentence that can be read out in one breath
SHARED_CHARACTERS = 5  # so many in a row, blanks aside, are the client's words and not the language's
MOST_KEYWORDS = 4  # seed: three to four at most
EXPLORING = 3  # the highest level that explores and does not solve
ACTING = {TaskKind.COPING, TaskKind.GOAL_SETTING}
DEEP = {TaskKind.PATTERN}
SHALLOW = 1  # the level that goes to no patterns and causes


class Words(Model):
    diagnosis: tuple[str, ...] = Field(min_length=1)
    solution: tuple[str, ...] = Field(min_length=1)
    against_solutions: tuple[str, ...] = Field(min_length=1)
    observable: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True)
class MadePlan:
    goal: str
    keywords: tuple[str, ...]
    tasks: tuple[Task, ...]

    @property
    def aims(self) -> list[str]:
        """The goal and each task's title, description and target, but not its restrictions."""
        return [self.goal, *(f"{task.title} {task.description} {task.target}" for task in self.tasks)]


@dataclass(frozen=True)
class Verdict:
    """One criterion; `why` names what it failed on."""

    criterion: str
    why: str = ""

    @property
    def holds(self) -> bool:
        return not self.why


def judge(case: Case, plan: MadePlan) -> tuple[Verdict, ...]:
    return (
        Verdict("one short sentence", _sentence(plan.goal)),
        Verdict("goal in the client's words", _own_words(case, plan)),
        Verdict("fitting keywords", _keywords(case, plan)),
        Verdict("nothing made up", _named(case.forbidden, plan.aims)),
        Verdict("no diagnosis", _named(words().diagnosis, plan.aims)),
        Verdict("as deep as the level", _depth(case.level, plan)),
        Verdict("level's restriction", _restrictions(case.level, plan.tasks)),
        Verdict("three to six tasks", _number(plan.tasks)),
        Verdict("observable ends", _ends(plan.tasks)),
    )


@cache
def words() -> Words:
    """Return the rubric's words; a ConfigError says where the file is wrong."""
    return load_yaml(HOME / "rubric.yaml", Words)


def _sentence(goal: str) -> str:
    if not goal.strip():
        return "empty"
    if len(goal) > LONGEST_GOAL:
        return f"{len(goal)} characters"
    sentences = [part for part in re.split(r"[.!?…]+(?=\s|$|[’”'\"]\s)|\n", goal) if re.search(r"\w", part)]
    return "" if len(sentences) == 1 else f"{len(sentences)} sentences"


def _own_words(case: Case, plan: MadePlan) -> str:
    named = any(keyword in plan.goal for keyword in plan.keywords)
    if named or _shared(plan.goal, case.words) or not plan.goal.strip():
        return ""
    return "names no chosen keyword and nothing that the client said"


def _shared(text: str, source: str) -> bool:
    plain, said = re.sub(r"\W+", "", text), re.sub(r"\W+", "", source)
    pieces = (plain[at : at + SHARED_CHARACTERS] for at in range(len(plain) - SHARED_CHARACTERS + 1))
    return any(piece in said for piece in pieces)


def _keywords(case: Case, plan: MadePlan) -> str:
    if not 1 <= len(plan.keywords) <= MOST_KEYWORDS:
        return f"{len(plan.keywords)} keywords"
    return ", ".join(keyword for keyword in plan.keywords if keyword not in case.expected)


def _named(wanted: Iterable[str], texts: Iterable[str]) -> str:
    whole = "\n".join(texts)
    return ", ".join(word for word in wanted if word in whole)


def _depth(level: int, plan: MadePlan) -> str:
    kinds = {task.kind for task in plan.tasks}
    if level > EXPLORING:
        return "" if kinds & ACTING else "no task of coping or of setting a goal"
    too_deep = ACTING | DEEP if level <= SHALLOW else ACTING
    found = [kind.value for kind in sorted(kinds & too_deep)]
    return ", ".join(filter(None, [*found, _named(words().solution, plan.aims)]))


def _restrictions(level: int, tasks: Iterable[Task]) -> str:
    if level > EXPLORING:
        return ""
    wanted = words().against_solutions
    return ", ".join(t.title for t in tasks if not any(word in (t.restrictions or "") for word in wanted))


def _number(tasks: tuple[Task, ...]) -> str:
    titles = sorted(task.title for task in tasks)
    if any(one == other for one, other in pairwise(titles)):
        return "two tasks of one title"
    return "" if FEWEST_TASKS <= len(tasks) <= MOST_TASKS else f"{len(tasks)} tasks"


def _ends(tasks: Iterable[Task]) -> str:
    seen = words().observable
    return ", ".join(task.title for task in tasks if not any(word in task.completion_criteria for word in seen))
