"""What the crisis detector takes on messages as long as they may be."""

import json
import random
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.safety.detector import detect
from tests.load.figures import Figure, percentile, progress
from tests.support.process import ROOT

LONGEST = 4000
"""Characters of the longest message that is taken."""
GOAL_MS = 2
READINGS = 9
_ORDINARY = ROOT / "shared" / "content" / "data" / "crisis_ordinary.json"
_MANY = "of short everyday messages; the same that tell which words are rare"
_STEPS = 5000
"""Of the loop that tells how fast the core is while a message is read: a tenth of what a message takes."""
_KOREAN = (
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
_ENGLISH = (
    "work has been a lot lately and when i get home i do not want to talk to anyone",
    "my manager said it is fine but i keep checking my mail at night",
    "i was supposed to call my sister back on tuesday and i still have not",
    "we broke up two months ago and i still have all of our photos on my phone",
    "i slept through my alarm again because i was watching videos until three",
    "honestly the new medication makes me drowsy in the afternoon but calmer",
    "everyone around me seems to know what they are doing and i am just stuck",
    "i used to love drawing and now i open the sketchbook and close it again",
    "my mom says i am lazy and i hear her voice every time i sit down",
    "i cried in the car before the meeting and then acted like nothing happened",
    "the heat is killing me and our landlord will not fix the air conditioner",
    "that movie had me dying laughing which has not happened in a while",
    "my dad drinks on weekends so i mostly stay in my room with headphones on",
    "i have applied to forty jobs since spring and only two of them wrote back",
    "it is not that i want to quit, i just need one week without deadlines",
    "the exam is on friday and my hands shake when i think about it",
    "a neighbour said hello to me yesterday and it made my whole day, weirdly",
    "i do not really know what to say here, this is my first time talking to someone",
    "my best friend moved away and the group chat is so quiet now",
    "I went for a walk on Sunday like you suggested and it did help a little",
)
"""What people write about hard weeks: some words of the rules, no crisis. Written for this figure."""


def detector(posts: int) -> list[Figure]:
    """Measure the detector on ordinary posts and on hard ones.

    Args:
        posts: How many of each kind.
    """
    ordinary = json.loads(_ORDINARY.read_text(encoding="utf-8"))
    traps = [text for one in rule_definitions().all for text in one.negatives]
    kinds = (
        _Kind("", _KOREAN, GOAL_MS, "of ordinary sentences in chance order"),
        _Kind(", in English", _ENGLISH, GOAL_MS, "of ordinary sentences in chance order"),
        _Kind(", many messages in Korean", [text for text in ordinary if _is_korean(text)], GOAL_MS, _MANY),
        _Kind(", many messages in English", [text for text in ordinary if not _is_korean(text)], GOAL_MS, _MANY),
        _Kind(", traps alone", traps, None, "of the rules' negative examples: every sentence is a trap"),
    )
    readings = [_readings(kind, posts) for kind in kinds]
    undisturbed = min(reading.beside for of_kind in readings for of_post in of_kind for reading in of_post)
    return [kind.figure(of_kind, undisturbed) for kind, of_kind in zip(kinds, readings, strict=True)]


class _Reading(NamedTuple):
    """Milliseconds of CPU time.

    Attributes:
        took: Of the detector.
        beside: Of the loop of known work, right before and behind, on average.
    """

    took: float
    beside: float


class _Kind(NamedTuple):
    name: str
    sentences: Sequence[str]
    goal: float | None
    posts: str

    def figure(self, readings: Sequence[Sequence[_Reading]], undisturbed: float) -> Figure:
        scaled = [statistics.median(one.took / one.beside for one in of_post) for of_post in readings]
        clock = [one.took for of_post in readings for one in of_post]
        name = f"crisis detector, {LONGEST:,} characters, p99{self.name}"
        how = (
            f"CPU time of {len(readings)} posts {self.posts}, on a core that nobody disturbs: beside a loop of known "
            f"work, which takes {undisturbed:.2f} ms at best in this run; median of {READINGS} readings each"
        )
        note = f"as the clock read: p50 {percentile(clock, 50):.1f}, p99 {percentile(clock, 99):.1f}"
        return Figure(name, percentile(scaled, 99) * undisturbed, " ms", self.goal, how, note=note)


def _is_korean(text: str) -> bool:
    return any("가" <= letter <= "힣" for letter in text)


def _readings(kind: _Kind, posts: int) -> Sequence[Sequence[_Reading]]:
    """Return the readings of each post; the rounds lie apart, as what disturbs a core comes and goes."""
    progress(f"crisis detector: {posts} posts {kind.posts}")
    chance = random.Random(0)
    texts = [_post(chance, kind.sentences) for _ in range(posts)]
    for text in texts:
        detect(text, crisis_rules())
    rounds = [[_reading(text) for text in texts] for _ in range(READINGS)]
    return list(zip(*rounds, strict=True))


def _post(chance: random.Random, sentences: Sequence[str]) -> str:
    text = ""
    while len(text) < LONGEST:
        text += chance.choice(sentences) + chance.choice((". ", ".\n", " ", "... ", "? "))
    return text[:LONGEST]


def _reading(text: str) -> _Reading:
    before = _cpu_ms_of_loop()
    begun = time.process_time()
    detect(text, crisis_rules())
    took = (time.process_time() - begun) * 1000
    return _Reading(took, (before + _cpu_ms_of_loop()) / 2)


def _cpu_ms_of_loop() -> float:
    begun, total = time.process_time(), 0
    for number in range(_STEPS):
        total += number * number
    return (time.process_time() - begun) * 1000
