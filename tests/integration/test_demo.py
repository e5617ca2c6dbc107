"""The demo: the stories are played, written down with the course of each session and its causes."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from local.demo.__main__ import chosen
from local.trial_stories import offers
from shared.locale import Locale
from tests.support.emulators import firestore_emulator_or_skip
from tests.support.forked import run_forked
from tests.support.overheard import Words
from tests.support.process import clean_environment

pytestmark = pytest.mark.long
ENOUGH_S = 500
AS_WRITTEN = tuple(one.id for one in offers())
"""Stories that a start without a key offers: no rule of danger hears in them what their authors did not mean."""
STORIES = {story.id: story for story in chosen(names=AS_WRITTEN)}
WORDS = Words(line.client for story in STORIES.values() for line in story.lines)
ON_THE_EMULATORS = ("terse_student",)
"""`make demo-emulators` plays all, test_emulated_session.py a first session."""
WHERE_IT_IS = ("FIRESTORE_EMULATOR_JAR", "JAVA_HOME")
LEAVING = """\
id: leaving
locale: ko
title: 바로 가는 사람
about: 이 이야기가 바라는 것은 한 번에 이루어지지 않는다.
lines:
  - client: 안녕하세요.
    reply: 어서 오세요.
    holds: {part: 2, task: none, stance: work}
  - client: 오늘은 날이 좀 흐리네요.
    reply: 그러네요.
    holds: {ended: true}
"""
CAUSED = (
    "Part 전환", "계획 완성", "재계획 요청", "재계획", "슈퍼비전", "세션 검토", "마무리 제안",
    "세션 종료",
)  # fmt: skip
"""Notes that always have a cause below them."""
NOTE = re.compile(r"^ {8}· \[([^\]]+)\](.*(?:\n {10,}.*)*)", re.MULTILINE)
CODE = re.compile(r"↳ .*\b[a-z]{2,} [a-z]{2,}|\b[a-z]+_[a-z_]+|· \[결정\](?:[^·]|·(?! \[))*?\b[a-z]{2,}")


@dataclass(frozen=True)
class Run:
    """The result of a run; `sessions` has the written text by story."""

    code: int
    sessions: dict[str, str]
    printed: str
    progress: str
    pages: Path


def demo(pages, *arguments, **environment):
    """Run the demo to its end; it is killed if it takes too long."""
    command = ["-m", "local.demo", "--html", str(pages), *arguments]
    done = run_forked(command, clean_environment(environment), ENOUGH_S)
    assert WORDS.in_log(done.stderr) == []
    written = pages / "transcripts.txt"
    assert written.exists(), f"no transcripts, exit code {done.returncode}:\n{done.stderr[-3000:]}"
    told = written.read_text("utf-8")
    parts = re.split(r"^━━━ .*\((\w+)\)$", told, flags=re.MULTILINE)
    return Run(done.returncode, dict(zip(parts[1::2], parts[2::2], strict=True)), done.stdout, done.stderr, pages)


@pytest.fixture(scope="module")
def all_stories(tmp_path_factory):
    """The run of these stories, as `make demo` plays all."""
    return demo(tmp_path_factory.mktemp("demo") / "pages", "--story", *AS_WRITTEN)


def course(run, name):
    """Leave out what depends on the machine's speed: the cost, and who decided if a call was late."""
    told = run.sessions[name].partition("\n  비용:")[0]
    return NOTE.sub(lambda note: "" if note[1] == "결정" else note[0], told)


def test_the_demo_prints_one_page_that_names_every_story_and_the_address_of_the_transcripts(all_stories):
    lines = all_stories.printed.splitlines()
    assert len(lines) <= 2 * len(STORIES) + 10, "a page"
    assert [name for name in STORIES if sum(line.startswith(f"{name} ") for line in lines) != 2] == []
    assert f"{all_stories.pages.resolve().as_uri()}/index.html" in all_stories.printed


def test_every_story_comes_to_its_end_and_holds_what_it_should(all_stories, subtests):
    assert all_stories.code == 0, all_stories.progress
    assert list(all_stories.sessions) == list(STORIES)
    for name, text in all_stories.sessions.items():
        with subtests.test(name=name):
            assert "[세션 종료]" in text
            assert "AI" in text[: text.index("\n내담자  ")]
            if STORIES[name].locale is Locale.KO:
                told = "\n".join(mark + note for mark, note in NOTE.findall(text))
                assert CODE.findall(told) == [], "no name or English text of the code is shown"


def test_the_demo_writes_a_cause_below_every_change_of_course(all_stories):
    found = [note for text in all_stories.sessions.values() for note in NOTE.findall(text)]
    assert {mark for mark, _ in found} >= set(CAUSED)
    assert [(mark, text) for mark, text in found if mark in CAUSED and "↳" not in text] == []


def test_a_story_that_does_not_end_or_goes_otherwise_is_reported_with_the_line(tmp_path):
    (tmp_path / "leaving.yaml").write_text(LEAVING, encoding="utf-8")
    run = demo(tmp_path / "pages", "--folder", str(tmp_path))
    assert run.code == 1
    assert "demo: leaving did not reach its end: no end after its last line\n" in run.progress
    assert "demo: leaving line 2: ended is False, the story holds True\n" in run.progress
    assert "no end after its last line" in (run.pages / "leaving.html").read_text(encoding="utf-8")


@pytest.mark.emulator
def test_the_demo_writes_the_same_on_the_emulators(all_stories, tmp_path):
    firestore_emulator_or_skip(tmp_path / "unused.log")
    found = {name: os.environ[name] for name in WHERE_IT_IS if name in os.environ}
    run = demo(tmp_path / "pages", "--emulators", "--story", *ON_THE_EMULATORS, **found)
    assert run.code == 0, run.progress
    for name in ON_THE_EMULATORS:
        assert course(run, name) == course(all_stories, name)
