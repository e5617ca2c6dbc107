"""The demo: scripted clients talk whole sessions, written down with the course of each session and its causes."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from local.demo.client import clients
from tests.support.emulators import firestore_emulator_or_skip
from tests.support.forked import run_forked
from tests.support.overheard import Words
from tests.support.process import clean_environment

pytestmark = pytest.mark.long
ENOUGH_S = 500
NAMES = [client.name for client in clients()]
WORDS = Words(line for client in clients() for visit in client.visits for rule in visit.rules for line in rule.lines)
ON_THE_EMULATORS = ("ending_early", "booking_two")
"""Short, with a closing and with bookings; `make demo-emulators` runs all, test_emulated_session.py a first session."""
WHERE_IT_IS = ("FIRESTORE_EMULATOR_JAR", "JAVA_HOME")
SILENT = """\
name: silent
title: 말이 없는 사람
about: 인사만 하고 만다.
rules:
  - say: ["안녕하세요."]
"""
LEAVING = """\
name: leaving
title: 바로 가는 사람
about: 아무것도 보여 주지 않고 간다.
expects:
  - replan: circular
  - ended_by: asked
rules:
  - when: {proposes: end}
    say: ["네, 그만할게요."]
  - say: ["오늘은 여기까지 할게요."]
"""
LANDMARKS = (
    "AI 상담사", "[Part 전환] Part 1 시작 → Part 2 탐색", "[계획 완성]", "[Part 전환] Part 2 탐색 → Part 3 마무리",
    "[마무리 제안]", "[제안의 답] 동의함", "[세션 종료]", "\n  세션 요약", "\n  상담 목표:", "\n  다음 상담:",
    "\n  비용:",
)  # fmt: skip
CAUSED = (
    "Part 전환", "계획 완성", "재계획 요청", "재계획", "슈퍼비전", "세션 검토", "마무리 제안", "제안의 답",
    "세션 종료",
)  # fmt: skip
"""Notes that always have a cause below them."""
NOTE = re.compile(r"^ {8}· \[([^\]]+)\](.*(?:\n {10,}.*)*)", re.MULTILINE)
NEW_PLAN = re.compile(
    r"답한 요청: 과제 선택 · 맞는 과제가 없음 — 화제가 (.+?) 쪽으로.*?↳ 새 과제: (.+?)\n            ↳", re.DOTALL
)
CODE = re.compile(r"↳ .*\b[a-z]{2,} [a-z]{2,}|\b[a-z]+_[a-z_]+|· \[결정\](?:[^·]|·(?! \[))*?\b[a-z]{2,}")


@dataclass(frozen=True)
class Run:
    """The result of a run; `sessions` has the written text by client."""

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
def all_clients(tmp_path_factory):
    """The run of all clients, as `make demo` does it."""
    return demo(tmp_path_factory.mktemp("demo") / "pages")


def course(run, name):
    """Leave out what depends on the machine's speed: the cost, and who decided if a call was late."""
    told = run.sessions[name].partition("\n  비용:")[0]
    return NOTE.sub(lambda note: "" if note[1] == "결정" else note[0], told)


def test_the_demo_prints_one_page_that_names_every_client_and_the_address_of_the_transcripts(all_clients):
    lines = all_clients.printed.splitlines()
    assert len(lines) <= 2 * len(NAMES) + 10, "a page"
    assert [name for name in NAMES if sum(line.startswith(f"{name} ") for line in lines) != 2] == []
    assert f"{all_clients.pages.resolve().as_uri()}/index.html" in all_clients.printed


def test_the_demo_writes_every_session_from_the_greeting_through_all_parts_to_the_end(all_clients, subtests):
    assert all_clients.code == 0, all_clients.progress
    assert list(all_clients.sessions) == NAMES
    for name, text in all_clients.sessions.items():
        with subtests.test(name=name):
            assert ("[세션 종료]" in text) == (name != "booking_two")
            assert CODE.findall(text) == [], "no name or English text of the code is shown"
            assert ("[위기 대응]" in text) == (name in {"crisis_then_safe", "worried_friend"})
            if name not in {"ending_early", "only_yes", "booking_two"}:
                places = [text.rfind(landmark) for landmark in LANDMARKS]
                assert -1 not in places, dict(zip(LANDMARKS, places, strict=True))
                assert places == sorted(places)
                assert min(text.count("[슈퍼비전]"), text.count("[세션 검토]")) > 2
                assert "[대체 응답]" not in text


