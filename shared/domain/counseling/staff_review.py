"""A session's place in the queue for reviewers: why a person is to look at it, how pressing it is, what was seen.

It lies in the session, as a mark that the commits of turns and jobs write anyway: a flag costs no write of its own, no
two writers merge a document, and erasing the session erases it. It holds no words, names or notes.
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
"""A supervision's total below this is for a person to look at. Own threshold: the rubric leaves 5.0 to a slip of
register alone, which is no reason to read somebody's counselling."""
NEWEST_SEQS = 10
"""Flagged turns that a mark names of each reason; there may be more."""
NEWEST_RULES = 10
NEWEST_NOTES = 10
NEWEST_LOOKS = 10
"""Looks that a mark can still go back to: who has not marked by then looks again."""
BEFORE, AFTER = 3, 2
"""Turns that are shown before and behind a flagged one. Enough to see what it answered and what became of
it, and not the whole of somebody's counselling (PIPA art. 3 (1): no more than the purpose needs)."""
FLAGGED_SHOWN = 10
"""Flagged turns of one look, those that nobody has seen first, of them the newest."""
FOLLOWED_SHOWN = 60
"""Turns of a follow-through in one look; a longer one takes several. About as much as is read in one go."""


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
    UNDER_14 = "under_14"
    """The user stated an age under 14: a guardian has to consent, and fixed words are all that they get."""
    RED_ITEM = "red_item"
    """The supervisor found a red item of the rubric in a reply: risk missed, method information, a diagnosis, …"""
    GUARD = "guard"
    """The output guard stopped what the model was about to say."""
    LOW_SUPERVISION = "low_supervision"
    DEGRADED = "degraded"
    """No model could speak, and an honest message went out instead."""

    @property
    def rank(self) -> int:
        """Place in the order, 0 for the most pressing."""
        return tuple(FlagReason).index(self)


def reason_of(outcome: CrisisOutcome) -> FlagReason:
    """Return the reason that a finding of the safety gate is; an outcome without its own counts as a crisis."""
    return FlagReason(outcome.value) if outcome.value in set(FlagReason) else FlagReason.CRISIS


class ReviewStatus(StrEnum):
    """Whether somebody is to look."""

    OPEN = "open"
    SEEN = "seen"
    SET_ASIDE = "set_aside"
    """Somebody is to look and may not: the person took back a consent, and a reviewer has taken note of that."""


class Span(Model):
    """Turns next to each other, both ends included."""

    first: int = Field(ge=0)
    last: int = Field(ge=0)


class Look(Model):
    """What one look showed, for the mark that may come of it.

    Attributes:
        spans: None of the words of a person who took back a consent.
        upto: The session's newest turn then.
        whose: See `whose`; their name stands in the audit trail. Empty in a look that was stored without: nobody's.
    """

    look_id: str
    spans: tuple[Span, ...]
    upto: int
    whose: str = ""


