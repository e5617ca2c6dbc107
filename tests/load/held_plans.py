"""How often the early reply is the one that is shown, and what it costs, over the stories."""

from collections import Counter
from collections.abc import Sequence

from functions.chat.speaking import AGENT as COUNSELOR
from local.demo.__main__ import chosen
from local.demo.session import play
from local.demo.stage import embedded
from shared.domain.turn import AgentRun, DecidedBy, TurnRecord
from tests.load.figures import Figure, progress
from tests.load.samples import outcome_of

GOAL_HELD, GOAL_CALLS, GOAL_WASTE = 0.75, 2.5, 0.15


async def held_plans(names: Sequence[str]) -> list[Figure]:
    """Play these stories, all if none is named, and read their ledgers."""
    turns: list[TurnRecord] = []
    playing = chosen(names=names)
    async with embedded() as stage:
        for number, story in enumerate(playing, start=1):
            progress(f"held plans: story {number} of {len(playing)}")
            turns += (await play(story, stage)).evidence.turns
    return figures_of(turns, f"{len(playing)} stories, embedded, instant simulator")


def figures_of(turns: Sequence[TurnRecord], sessions: str) -> list[Figure]:
    """Return the share of held plans, the calls and the waste of these turns."""
    spoken = [turn for turn in turns if any(map(_is_shown_reply, turn.agents))]
    outcomes = Counter(outcome_of(turn) for turn in spoken)
    found = ", ".join(f"{count} {outcome or 'not begun early'}" for outcome, count in outcomes.most_common())
    held = f"turns whose early reply was shown ÷ all turns that the Counselor answered: {found}; {sessions}"
    asked = Counter(run.agent for turn in turns for run in turn.agents for _ in range(run.attempts))
    each = ", ".join(f"{agent} {count / len(turns):.2f}" for agent, count in asked.most_common())
    calls = f"requests of all agents ÷ all {len(turns)} turns, fixed replies included; same sessions: {each}"
    tokens = sum(_tokens(run) for turn in turns for run in turn.agents)
    reported = sum(_tokens(run) for turn in turns for run in turn.agents if run.cancelled)
    silent = sum(map(_unreported, turns))
    waste = (
        "tokens of cancelled runs ÷ tokens of all runs of turns, input and output; a stream that was closed before it "
        f"reported any counts with its turn's prompt (without these {_share(reported, tokens):.3f}); same sessions"
    )
    kept = _share(outcomes["held"], len(spoken))
    mean = _share(asked.total(), len(turns))
    wasted = _share(reported + silent, tokens + silent)
    return [
        Figure("plan held, share of the Counselor's turns", kept, "", GOAL_HELD, held, at_least=True),
        Figure("foreground model calls a turn, mean, stories", mean, "", GOAL_CALLS, calls),
        Figure("share of wasted tokens", wasted, "", GOAL_WASTE, waste),
    ]


def _is_shown_reply(run: AgentRun) -> bool:
    by_model = run.decided_by in (DecidedBy.MODEL, DecidedBy.FALLBACK_MODEL)
    return run.agent == COUNSELOR and by_model and not run.cancelled


def _tokens(run: AgentRun) -> int:
    return run.prompt_tokens + run.output_tokens


def _unreported(turn: TurnRecord) -> int:
    """Estimate the input tokens of cancelled streams that reported none: as many as the shown reply's."""
    shown = next((run.prompt_tokens for run in turn.agents if _is_shown_reply(run)), 0)
    return shown * sum(run.cancelled and run.attempts > 0 and not _tokens(run) for run in turn.agents)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