def test_the_demo_writes_a_cause_below_every_change_of_course(all_clients):
    found = [note for text in all_clients.sessions.values() for note in NOTE.findall(text)]
    assert {mark for mark, _ in found} >= set(CAUSED)
    assert [(mark, text) for mark, text in found if mark in CAUSED and "↳" not in text] == []


def test_a_recognised_persona_gives_the_plan_its_keywords(all_clients):
    text = all_clients.sessions["open"]
    assert "[대화 성향] 완벽주의 성향 (Type_A)" in text
    plan = text[text.index("[계획 완성]") : text.index("[세션 종료]")]
    assert re.search("키워드 (?:완벽주의|자기 비판|스트레스 관리|목표 설정) ", plan)


def test_an_early_end_is_proposed_once_and_a_wish_for_more_returns_to_part_2_before_the_end(all_clients):
    text = all_clients.sessions["ending_early"]
    assert text.count("[마무리 제안] 여기서 마칠지 물음") == 1
    assert "이유: 내담자가 마치자고 함" in text
    assert "[Part 전환]" not in text
    assert "\n  세션 요약" in text

    text = all_clients.sessions["asking_for_more"]
    declined, back = text.rindex("[제안의 답] 더 이야기하기로 함"), text.index("[대화로 돌아감]")
    assert declined < back < text.rindex("[제안의 답] 동의함")
    assert "[Part 전환] Part 3 마무리 → Part 2 탐색" in text[declined:]


@pytest.mark.parametrize(
    ("name", "module", "kind"),
    [
        ("resistant", "저항 다루기 (저항이 감지됨)", "상태 감지 · 저항"),
        ("circular", "(같은 말을 맴도는 것이 감지됨)", "상태 감지 · 같은 말을 맴돎"),
        ("topic_jumping", "(화제가 바뀐 것이 감지됨)", "과제 선택 · 맞는 과제가 없음"),
    ],
)
def test_a_detected_state_changes_the_module_and_the_plan(all_clients, name, module, kind):
    text = all_clients.sessions[name]
    assert module in text
    asked, replanned = text.index(f"[재계획 요청] {kind}"), text.index("[재계획] 1번째")
    assert asked < replanned < text.index(f"답한 요청: {kind}") < text.index("새 과제:")


def test_a_new_plan_names_the_requested_topic_and_repeats_no_task_title(all_clients):
    plans = [
        (topic, " ".join(tasks.split())) for topic, tasks in NEW_PLAN.findall(all_clients.sessions["topic_jumping"])
    ]
    assert plans
    assert [topic for topic, tasks in plans if topic not in tasks] == []
    titles = [one for _, tasks in plans for one in tasks.split(", ")]
    assert len(set(titles)) == len(titles)


def test_a_low_supervision_score_changes_the_directive_of_the_next_reply(all_clients):
    text = all_clients.sessions["circular"]
    low = re.search(r"\[슈퍼비전\] [0-6]\.\d점(?:\n {10,}.*)*다음 답의 지시에 들어감", text)
    assert "모듈 제안: " in low[0]
    assert "[슈퍼비전 반영]" in text[low.end() :]


def test_a_follow_up_session_opens_with_the_goal_and_the_agreement_of_the_first(all_clients):
    first, again = all_clients.sessions["follow_up"].split("── 2. ")
    goal = re.search(r"\n  상담 목표: ([^,]+)", first)[1]
    opening = again[: again.index("\n내담자  ")]
    assert "애 맡기고" in " ".join(opening.split())
    assert f"바라던 변화: {goal}" in opening
    plan = again[again.index("[계획 완성]") :]
    assert "회사 일" in plan[: plan.index("\n내담자  ")]


