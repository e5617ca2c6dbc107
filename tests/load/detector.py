"""What the safety rules take: their load with the first message, and messages as long as they may be."""

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from shared.content.catalogue import content
from tests.load.figures import Figure, percentile, progress
from tests.support.process import ROOT

LONGEST = 4000
"""Characters of the longest message that is taken."""
LONG_GOAL_MS = 40
LOAD_GOAL_S = 0.25
MEMORY_GOAL_MIB = 15
READINGS = 5
STARTS = 5
_FIRST = """
import sys, time, psutil, yaml, pydantic, ahocorasick_rs, shared.content.loader, shared.content.safety_rules as rules
process = psutil.Process()
memory, begun = process.memory_info().rss, time.process_time()
rules.screening().screen(sys.argv[1])
print(time.process_time() - begun, (process.memory_info().rss - memory) / 2**20)
"""
"""Run in a new process; what it imports before is there for other things, too."""
_MESSAGE = "요즘 너무 힘들어서 그냥 죽고 싶어요"
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
    """Measure the safety rules.

    Args:
        posts: How many long messages of each language.
    """
    return [*_loads(), _long("", _KOREAN, posts), _long(", in English", _ENGLISH, posts)]


def _loads() -> list[Figure]:
    progress(f"safety rules: {STARTS} new processes")
    measured = [_load() for _ in range(STARTS)]
    how = f"in a new process, CPU time; median of {STARTS}"
    seconds, mebibytes = (statistics.median(values) for values in zip(*measured, strict=True))
    return [
        Figure("safety rules, load and first message", seconds, " s", LOAD_GOAL_S, how),
        Figure(
            "safety rules, memory after the first message", mebibytes, " MiB", MEMORY_GOAL_MIB, "resident, the same"
        ),
    ]


def _load() -> tuple[float, float]:
    command = [sys.executable, "-c", _FIRST, _MESSAGE]
    seconds, mebibytes = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(mebibytes)


def _long(language: str, sentences: Sequence[str], posts: int) -> Figure:
    progress(f"safety rules: {posts} messages of {LONGEST:,} characters{language}")
    chance = random.Random(0)
    texts = [_post(chance, sentences) for _ in range(posts)]
    for text in texts:
        content().screening.screen(text)
    took = [statistics.median(_reading(text) for _ in range(READINGS)) for text in texts]
    how = f"CPU time of {posts} posts of ordinary sentences in chance order; median of {READINGS} readings each"
    return Figure(
        f"safety rules, {LONGEST:,} characters, p99{language}", percentile(took, 99), " ms", LONG_GOAL_MS, how
    )


def _post(chance: random.Random, sentences: Sequence[str]) -> str:
    text = ""
    while len(text) < LONGEST:
        text += chance.choice(sentences) + chance.choice((". ", ".\n", " ", "... ", "? "))
    return text[:LONGEST]


def _reading(text: str) -> float:
    begun = time.process_time()
    content().screening.screen(text)
    return (time.process_time() - begun) * 1000