class Flag(Model):
    """What was flagged for one reason.

    Attributes:
        count: Turns; what both a rule and a model find in one turn is one.
        rules: Ids of rules or categories of the guard, the newest last; never words.
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
        """The newest flagged turn."""
        return self.seqs[-1]

    def again(self, seq: int, at: datetime, rules: tuple[str, ...]) -> "Flag":
        """Return it after another find; a late one keeps the order, a repeated one changes nothing."""
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
    """The mark.

    Attributes:
        flags: One a reason, the most pressing first.
        opened_at: Since when it has waited for somebody to look.
        seen_upto: The newest turn that a reviewer has marked as seen; not every turn before it was shown.
        seen: The turns that were shown to somebody who then marked them as seen.
        looks: The newest looks, the newest last.
        notes: Ids of the newest reviewers' notes, the newest last.
        set_aside_at: When a reviewer took note that what waits may not be looked at; None while it may, or nobody has.
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
        """The flags with a turn that nobody has seen.

        A late judgement of a turn that was seen is none: whoever marked it has read the words themselves.
        """
        return tuple(flag for flag in self.flags if any(not covers(self.seen, seq) for seq in flag.seqs))

    @property
    def status(self) -> ReviewStatus:
        """Open while a flag waits that somebody may look at, as far as reviewers know."""
        if not self.waiting:
            return ReviewStatus.SEEN
        return ReviewStatus.SET_ASIDE if self.set_aside_at else ReviewStatus.OPEN

    @property
    def priority(self) -> FlagReason:
        """The most pressing reason of those that wait, or of all when none does."""
        return (self.waiting or self.flags)[0].reason

    @property
    def newest_seq(self) -> int:
        """The newest flagged turn."""
        return max(flag.last_seq for flag in self.flags)

    def place(self, conversation_id: ConversationId) -> str:
        """Return what the queue is ordered by: status, how pressing, how long it has waited. Each session has its own.

        Fixed widths, so that text sorts as the values do.
        """
        times = {ReviewStatus.SEEN: self.seen_at, ReviewStatus.SET_ASIDE: self.set_aside_at}
        since = times.get(self.status) or self.opened_at
        waiting = since.astimezone(UTC).strftime("%Y%m%dT%H%M%S%fZ")
        return f"{self.status.value}.{self.priority.rank:02d}.{waiting}.{conversation_id}"


def flagged(
    before: StaffReview | None, reason: FlagReason, seq: int, at: datetime, rules: tuple[str, ...] = ()
) -> StaffReview:
    """Return the mark after a find in turn `seq`; one that comes after the session was seen opens it again."""
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
        mark: Says what is flagged and what was seen.
        upto: The session's newest turn. A flag behind it is of something that is no turn, and stands for itself.
        since: Where a follow-through began that is still on: who is to judge whether it may end sees all of it.
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
    """Return the mark after a look."""
    return before.model_copy(update={"looks": (*before.looks, look)[-NEWEST_LOOKS:]})


def seen(before: StaffReview, spans: tuple[Span, ...], at: datetime, note_id: str) -> StaffReview:
    """Return the mark after a reviewer has seen these turns; the same note again changes nothing."""
    if note_id in before.notes or not spans:
        return before
    all_seen = merged((*before.seen, *spans))
    notes = (*before.notes, note_id)[-NEWEST_NOTES:]
    return before.model_copy(update={"seen": all_seen, "seen_upto": all_seen[-1].last, "seen_at": at, "notes": notes})


def set_aside(before: StaffReview, at: datetime, note_id: str) -> StaffReview:
    """Return the mark after a reviewer took note that the words are closed; the same note again changes nothing."""
    if note_id in before.notes:
        return before
    notes = (*before.notes, note_id)[-NEWEST_NOTES:]
    return before.model_copy(update={"set_aside_at": at, "notes": notes})


def opened_again(before: StaffReview, at: datetime) -> StaffReview:
    """Return the mark after its words may be read again, with all that was flagged."""
    return before.model_copy(update={"set_aside_at": None, "opened_at": at}) if before.set_aside_at else before


def covers(spans: Iterable[Span], seq: int) -> bool:
    """Whether a turn is in one of them."""
    return any(span.first <= seq <= span.last for span in spans)


def whose(look_id: str, reviewer: str) -> str:
    """Return what stands in a look for who looked, without naming them."""
    return digest_of(f"{look_id}\n{reviewer}")


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans in order, those that touch as one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: one.first):
        if found and span.first <= found[-1].last + 1:
            found[-1] = Span(first=found[-1].first, last=max(found[-1].last, span.last))
        else:
            found.append(span)
    return tuple(found)


class ReviewerNote(Record):
    """What a reviewer wrote when they marked a session as seen. Id: a digest of it, so that a repetition meets itself.

    Attributes:
        by: The reviewer's uid.
        upto_seq: The newest turn that they were shown.
        cleared_risk: They took the session out of the crisis follow-through.
    """

    collection: ClassVar[str] = "reviewer_notes"
    by: str
    upto_seq: int
    note: str
    cleared_risk: bool
