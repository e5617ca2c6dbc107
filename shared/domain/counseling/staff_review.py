"""A session's entry in the reviewers' queue: why it is flagged, how pressing it is and what was seen.

It is stored in the session, so a flag costs no write of its own and erasing the session erases it. It holds no text,
names or notes.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from shared.domain.ids import ConversationId
from shared.domain.records import Record
from shared.domain.turn import digest_of
from shared.model import Model
from shared.safety.levels import CrisisOutcome

LOW_SUPERVISION = 5.0
"""A supervision total below this flags the session. The rubric gives 5.0 for a slip of register alone, which is no
reason to read a counselling session."""
NEWEST_SEQS = 10
"""Newest flagged turns stored per reason; there may be more."""
NEWEST_RULES = 10
NEWEST_NOTES = 10
NEWEST_LOOKS = 10
"""Newest looks stored; a reviewer whose look was dropped must look again."""
BEFORE, AFTER = 3, 2
"""Turns shown before and after a flagged one, to show its context but not the whole session (PIPA art. 3 (1): no more
than the purpose needs)."""
FLAGGED_SHOWN = 10
"""Most flagged turns in one look: unseen ones first, then the newest."""
FOLLOWED_SHOWN = 60
"""Most turns of a crisis follow-up in one look; a longer one takes several looks."""


class FlagReason(StrEnum):
    """Why a session is flagged; declared from the most to the least pressing."""

    IMMINENT = "imminent"
    ABUSE_NOW = "abuse_now"
    ATTEMPTED = "attempted"
    HARM_TO_OTHERS = "harm_to_others"
    CRISIS = "crisis"
    THIRD_PARTY_NOW = "third_party_now"
    ABUSE = "abuse"
    THIRD_PARTY = "third_party"
    SELF_HARM_ITEM = "self_harm_item"
    """The user answered the item of a measure about self-harm with more than 0."""
    UNDER_14 = "under_14"
    """The user stated an age under 14: a guardian must consent, and only fixed replies are sent."""
    RED_ITEM = "red_item"
    """The supervisor found a red item of the rubric in a reply: missed risk, method information, a diagnosis, …"""
    GUARD = "guard"
    """The output guard stopped a model's reply."""
    LOW_SUPERVISION = "low_supervision"
    DEGRADED = "degraded"
    """No model replied, and an apology was sent."""

    @property
    def rank(self) -> int:
        """Position in this order, 0 for the most pressing."""
        return tuple(FlagReason).index(self)


def reason_of(outcome: CrisisOutcome) -> FlagReason:
    """Return the reason for a safety finding; an outcome without its own reason counts as a crisis."""
    return FlagReason(outcome.value) if outcome.value in set(FlagReason) else FlagReason.CRISIS


class ReviewStatus(StrEnum):
    """Whether somebody is to look."""

    OPEN = "open"
    SEEN = "seen"
    SET_ASIDE = "set_aside"
    """A reviewer should look but may not, because the user withdrew a consent; a reviewer acknowledged that."""


class Span(Model):
    """Consecutive turns, both ends included."""

    first: int = Field(ge=0)
    last: int = Field(ge=0)


class Look(Model):
    """What one look showed.

    Attributes:
        spans: Turns shown; empty if the user withdrew a consent.
        upto: The session's newest turn at that time.
        whose: Digest of the reviewer, see `whose`; their name is in the audit trail. Empty in older documents.
    """

    look_id: str
    spans: tuple[Span, ...]
    upto: int
    whose: str = ""


class Flag(Model):
    """What was flagged for one reason.

    Attributes:
        count: Flagged turns; findings of rules and models in one turn count once.
        rules: Ids of rules or guard categories, newest last; no text.
        seqs: The newest flagged turns in order.
    """

    reason: FlagReason
    count: int = Field(ge=1)
    first_at: datetime
    last_at: datetime
    rules: tuple[str, ...] = ()
    seqs: tuple[int, ...]

    @property
    def last_seq(self) -> int:
        return self.seqs[-1]

    def again(self, seq: int, at: datetime, rules: tuple[str, ...]) -> "Flag":
        """Return it with another finding. A late finding is sorted in, a repeated one changes nothing."""
        if seq in self.seqs:
            return self.model_copy(update={"rules": self._with(rules)})
        if len(self.seqs) == NEWEST_SEQS and seq < self.seqs[0]:
            return self
        return self.model_copy(
            update={
                "count": self.count + 1,
                "last_at": max(self.last_at, at),
                "rules": self._with(rules),
                "seqs": tuple(sorted((*self.seqs, seq)))[-NEWEST_SEQS:],
            }
        )

    def _with(self, rules: tuple[str, ...]) -> tuple[str, ...]:
        new = [rule for rule in dict.fromkeys(rules) if rule not in self.rules]
        return (*self.rules, *new)[-NEWEST_RULES:]


