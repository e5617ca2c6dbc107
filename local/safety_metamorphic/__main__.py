"""`python -m local.safety_metamorphic`: does a neutral clause take a finding down?

Each statement that is found alone is read again with every neutral clause of its language before it and behind it. The
tables are Markdown: totals, then clause × result.
"""

import argparse
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from local.safety_metamorphic.messages import read_clauses, read_plain, read_probe
from local.safety_metamorphic.trials import Result, Shares, Trial, by_clause, shares, trials
from shared.domain.errors import CBotError
from shared.safety.levels import CrisisOutcome

_WRONG_INPUT = 2
_HEAD = ("trials", *Result, "not staying")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables.

    Returns:
        0, or 2 if a file is wrong; the reason is on stderr.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    wanted = _parser().parse_args(arguments)
    try:
        clauses = read_clauses(wanted.clauses)
        sets = {"plain": read_plain(wanted.plain), "probe": read_probe(wanted.probe)}
    except (CBotError, OSError) as error:
        print(f"cbot: {error}", file=sys.stderr)
        return _WRONG_INPUT
    tried = {name: list(trials(statements, clauses)) for name, statements in sets.items()}
    print("\n".join(_totals(tried)))
    for name in wanted.table:
        print(f"\n{name}\n")
        print("\n".join(_by_clause(tried[name])))
    if wanted.texts:
        print()
        for trial in [trial for found in tried.values() for trial in found if trial.result is not Result.STAYS]:
            print(f"{trial.alone} → {trial.together}: {' '.join(trial.text.split())}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m local.safety_metamorphic",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--clauses", type=Path, required=True, metavar="FILE", help="neutral clauses, YAML")
    parser.add_argument("--plain", type=Path, required=True, metavar="FILE", help="plain statements, YAML")
    parser.add_argument("--probe", type=Path, required=True, metavar="FILE", help="messages, JSON lines with `text`")
    parser.add_argument("--table", nargs="*", default=("plain",), choices=("plain", "probe"), help="sets by clause")
    parser.add_argument("--texts", action="store_true", help="show each message whose level did not stay")
    return parser


def _totals(tried: dict[str, list[Trial]]) -> list[str]:
    rows = [_row(("set", "level alone"), _HEAD), _rule(len(_HEAD) + 2)]
    for name, found in tried.items():
        for level in reversed(CrisisOutcome):
            at_level = [trial for trial in found if trial.alone is level]
            if at_level:
                rows.append(_row((name, level), _cells(shares(at_level))))
        rows.append(_row((name, "all"), _cells(shares(found))))
    return rows


def _by_clause(tried: list[Trial]) -> list[str]:
    rows = [_row(("", "clause", "topic"), _HEAD), _rule(len(_HEAD) + 3)]
    for (_, place, clause), counted in by_clause(tried).items():
        text = clause.text.replace("\n", "⏎")
        rows.append(_row((place, f"`{text}`", clause.topic), _cells(counted)))
    return rows


def _cells(counted: Shares) -> list[str]:
    return [
        str(counted.trials),
        *(str(counted.results[result] or "·") for result in Result),
        f"{counted.share_lost:.1%}",
    ]


def _row(names: Iterable[str], cells: Iterable[str]) -> str:
    return f"| {' | '.join((*names, *cells))} |"


def _rule(columns: int) -> str:
    return "|" + "---|" * columns


if __name__ == "__main__":
    sys.exit(main())
