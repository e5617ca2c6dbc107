"""How much is measured."""

from dataclasses import dataclass, field

from tests.load.prompt_size import Points


@dataclass(frozen=True)
class Sizes:
    """Sample sizes.

    Attributes:
        posts: Messages that the crisis detector reads.
        sessions: Ten-message sessions for the overhead.
        ttft_sessions: Sessions whose turns are interleaved with bare streams.
        ttft_lines: Messages of each of those.
        starts: Fresh processes.
        crowd: Concurrent conversations.
        crowd_lines: Messages of each.
        turns: Turns after which memory is read.
        prompts: Turns of one session at which prompts are measured.
    """

    posts: int = 100
    sessions: int = 8
    ttft_sessions: int = 4
    ttft_lines: int = 7
    starts: int = 5
    crowd: tuple[int, ...] = (20, 80)
    crowd_lines: int = 3
    turns: int = 200
    prompts: Points = field(default_factory=Points)


QUICK = Sizes(
    posts=1,
    sessions=1,
    ttft_sessions=1,
    ttft_lines=2,
    starts=1,
    crowd=(4,),
    crowd_lines=1,
    turns=10,
    prompts=Points(early=4, late=10, span=6),
)
