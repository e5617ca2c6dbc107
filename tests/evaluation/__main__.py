"""`python -m tests.evaluation`: both evaluations, the planner's goals and the model's reading of risk."""

import os
import sys
from collections.abc import Mapping

from tests.evaluation import goals, risk


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Run both, and print; returns 0 when both are good enough, 1 when one is not, 2 in a wrong environment."""
    sys.stdout.write("goals of Part 2, by the rubric\n\n")
    planned = goals.main(environment)
    if planned == goals.WRONG_CONFIG:
        return planned
    sys.stdout.write("\nthe model's reading of risk\n\n")
    return max(planned, risk.main(environment))


if __name__ == "__main__":
    sys.exit(main())
