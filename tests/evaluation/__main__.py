"""`python -m tests.evaluation`: what the reader reads; with `--agents`, goals, the reading of risk, other agents."""

import os
import sys
from collections.abc import Mapping, Sequence

from tests.evaluation import agents, goals, reader, risk


def main(environment: Mapping[str, str] = os.environ, argv: Sequence[str] = ()) -> int:
    """Run, and print; returns 0 when each is good enough, 1 when one is not, 2 in a wrong environment."""
    if "--agents" not in argv:
        return reader.main(environment, argv)
    sys.stdout.write("goals of Part 2, by the rubric\n\n")
    planned = goals.main(environment)
    if planned == goals.WRONG_CONFIG:
        return planned
    sys.stdout.write("\nthe model's reading of risk\n\n")
    read = risk.main(environment)
    sys.stdout.write("\nthe agents' decisions on written cases\n\n")
    return max(planned, read, agents.main(environment))


if __name__ == "__main__":
    sys.exit(main(argv=sys.argv[1:]))