class StaffReview(Model):
    """A session's entry in the reviewers' queue.

    Attributes:
        flags: One per reason, most pressing first.
        opened_at: Since when it waits for a reviewer.
        seen_upto: The newest turn marked as seen; not every earlier turn was shown.
        seen: Turns that were shown and then marked as seen.
        looks: The newest looks, newest last.
        notes: Ids of the newest reviewers' notes, newest last.
        set_aside_at: When a reviewer acknowledged that the session may not be looked at; else None.
    """

    flags: tuple[Flag, ...] = Field(min_length=1)
    opened_at: datetime
    seen_upto: int | None = None
    seen_at: datetime | None = None
    seen: tuple[Span, ...] = ()
    looks: tuple[Look, ...] = ()
    notes: tuple[str, ...] = ()
    set_aside_at: datetime | None = None

    @property
    def waiting(self) -> tuple[Flag, ...]:
        """The flags with an unseen turn.

        A late finding in a turn that was seen does not wait: the reviewer read that turn.
        """
        return tuple(flag for flag in self.flags if any(not covers(self.seen, seq) for seq in flag.seqs))

    @property
    def status(self) -> ReviewStatus:
        """Open while a flag waits, unless a reviewer acknowledged that the session may not be looked at."""
        if not self.waiting:
            return ReviewStatus.SEEN
        return ReviewStatus.SET_ASIDE if self.set_aside_at else ReviewStatus.OPEN

    @property
    def priority(self) -> FlagReason:
        """The most pressing reason of the waiting flags, or of all flags if none waits."""
        return (self.waiting or self.flags)[0].reason

    @property
    def newest_seq(self) -> int:
        return max(flag.last_seq for flag in self.flags)

    def place(self, conversation_id: ConversationId) -> str:
        """Return the sort key in the queue: status, priority, waiting time and id.

        The fields have fixed widths, so that text sorts like the values.
        """
        times = {ReviewStatus.SEEN: self.seen_at, ReviewStatus.SET_ASIDE: self.set_aside_at}
        since = times.get(self.status) or self.opened_at
        waiting = since.astimezone(UTC).strftime("%Y%m%dT%H%M%S%fZ")
        return f"{self.status.value}.{self.priority.rank:02d}.{waiting}.{conversation_id}"


def flagged(
    before: StaffReview | None, reason: FlagReason, seq: int, at: datetime, rules: tuple[str, ...] = ()
) -> StaffReview:
    """Return the entry after a finding in turn `seq`; a finding in an unseen turn opens it again."""
    new = Flag(reason=reason, count=1, first_at=at, last_at=at, rules=rules[-NEWEST_RULES:], seqs=(seq,))
    if before is None:
        return StaffReview(flags=(new,), opened_at=at)
    by_reason = {flag.reason: flag for flag in before.flags}
    known = by_reason.get(reason)
    by_reason[reason] = known.again(seq, at, rules) if known else new
    after = before.model_copy(
        update={"flags": tuple(sorted(by_reason.values(), key=lambda flag: flag.reason.rank))},
    )
    if not after.waiting or (before.waiting and after.flags == before.flags):
        return after
    opened = before.status is not ReviewStatus.OPEN
    return after.model_copy(update={"opened_at": at, "set_aside_at": None}) if opened else after


def shown_of(mark: StaffReview, upto: int, since: int | None = None) -> tuple[Span, ...]:
    """Return the turns that the next look shows.

    Args:
        mark: Flags and seen turns.
        upto: The session's newest turn. A flag after it is of no turn and is shown alone.
        since: Start of a current crisis follow-up, which is shown as a whole, so that a reviewer can end it.
    """
    flagged_turns = sorted({seq for flag in mark.flags for seq in flag.seqs}, reverse=True)
    flagged_turns.sort(key=lambda seq: covers(mark.seen, seq))
    spans = [
        Span(first=max(0, seq - BEFORE), last=max(seq, min(seq + AFTER, upto))) for seq in flagged_turns[:FLAGGED_SHOWN]
    ]
    if since is not None and since <= upto:
        first = next((seq for seq in range(since, upto + 1) if not covers(mark.seen, seq)), since)
        spans.append(Span(first=max(0, first - BEFORE), last=min(upto, first + FOLLOWED_SHOWN - 1)))
    return merged(spans)


def looked(before: StaffReview, look: Look) -> StaffReview:
    return before.model_copy(update={"looks": (*before.looks, look)[-NEWEST_LOOKS:]})


def seen(before: StaffReview, spans: tuple[Span, ...], at: datetime, note_id: str) -> StaffReview:
    """Return the entry after a reviewer saw these turns; a repeated note changes nothing."""
    if note_id in before.notes or not spans:
        return before
    all_seen = merged((*before.seen, *spans))
    notes = (*before.notes, note_id)[-NEWEST_NOTES:]
    return before.model_copy(update={"seen": all_seen, "seen_upto": all_seen[-1].last, "seen_at": at, "notes": notes})


def set_aside(before: StaffReview, at: datetime, note_id: str) -> StaffReview:
    """Return the entry after a reviewer acknowledged that they may not look; a repeated note changes nothing."""
    if note_id in before.notes:
        return before
    notes = (*before.notes, note_id)[-NEWEST_NOTES:]
    return before.model_copy(update={"set_aside_at": at, "notes": notes})


def opened_again(before: StaffReview, at: datetime) -> StaffReview:
    """Return the entry after the session may be read again, with all its flags."""
    return before.model_copy(update={"set_aside_at": None, "opened_at": at}) if before.set_aside_at else before


def covers(spans: Iterable[Span], seq: int) -> bool:
    """Whether a turn is in one of the spans."""
    return any(span.first <= seq <= span.last for span in spans)


def whose(look_id: str, reviewer: str) -> str:
    """Return a digest that identifies the reviewer of a look without naming them."""
    return digest_of(f"{look_id}\n{reviewer}")


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans in order, with touching ones joined."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: one.first):
        if found and span.first <= found[-1].last + 1:
            found[-1] = Span(first=found[-1].first, last=max(found[-1].last, span.last))
        else:
            found.append(span)
    return tuple(found)


class ReviewerNote(Record):
    """A reviewer's note on marking a session as seen.

    Id: a digest of the note, so that a repetition writes nothing new.

    Attributes:
        by: The reviewer's uid.
        upto_seq: The newest turn that was shown.
        cleared_risk: The reviewer ended the crisis follow-up.
    """

    collection: ClassVar[str] = "reviewer_notes"
    by: str
    upto_seq: int
    note: str
    cleared_risk: bool
