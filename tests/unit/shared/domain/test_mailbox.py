from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pydantic import ValidationError

from shared.domain.mailbox import (
    LEASE_TTL,
    RATE_WINDOW,
    Mailbox,
    QueuedMessage,
    abandon,
    arrivals_within,
    claim,
    receive,
    renew,
    reopen,
    revoke,
    settle,
)

NOW = datetime(2026, 11, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=365)
TICK = timedelta(microseconds=1)


def message(message_id, at=NOW):
    return QueuedMessage(message_id=message_id, text=f"words of {message_id}", received_at=at)


def ids(box):
    return tuple(waiting.message_id for waiting in box.inbox)


def box_with(*messages, at=NOW):
    box = Mailbox(conversation_id="c1", expire_at=NOW)
    for message_id in messages:
        box = receive(box, message(message_id, at), LATER)
    return box


class TestReceiving:
    def test_messages_queue_in_order_are_found_by_id_while_they_wait_and_extend_the_retention(self):
        box = box_with("m1", "m2")
        assert (box.inbox, box.head(), box.expire_at) == ((message("m1"), message("m2")), message("m1"), LATER)
        assert (box.waiting("m2"), box.waiting("m3"), box_with().head()) == (message("m2"), None, None)
        answered = settle(claim(box, "w1", NOW), 1)
        assert answered.waiting("m1") is None
        new = [answered.certainly_new(f"m{n}") for n in range(4)]
        assert new == [True, False, False, True], "a received id is never taken for new again"

    @pytest.mark.parametrize("seen", ["A", "A" * 1679 + "=", "A" * 1680 + "\n", "가" * 1680])
    def test_a_damaged_id_filter_is_refused_when_it_is_read(self, seen):
        with pytest.raises(ValidationError):
            Mailbox(conversation_id="c1", expire_at=NOW, seen=seen)

    def test_only_arrivals_of_the_last_minute_count_and_are_kept(self):
        box, over = box_with("m1", "m2"), NOW + RATE_WINDOW
        assert (arrivals_within(box, over - TICK), arrivals_within(box, over)) == (2, 0)
        assert receive(box, message("m3", over), LATER).arrivals == (over,)


def test_messages_in_a_revoked_mailbox_stay_but_are_not_waiting_until_it_is_reopened():
    stopped = revoke(claim(box_with("m1"), "one", NOW))
    assert (stopped.lease, stopped.last_token, stopped.waiting_since, ids(stopped)) == (None, 2, None, ("m1",))
    opened = reopen(stopped, LATER)
    assert (opened.waiting_since, ids(opened)) == (LATER, ("m1",))
    for unchanged in (box_with(), box_with("m1")):
        assert reopen(unchanged, LATER) is unchanged


class TestTheLease:
    def test_a_claim_is_for_the_head_with_the_next_token_and_live_until_its_ttl(self):
        assert box_with("m1").free(NOW)
        box = claim(box_with("m1", "m2"), "w1", NOW)
        assert (box.lease.owner, box.lease.message_id, box.lease.token, box.last_token) == ("w1", "m1", 1, 1)
        assert (box.free(NOW + LEASE_TTL - TICK), box.free(NOW + LEASE_TTL)) == (False, True)
        assert receive(box, message("m3"), LATER).lease == box.lease
        renewed = renew(box, 1, NOW + timedelta(seconds=10))
        assert (renewed.lease.expires_at, renewed.lease.token) == (NOW + timedelta(seconds=10) + LEASE_TTL, 1)

    def test_settling_removes_the_answered_message_frees_the_lease_and_keeps_waiting_since(self):
        box = settle(receive(claim(box_with("m1"), "w1", NOW), message("m2"), LATER), 1)
        assert (ids(box), box.lease, box.last_token, box.waiting_since) == (("m2",), None, 1, NOW)
        again = claim(box, "w1", NOW)
        assert again.lease.token == 2
        assert settle(again, 2).waiting_since is None


class Workers(RuleBasedStateMachine):
    """Workers over one mailbox; each knows its token, may outlive its lease, and tries every step."""

    def __init__(self):
        super().__init__()
        self.box = Mailbox(conversation_id="c1", expire_at=NOW)
        self.now = NOW
        self.received = []
        self.answered = []
        self.held = {}
        self.tokens = []

    workers = st.sampled_from(["w1", "w2", "w3"])

    @rule()
    def a_message_comes(self):
        message_id = f"m{len(self.received)}"
        self.received.append(message_id)
        self.box = receive(self.box, message(message_id, self.now), LATER)

    @rule(seconds=st.integers(0, 20))
    def time_passes(self, seconds):
        self.now += timedelta(seconds=seconds)

    @precondition(lambda self: self.box.inbox and self.box.free(self.now))
    @rule(worker=workers)
    def a_worker_claims(self, worker):
        self.box = claim(self.box, worker, self.now)
        self.held[worker] = self.box.lease.token
        self.tokens.append(self.box.lease.token)

    @rule(worker=workers)
    def a_worker_renews(self, worker):
        self._step(worker, lambda token: renew(self.box, token, self.now))

    @rule(worker=workers)
    def a_worker_settles(self, worker):
        lease = self.box.lease
        if self._step(worker, lambda token: settle(self.box, token)):
            self.answered.append(lease.message_id)

    @rule(worker=workers)
    def a_worker_gives_up(self, worker):
        self._step(worker, lambda token: abandon(self.box, token))

    def _step(self, worker, step):
        token = self.held.get(worker, 0)
        mine = self.box.lease is not None and self.box.lease.token == token
        changed = step(token)
        assert (changed is not None) == mine
        self.box = changed or self.box
        return mine

    @invariant()
    def no_message_is_lost_or_answered_twice_and_their_order_is_kept(self):
        assert self.answered + list(ids(self.box)) == self.received
        assert not any(map(self.box.certainly_new, self.received))

    @invariant()
    def the_lease_is_for_the_head_and_its_token_is_the_newest(self):
        if self.box.lease is not None:
            assert self.box.lease.message_id == self.box.head().message_id
            assert self.box.lease.token == self.box.last_token

    @invariant()
    def tokens_are_never_given_twice(self):
        assert self.tokens == sorted(set(self.tokens))

    @invariant()
    def at_most_one_worker_holds_a_live_lease(self):
        live = [w for w, token in self.held.items() if renew(self.box, token, self.now) is not None]
        assert len(live) <= 1


TestWorkers = Workers.TestCase
TestWorkers.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
