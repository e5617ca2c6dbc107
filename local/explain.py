"""`python -m local.explain "TEXT"`: which safety rule finds what in a message, and why, in words a clinician reads.

No model is called, and nothing is kept. Without an argument the message is read from standard input.
"""

import argparse
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from shared.content.catalogue import content
from shared.domain.errors import CBotError
from shared.safety.crisis import outcome_of
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family, Match
from shared.safety.predicates import Makes
from shared.safety.screening import ScreenedMessage
from shared.safety.signs import ENOUGH

_WRONG_INPUT = 2
_MEANING = {
    CrisisOutcome.NONE: "no danger found; the turn goes on",
    CrisisOutcome.ABUSE_TOLD: "violence that is past, or cruelty in words; the counsellor believes it",
    CrisisOutcome.CONCERN: "unclear; the reply asks directly",
    CrisisOutcome.THIRD_PARTY: "somebody else is at risk; the protocol helps the helper",
    CrisisOutcome.ABUSE: "violence that goes on; the protocol answers with help lines",
    CrisisOutcome.THIRD_PARTY_NOW: "somebody else's life is in danger now; the ambulance first",
    CrisisOutcome.CRISIS: "ideation or self-harm; the protocol asks and shows help lines",
    CrisisOutcome.HARM_TO_OTHERS: "danger to somebody else; the protocol answers",
    CrisisOutcome.ATTEMPTED: "an attempt within days; the body is seen to",
    CrisisOutcome.ABUSE_NOW: "violence at this moment; the police first",
    CrisisOutcome.IMMINENT: "means, time or place at hand, or an act under way; the ambulance first",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the explanation.

    Returns:
        0, or 2 if there is no message or a rule file is wrong; the reason is on stderr.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    parser = argparse.ArgumentParser(prog="python -m local.explain", description=__doc__)
    parser.add_argument("text", nargs="*", metavar="TEXT", help="the message; read from standard input if not given")
    given = " ".join(parser.parse_args(arguments).text)
    text = (given or ("" if sys.stdin.isatty() else sys.stdin.read())).strip()
    if not text:
        print('cbot: which message? make explain TEXT="…"', file=sys.stderr)
        return _WRONG_INPUT
    try:
        print("\n".join(explanation(text)))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return _WRONG_INPUT
    return 0


def explanation(text: str) -> Iterator[str]:
    """Yield lines that explain the rules' findings in a message."""
    message, matches = content().screening.screen(text), content().screening.matches(text)
    yield f"message   {text}"
    yield f"read as   {' | '.join(reading.text for reading in message.readings)}"
    yield f"outcome   {message.outcome.value}: {_MEANING[message.outcome]}"
    if message.age is not None:
        yield f"age       {message.age.value}"
    told = sorted((match for match in matches if _matters(message, match)), key=_pressing, reverse=True)
    yield from _once(_of_match(message, match) for match in told)
    if not told:
        yield "no rule found anything"


def _matters(message: ScreenedMessage, match: Match) -> bool:
    """Return whether a match can be relevant: times only with violence, owners only with an age."""
    if match.rule.family is Family.ABUSE_TIME:
        return message.abuse.outcome is not CrisisOutcome.NONE
    return match.rule.family is not Family.AGE_OWNER or message.age is not None


def _pressing(match: Match) -> int:
    return outcome_of(match).severity if match.rule.family is Family.CRISIS else 0


def _of_match(message: ScreenedMessage, match: Match) -> str:
    rule = match.rule
    return f'- {rule.id} found "{match.words}": {_result(message, match)}. Ground: {rule.ground}.'


def _result(message: ScreenedMessage, match: Match) -> str:
    rule = match.rule
    taken = f", taken down by `{match.by.id}` ({_REASON[match.by.makes]})" if match.by else ""
    match rule.family:
        case Family.CRISIS:
            comes_to = outcome_of(match).value
            return f"{rule.outcome}{taken} → {comes_to}" if taken else comes_to
        case Family.SIGN:
            counted = rule.id in message.crisis.rule_ids
            sum_of_it = (
                "added up with others to a concern"
                if counted
                else f"too little alone ({ENOUGH} of two kinds make a concern)"
            )
            return f"weak sign of {rule.kind}, weight {rule.weight}{taken}; {sum_of_it}"
        case Family.ABUSE:
            return f"{rule.outcome}, {rule.kind}{taken}"
        case Family.ABUSE_TIME:
            return f"when it was: {rule.outcome}{taken}"
        case Family.AGE:
            return f"age {rule.outcome}{taken}"
        case Family.AGE_OWNER:
            return f"whose age it is: {rule.outcome}{taken}"
        case Family.GUARD:
            raise ValueError(f"{rule.id} reads replies, not messages")
        case _:
            assert_never(rule.family)


_REASON = {
    Makes.NOTHING: "the words mean something else here",
    Makes.HINT: "it seems denied, over or of something else: a model judges it, and without one it is asked about",
    Makes.CONCERN: "what stands around the words leaves doubt: it is asked about",
    Makes.THIRD_PARTY: "said of somebody else",
}


def _once(lines: Iterable[str]) -> Iterator[str]:
    yield from dict.fromkeys(lines)


if __name__ == "__main__":
    sys.exit(main())
