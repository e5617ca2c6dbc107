"""What a user uses in a day."""

from shared.domain.errors import DailyLimitReached
from shared.engine.user_usage import UserLimits, UserUsage
from tests.fakes.settable_clock import SettableClock


def test_what_was_spent_outside_a_turn_counts_in_the_day_and_the_next_commit_writes_it():
    usage = UserUsage(SettableClock(), UserLimits(won_per_day=1))
    usage.owe("u1", 1)
    refused = [usage.refusal(user, pressing=False, in_danger=False) for user in ("u1", "u2")]
    assert [isinstance(one, DailyLimitReached) for one in refused] == [True, False]
    with usage.adding("u1", 0.5, now=True) as adding:
        assert adding.entry.used.cost_krw == 1.5
