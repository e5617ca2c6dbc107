"""The demo as a person runs it: scripted clients talk whole sessions, and the transcripts tell what happened."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from local.demo.client import clients

ENOUGH_S = 120
NAMES = [client.name for client in clients()]
TO_THE_END = [name for name in NAMES if name != "ending_early"]
SILENT = """\
name: silent
title: 말이 없는 사람
about: 인사만 하고 만다.
rules:
  - say: ["안녕하세요."]
"""


@dataclass(frozen=True)
class Run:
    """What a run left; the text by client."""

    code: int
    sessions: dict[str, str]
    progress: str
    pages: Path


def demo(pages: Path, *arguments: str) -> Run:
    """Run the demo to its end; `subprocess.run` ends it when it takes too long."""
    command = [sys.executable, "-m", "local.demo", "--html", str(pages), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=ENOUGH_S, check=False)
    told = re.split(r"^━━━ .*\((\w+)\)$", done.stdout, flags=re.MULTILINE)
    return Run(done.returncode, dict(zip(told[1::2], told[2::2], strict=True)), done.stderr, pages)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All clients, as `make demo` lets them talk."""
    return demo(tmp_path_factory.mktemp("demo") / "pages")


def test_all_clients_reach_their_end(everything):
    assert everything.code == 0, everything.progress
    assert list(everything.sessions) == NAMES
    assert all("[세션 종료]" in told for told in everything.sessions.values())


@pytest.mark.parametrize("name", TO_THE_END)
def test_a_session_is_told_from_hello_through_every_part_to_its_end(everything, name):
    told = everything.sessions[name]
    landmarks = [
        "AI 상담사",
        "[Part 전환] Part 1 시작 → Part 2 탐색",
        "[계획 완성]",
        "[Part 전환] Part 2 탐색 → Part 3 마무리",
        "[마무리 제안]",
        "[제안의 답] 동의함",
        "[세션 종료]",
        "\n  세션 요약",
        "\n  상담 목표:",
        "\n  다음 상담:",
        "\n  비용:",
    ]
    places = [told.rfind(landmark) for landmark in landmarks]
    assert -1 not in places, dict(zip(landmarks, places, strict=True))
    assert places == sorted(places)


@pytest.mark.parametrize("name", TO_THE_END)
def test_background_judgements_are_told_and_no_reply_was_degraded(everything, name):
    told = everything.sessions[name]
    assert told.count("[슈퍼비전]") > 2
    assert told.count("[세션 검토]") > 2
    assert "[대체 응답]" not in told


def test_who_leaves_early_is_asked_once_and_let_go(everything):
    told = everything.sessions["ending_early"]
    assert told.count("[마무리 제안] 여기서 마칠지 물음") == 1
    assert "[Part 전환]" not in told
    assert "\n  세션 요약" in told


def test_who_asks_for_more_is_heard_before_the_end(everything):
    told = everything.sessions["asking_for_more"]
    assert told.index("[제안의 답] 더 이야기하기로 함") < told.index("[제안의 답] 동의함")


def test_resistance_circling_and_changes_of_topic_are_noticed(everything):
    assert "저항 다루기 (저항이 감지됨)" in everything.sessions["resistant"]
    assert "(같은 말을 맴도는 것이 감지됨)" in everything.sessions["circular"]
    assert "(화제가 바뀐 것이 감지됨)" in everything.sessions["topic_jumping"]


def test_what_no_task_fits_is_planned_anew_with_the_reason(everything):
    told = everything.sessions["topic_jumping"]
    asked = told.index("[재계획 요청] 과제 선택: 화제가 가족과의 일 쪽으로 옮겨 갔는데")
    assert asked < told.index("[재계획] 1번째 · 새 과제:")


def test_a_crisis_is_answered_by_rule_and_left_by_the_clients_own_word(everything):
    told = everything.sessions["crisis_then_safe"]
    protocol, left = told.index("[위기 대응]"), told.index("[위험 단계] 위기 → 없음")
    assert told.index("[위험 단계] 없음 → 위기") < left
    assert "109" in told[protocol:left]
    assert "[Part 전환]" not in told[protocol:left]
    assert not any("[위기 대응]" in everything.sessions[name] for name in NAMES if name != "crisis_then_safe")


def test_the_pages_hold_what_the_text_holds(everything):
    for name, told in everything.sessions.items():
        page = (everything.pages / f"{name}.html").read_text(encoding="utf-8")
        assert page.count('<li class="said user">') == told.count("\n내담자  ")
        assert page.count('<li class="note ') == told.count("\n        · [")
        assert "https:" not in page


def test_a_second_run_tells_the_same(everything, tmp_path):
    again = demo(tmp_path, "--client", "circular")
    assert without_cost(again.sessions["circular"]) == without_cost(everything.sessions["circular"])


def test_a_session_that_does_not_end_is_named_with_the_reason(tmp_path):
    (tmp_path / "silent.yaml").write_text(SILENT, encoding="utf-8")
    run = demo(tmp_path / "pages", "--folder", str(tmp_path))
    assert run.code == 1
    assert "silent did not reach its end: nothing left to say: turn 2, part 1" in run.progress
    assert "nothing left to say" in (run.pages / "silent.html").read_text(encoding="utf-8")


def test_an_unknown_client_is_refused_in_one_line(tmp_path):
    run = demo(tmp_path, "--client", "nobody")
    assert run.code == 2
    assert run.progress.startswith("cbot: there is no client 'nobody'")
    assert run.progress.count("\n") == 1


def without_cost(text: str) -> str:
    """Leave out what it cost: a call that the model failed counts too."""
    return text.partition("\n  비용:")[0]