def test_the_crisis_protocol_gives_the_help_line_until_the_risk_is_over(all_clients):
    text = all_clients.sessions["crisis_then_safe"]
    protocol, left = text.index("[위기 대응]"), text.index("[위험 단계] 위기 → 없음")
    assert text.index("[위험 단계] 없음 → 위기") < left
    assert "109" in text[protocol:left]
    assert "[Part 전환]" not in text[protocol:left]


def test_a_question_on_secrecy_is_answered_with_its_article_and_the_counselling_goes_on_where_it_stood(all_clients):
    text = all_clients.sessions["asking_about_secrecy"]
    landmarks = (
        *("내담자  그런데 상담 내용은 누가 봐요?", "· [서비스] 동의서", "↳ 규칙: 이 서비스를 찾는 말이 있음"),
        *(
            "↳ 그대로인 과제: ",
            "↳ 그대로인 물음: ",
            "· [찾아본 과정] ",
            "· [근거 조항] 제17조 상담 내용을 볼 수 있는 사람",
        ),
        *("\n동의서 안내  ", "[제17조]", "\n내담자  ", "· [서비스] 상담으로 돌아옴", "· [알게 됨] "),
    )
    at = 0
    for landmark in landmarks:
        at = text.find(landmark, at)
        assert at >= 0, landmark
    assert re.search(
        r"서비스: 상담 \d+, 동의서 2 · 쓰여 있지 않은 근거 0 · 다른 서비스가 건드린 상담 0", " ".join(text.split())
    )
    page = (all_clients.pages / "asking_about_secrecy.html").read_text(encoding="utf-8")
    assert '<li class="note cited"><b>근거 조항</b>제17조 상담 내용을 볼 수 있는 사람' in page
    assert '<li class="said counselor"><b>동의서 안내</b>' in page


def test_two_sessions_of_one_message_are_booked_one_by_one_and_one_is_left_after_a_cancellation(all_clients):
    text = all_clients.sessions["booking_two"]
    marks = re.findall(r"· \[(예약 확정|예약 취소)\]|↳ (2건 가운데 \d번째)", text)
    assert ["".join(mark) for mark in marks] == [
        *("2건 가운데 1번째", "예약 확정", "2건 가운데 2번째", "예약 확정", "예약 취소")
    ]
    (left,) = re.findall(r"남은 예약: (.+)", text)
    assert left.count("부터") == 1
    page = (all_clients.pages / "booking_two.html").read_text(encoding="utf-8")
    assert all(f"<b>{mark}</b>" in page for mark in ("서비스", "예약 상태", "예약 확정", "예약 취소", "예약 안내"))
    assert re.search(
        r'<th scope="row">booking_two</th>(<td>[^<]*</td>)<td>예약 \d</td>',
        (all_clients.pages / "index.html").read_text("utf-8"),
    )


def test_a_client_that_does_not_end_or_misses_an_expectation_is_reported_with_the_reason(tmp_path):
    (tmp_path / "leaving.yaml").write_text(LEAVING, encoding="utf-8")
    (tmp_path / "silent.yaml").write_text(SILENT, encoding="utf-8")
    run = demo(tmp_path / "pages", "--folder", str(tmp_path))
    assert run.code == 1
    assert "demo: leaving did not show replan: circular; it showed none\n" in run.progress
    assert "ended_by" not in run.progress
    assert "silent did not reach its end: nothing left to say: turn 2, part 1" in run.progress
    assert "nothing left to say" in (run.pages / "silent.html").read_text(encoding="utf-8")


@pytest.mark.emulator
def test_the_demo_writes_the_same_on_the_emulators(all_clients, tmp_path):
    firestore_emulator_or_skip(tmp_path / "unused.log")
    found = {name: os.environ[name] for name in WHERE_IT_IS if name in os.environ}
    run = demo(tmp_path / "pages", "--emulators", "--client", *ON_THE_EMULATORS, **found)
    assert run.code == 0, run.progress
    for name in ON_THE_EMULATORS:
        assert course(run, name) == course(all_clients, name)
