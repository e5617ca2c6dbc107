"""Every pattern of the product takes time in proportion to the text: no message stops an instance."""

import json
from functools import cache

import pytest

from shared.content.catalogue import content
from tests.support.process import run_python

WITHIN_S = 900
"""Wall time; the patterns take half a minute of processor time."""


@cache
def found():
    process = run_python("-m", "tests.support.compiled_patterns", within_s=WITHIN_S)
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout)


def test_every_line_that_compiles_a_pattern_is_reached():
    assert found()["unseen"] == []


def test_patterns_of_every_file_of_words_and_rules_are_among_those_tried():
    tried = {place for one in found()["patterns"] for place, _ in one["places"]}
    rules = {f"shared/safety/{name}.py" for name in ("matcher", "phrases", "predicates", "crisis_answers")}
    words = {f"shared/lexicon/{name}.py" for name in ("patterns", "plain_answers", "emotion_words")}
    content_files = {f"shared/content/{name}.py" for name in ("safety_plan", "schemas/instructions", "guard_rules")}
    lists = {
        "LexiconFile.refuse",
        "AnswersFile.declines",
        "SafetyPlanFile.keeps_after_all",
        "SessionWordsFile.says_misread",
    }
    assert (rules | words | content_files | lists) - tried == set()
    assert len(found()["patterns"]) > 2_000


def test_no_pattern_takes_long_on_any_text_that_repeats_what_it_matches():
    slow = [f"{one['places']}\n  {one['source']}\n  on {one['text']!r}…" for one in found()["slow"]]
    assert not slow, "\n".join((f"{len(slow)} patterns", *slow))


REPEATED = (
    *("네 ", "네", "yes ", "아니 ", "아니", "no ", "음 ", "음, 네 ", "응 어 ", "맞아요 ", "저는 이름은 ", "안 슬퍼 "),
    *(
        "오늘 이제 그만 ",
        "더 ",
        "i'm ",
        "혹시 근데 솔직히 진짜 사람 ",
        "사람이 ai가 아니라 ",
        "so wait hey but and well ",
    ),
)
READERS = """
import sys
from shared.content.catalogue import content
from tests.unit.shared.lexicon.test_lexicon import RECOGNISED

meanings = {heard for heard, _, _ in RECOGNISED.values()}
answers, plan, screen = content().crisis_answers, content().safety_plan, content().screening.screen
for piece in sys.argv[1:]:
    for text in (piece * 30, piece * 200, (piece * 4000)[:4000], f"{(piece * 2000)[:3990]} 저장"):
        message = screen(text)
        for read in (answers.says_only_yes, answers.admits, answers.denies, answers.only_denies):
            read(message)
        for topic in answers.closed_topics:
            answers.told_by_answer(message, topic, "지금 혼자 계세요?")
        for hear in (plan.accepts, plan.refuses, plan.puts_off, plan.keeps, plan.keeps_after_all, plan.stops):
            hear(text)
        for heard in meanings:
            heard(text)
        plan.gives_nothing(text)
        plan.question(text)
"""


def test_a_plain_answer_said_over_and_over_is_read_within_seconds():
    limits = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (60, 60))"
    process = run_python("-c", f"{limits}{READERS}", *REPEATED, within_s=WITHIN_S)
    assert process.returncode == 0, process.stderr[-4000:]


@pytest.mark.parametrize("text", ["네 " * 60, "아니요. " * 30])
def test_a_long_message_is_no_bare_answer(text):
    assert not content().crisis_answers.says_only_yes(content().screening.screen(text))


@pytest.mark.parametrize("text", ["네네네", "네, 네", "응 맞아요", "네 그래요 네", "ㅇㅇ", "yes yes"])
def test_a_repeated_yes_is_still_a_bare_yes(text):
    assert content().crisis_answers.says_only_yes(content().screening.screen(text))


@pytest.mark.parametrize("text", ["네 네 저장해 주세요", "아 아까 그거 저장할게요", "그럼 그냥 저장해 둘래요"])
def test_a_wish_to_keep_the_plan_may_follow_a_repeated_yes(text):
    assert content().safety_plan.keeps_after_all(text)
