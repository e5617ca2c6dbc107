"""What a crisis reply takes when the model never answers, and what its detector takes on long messages."""

import random
import time
from collections.abc import Sequence

from local.gemini.faults import Fault
from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.domain.safety.detector import detect
from tests.load.figures import Figure, percentile, progress
from tests.support.chat_client import signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator
from tests.support.stored import stored

DANGER = "이제 정말 죽고 싶어요."
REPEATED = 3
"""Messages of a conversation: fewer than the rate limit minds."""
GOAL_MS = 50
"""safety.md, Crisis: complete in under 50 ms of own time."""

LONGEST = 4000
"""Characters of the longest message that is taken."""
DETECTOR_GOAL_MS = 2
REPEATS = 5
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
    """Measure the detector on messages as long as they may be, ordinary ones and hard ones.

    Args:
        posts: How many of each kind; of several readings of each the quickest counts: the rest is the machine.
    """
    progress(f"crisis detector: {posts} messages of each kind")
    written = rule_definitions()
    traps = [text for one in written.all for text in one.negatives]
    name, unit = "crisis detector, 4,000 characters, p99", " ms"
    how = f"CPU time of {posts} messages of ordinary sentences in chance order, best of {REPEATS} each"
    hard = f"as above, of the rules' own {len(traps)} negative examples: every sentence is a trap"
    return [
        Figure(name, percentile(_taken(_SENTENCES, posts), 99), unit, DETECTOR_GOAL_MS, how),
        Figure(f"{name}, traps alone", percentile(_taken(traps, posts), 99), unit, None, hard),
    ]


def _taken(sentences: Sequence[str], posts: int) -> list[float]:
    chance = random.Random(0)
    texts = [_post(chance, sentences) for _ in range(posts)]
    for text in texts:
        detect(text, crisis_rules())
    return [min(_cpu_ms(text) for _ in range(REPEATS)) for text in texts]


def _post(chance: random.Random, sentences: Sequence[str]) -> str:
    text = ""
    while len(text) < LONGEST:
        text += chance.choice(sentences) + chance.choice((". ", ".\n", " ", "... ", "? "))
    return text[:LONGEST]


def _cpu_ms(text: str) -> float:
    begun = time.process_time()
    detect(text, crisis_rules())
    return (time.process_time() - begun) * 1000


async def crisis_reply(server: LocalServer, simulator: Simulator, sessions: int) -> list[Figure]:
    """Measure with a model that hangs."""
    simulator.reset()
    simulator.fault(Fault.HANG)
    own: list[float] = []
    async with signed_in(server.address) as person:
        await person.say((await person.open()).id, DANGER)
        for number in range(sessions):
            progress(f"crisis reply: session {number + 1} of {sessions}")
            conversation = await person.open()
            for _ in range(REPEATED):
                await person.say(conversation.id, DANGER)
            async with stored(server.database) as store:
                own += [turn.overhead_ms for turn in await store.turns(conversation.id)]
    simulator.reset()
    how = f"ledger's `overhead_ms` of {len(own)} crisis messages; the model hangs"
    return [Figure("crisis reply, own time, p95", percentile(own, 95), " ms", GOAL_MS, how)]
