"""`python -m local.safety_report FILE…`: how well the safety rules read labelled messages.

Each message is read as one that comes in: with the rules of crisis and those of violence, and the more pressing finding
counts. At crisis is what comes out at crisis, harm_to_others, attempted, abuse_now or imminent.

A file holds one JSON object a line: `text`, `label` (crisis, ambiguous, non_crisis, violence, harm_to_others,
third_party), and, if known, `category` and `lang`. Rows of the categories explicit, oblique, ambiguous, hard_negative,
violence, harm_to_others and third_party are counted by language and category, each share with its 95 % interval. No
model is called, and nothing is kept.
"""

import argparse
import io
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from local.safety_report.measure import Measured, measure
from local.safety_report.rows import Label, read_rows
from local.safety_report.show import as_json, as_text
from shared.content.catalogue import content
from shared.domain.errors import CBotError, ConfigError

_SHOWN = 10
_MISSED = 1
_WRONG_INPUT = 2


@dataclass(frozen=True)
class _Wanted:
    paths: tuple[Path, ...]
    misses: int
    texts: bool
    json: Path | None
    min_recall: float | None
    max_false_alarms: float | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report.

    Returns:
        0, or 1 if a requested bound is missed, or 2 if a file or an argument is wrong; the reason is on stderr.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # nor is a terminal without Korean
    wanted = _wanted(arguments)
    try:
        rows = [row for path in wanted.paths for row in read_rows(path)]
        measured = measure(rows, content().screening.screen, lambda told: print(f"cbot: {told}", file=sys.stderr))
        print(as_text(measured, wanted.misses, texts=wanted.texts))
        if wanted.json:
            _write(wanted.json, as_json(measured, texts=wanted.texts))
        problems = _problems(measured, wanted)
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return _WRONG_INPUT
    for problem in problems:
        print(f"cbot: {problem}", file=sys.stderr)
    return _MISSED if problems else 0


def _wanted(arguments: Sequence[str] | None) -> _Wanted:
    parser = argparse.ArgumentParser(
        prog="python -m local.safety_report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="labelled messages, JSON lines")
    parser.add_argument(
        "--misses",
        type=_count,
        default=_SHOWN,
        metavar="N",
        help=f"show N misses and N false alarms, {_SHOWN} if not given",
    )
    parser.add_argument("--no-texts", dest="texts", action="store_false", help="leave out what was written")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON, too")
    parser.add_argument(
        "--min-recall", type=_share, metavar="SHARE", help="exit 1 when fewer crises are found, e.g. 0.98"
    )
    parser.add_argument(
        "--max-false-alarms",
        type=_share,
        metavar="SHARE",
        help="exit 1 when more of non_crisis come out at crisis, e.g. 0.03",
    )
    return _Wanted(**{**vars(given := parser.parse_args(arguments)), "paths": tuple(given.paths)})


def _problems(measured: Measured, wanted: _Wanted) -> list[str]:
    found: list[str] = []
    if wanted.min_recall is not None:
        recall = _at_crisis(measured, Label.CRISIS, "--min-recall")
        if recall < wanted.min_recall:
            found.append(f"recall {recall:.4f} is below {wanted.min_recall}")
    if wanted.max_false_alarms is not None:
        alarms = _at_crisis(measured, Label.NON_CRISIS, "--max-false-alarms")
        if alarms > wanted.max_false_alarms:
            found.append(f"false alarms at crisis {alarms:.4f} are above {wanted.max_false_alarms}")
    return found


def _at_crisis(measured: Measured, label: Label, option: str) -> float:
    total = measured.total(label)
    if total is None:
        raise ConfigError(f"{option}: no {label.value} row to measure it on")
    return total.at_crisis


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None


def _count(given: str) -> int:
    number = int(given)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{given} is below 0")
    return number


def _share(given: str) -> float:
    share = float(given)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{given} is no share between 0 and 1")
    return share


if __name__ == "__main__":
    sys.exit(main())
