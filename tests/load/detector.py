"""What the crisis detector takes on messages as long as they may be."""

import json
import random
import statistics
import time
from collections.abc import Sequence

from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.domain.safety.detector import detect
from tests.load.figures import Figure, percentile, progress
from tests.support.process import ROOT

LONGEST = 4000
"""Characters of the longest message that is taken."""
GOAL_MS = 2
READINGS = 9
_ORDINARY = ROOT / "shared" / "content" / "data" / "crisis_ordinary.json"
_STEPS = 5000
"""Of the loop that tells how fast the core is while a message is read: a tenth of what a message takes."""
_SENTENCES = (
    "요즘 회사에서 회의가 너무 많아서 퇴근하면 아무 말도 하기 싫어요",
    "팀장님이 사람들 앞에서 제 보고서를 지적했는데 얼굴이 화끈거렸어요ㅠㅠ",
    "친구한테 연락이 와도 답장을 며칠씩 미루게 돼요",
    "엄마는 제가 게을러서 그렇다고 하시는데 그 말이 계속 생각나요",
    "남자친구랑 헤어진 지 두 달쯤 됐고 아직도 사진을 못 지웠어요",
    "주말에는 산책을 하려고 했는데 결국 오후 3시까지 누워 있었어요",
    "밤에 잠이 안 와서 새벽까지 유튜브를 보다가 지각했어요",
    "배고파 죽겠는데 막상 밥을 차리면 먹기가 싫더라고요ㅋㅋ",
    "이번 시험을 망치면 끝이라는 생각에 손이 떨려요",
    "동생이 아프다고 해서 병원에 같이 다녀왔어요",
    "약을 먹고 나서는 조금 차분해졌지만 낮에 졸려요",
    "다들 잘 사는 것 같은데 나만 멈춰 있는 기분이에요",
    "예전에는 그림 그리는 게 좋았는데 지금은 재미가 없어요",
    "그래도 어제는 이웃이 인사를 해 줘서 고마웠어요",
    "취업 준비를 2년 했는데 서류에서 자꾸 떨어지니까 지쳐요",
    "아빠가 술을 드시고 들어오시면 방문을 잠그게 돼요",
    "웃겨 죽는 줄 알았던 드라마도 이제는 그냥 틀어만 놔요",
    "상담을 받아 볼까 하다가도 무슨 말을 해야 할지 모르겠어요",
    "my manager said it is fine but i keep checking my mail at night",
    "선생님은 괜찮다고 하셨지만 저는 하나도 괜찮지 않았어요",
)
"""What people write about hard weeks: some words of the rules, no crisis. Written for this figure."""


def detector(posts: int) -> list[Figure]:
    """Measure the detector on ordinary messages and on hard ones.

    Args:
        posts: How many of each kind.
    """
    ordinary = json.loads(_ORDINARY.read_text(encoding="utf-8"))
    korean = [text for text in ordinary if any("가" <= letter <= "힣" for letter in text)]
    english = [text for text in ordinary if text not in korean]
    traps = [text for one in rule_definitions().all for text in one.negatives]
    name = f"crisis detector, {LONGEST:,} characters, p99"
    return [
        _figure(name, _SENTENCES, posts, GOAL_MS, "ordinary sentences in chance order"),
        _figure(f"{name}, Korean messages", korean, posts, GOAL_MS, "short everyday messages, one after another"),
        _figure(f"{name}, English messages", english, posts, GOAL_MS, "as above"),
        _figure(
            f"{name}, traps alone", traps, posts, None, "the rules' own negative examples: every sentence is a trap"
        ),
    ]


def _figure(name: str, sentences: Sequence[str], posts: int, goal: float | None, what: str) -> Figure:
    progress(f"{name}: {posts} posts")
    chance = random.Random(0)
    texts = [_post(chance, sentences) for _ in range(posts)]
    for text in texts:
        detect(text, crisis_rules())
    readings = [[_reading(text) for text in texts] for _ in range(READINGS)]
    undisturbed = min(beside for one in readings for _, beside in one)
    scaled = [statistics.median(took / beside for took, beside in of_one) for of_one in zip(*readings, strict=True)]
    as_read = [took for one in readings for took, _ in one]
    how = (
        f"{posts} posts of {what}; CPU time beside a loop of known work, in this run's quickest time of that loop "
        f"({undisturbed:.2f} ms); median of {READINGS} readings each"
    )
    note = f"as the clock read: {percentile(as_read, 50):.1f}, p99 {percentile(as_read, 99):.1f}"
    return Figure(name, percentile(scaled, 99) * undisturbed, " ms", goal, how, note=note)


def _post(chance: random.Random, sentences: Sequence[str]) -> str:
    text = ""
    while len(text) < LONGEST:
        text += chance.choice(sentences) + chance.choice((". ", ".\n", " ", "... ", "? "))
    return text[:LONGEST]


def _reading(text: str) -> tuple[float, float]:
    """Return milliseconds of CPU time of the detector, and of the loop right before and behind it, on average."""
    before = _cpu_ms_of_loop()
    begun = time.process_time()
    detect(text, crisis_rules())
    took = (time.process_time() - begun) * 1000
    return took, (before + _cpu_ms_of_loop()) / 2


def _cpu_ms_of_loop() -> float:
    begun, total = time.process_time(), 0
    for number in range(_STEPS):
        total += number * number
    return (time.process_time() - begun) * 1000
