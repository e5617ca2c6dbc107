"""Log events and their default severities."""

import logging
from collections.abc import Mapping
from enum import StrEnum


class LogEvent(StrEnum):
    """Names of log lines; metrics and alerts filter by them (docs/observability.md), so they must not be renamed."""

    TURN = "turn"
    AGENT = "agent"
    """An agent's run ended."""
    CRISIS = "crisis_detected"
    """The crisis protocol answered a turn; alerts use this."""
    AUDIT = "audit"
    """A turn wrote an audit entry, with rules and action."""
    RED_ITEM = "red_item"
    """The supervisor found a reply that must not happen."""
    SESSION_COMPLETED = "session_completed"
    BOOKING_REMINDER = "booking_reminder"
    """A booked session is near; an operator's messenger tells the user."""
    SUMMARY = "summary"
    """Turns were merged into the summary, and the model's text was checked against the messages."""
    INSTRUCTIVE = "instructive"
    """A model's text for storage contained instructions to a model and was dropped: possibly a prompt injection."""
    JOB = "job"
    """A task or an event was handled."""
    JOB_FAILED = "job_failed"
    JOB_BROKE = "job_broke"
    TASK_POISON = "task_poison"
    """A task that can never succeed was acknowledged."""
    EVENT_POISON = "event_poison"
    TRANSITION_UNKNOWN = "transition_unknown"
    LEASE_TAKEN_OVER = "lease_taken_over"
    """An expired lease was claimed: its holder died, was too slow, or could not free it."""
    LEASE_LOST = "lease_lost"
    """Another worker took over the turn."""
    LEASE_NOT_RENEWED = "lease_not_renewed"
    LEASE_LEFT = "lease_left"
    """A lease could not be freed and will expire."""
    TURN_FAILED = "turn_failed"
    TURN_BROKE = "turn_broke"
    FLOW_BROKE = "flow_broke"
    COMMIT_BROKE = "commit_broke"
    REQUEST_BROKE = "request_broke"
    CALLER_REFUSED = "caller_refused"
    """A caller without permission called a background function: a stranger, or a wrong setting."""
    CALLER_UNKNOWN = "caller_unknown"
    """A caller could not be verified."""
    HOOK_FAILED = "hook_failed"
    ENQUEUE_FAILED = "enqueue_failed"
    ENQUEUE_SLOW = "enqueue_slow"
    CONSENTS_NOT_SPREAD = "consents_not_spread"
    """A consent given at an opening did not reach all other conversations; they ask for it at their next message."""
    ERASURE_LEFT = "erasure_left"
    """A request did not finish an erasure: its conversations are hidden, and a task or the sweep continues."""
    MISCONFIGURED = "misconfigured"
    """A function cannot serve: an environment variable is missing or wrong."""
    MODEL_REFUSED = "model_refused"
    """The provider refuses a model, a request, our key or our location: an operator must change something."""
    MODEL_UNSETTLED = "model_unsettled"
    """A configured model has unknown facts or is about to be switched off."""
    CHECKPOINT_LEFT = "checkpoint_left"
    """A checkpoint could not be read or kept; a retry of the turn asks its models again."""
    LEAVING = "leaving"
    """The instance stops: it accepts no new work and lets running work end."""
    SWEEP = "sweep"
    SWEEP_LEFT = "sweep_left"
    """The sweep failed at an item; the next sweep finds it again."""

    @property
    def broke(self) -> bool:
        """Whether the event is an unexpected error."""
        return self.value.endswith("_broke")


SEVERITY: Mapping[LogEvent, int] = {
    LogEvent.CRISIS: logging.WARNING,
    LogEvent.RED_ITEM: logging.WARNING,
    LogEvent.INSTRUCTIVE: logging.WARNING,
    LogEvent.JOB_FAILED: logging.WARNING,
    LogEvent.JOB_BROKE: logging.ERROR,
    LogEvent.TASK_POISON: logging.ERROR,
    LogEvent.EVENT_POISON: logging.ERROR,
    LogEvent.TRANSITION_UNKNOWN: logging.ERROR,
    LogEvent.LEASE_TAKEN_OVER: logging.WARNING,
    LogEvent.LEASE_LOST: logging.WARNING,
    LogEvent.LEASE_NOT_RENEWED: logging.WARNING,
    LogEvent.LEASE_LEFT: logging.WARNING,
    LogEvent.TURN_FAILED: logging.WARNING,
    LogEvent.TURN_BROKE: logging.ERROR,
    LogEvent.FLOW_BROKE: logging.ERROR,
    LogEvent.COMMIT_BROKE: logging.ERROR,
    LogEvent.REQUEST_BROKE: logging.ERROR,
    LogEvent.CALLER_REFUSED: logging.WARNING,
    LogEvent.CALLER_UNKNOWN: logging.WARNING,
    LogEvent.HOOK_FAILED: logging.WARNING,
    LogEvent.ENQUEUE_FAILED: logging.WARNING,
    LogEvent.ENQUEUE_SLOW: logging.WARNING,
    LogEvent.CONSENTS_NOT_SPREAD: logging.WARNING,
    LogEvent.ERASURE_LEFT: logging.WARNING,
    LogEvent.MISCONFIGURED: logging.CRITICAL,
    LogEvent.MODEL_REFUSED: logging.ERROR,
    LogEvent.MODEL_UNSETTLED: logging.WARNING,
    LogEvent.CHECKPOINT_LEFT: logging.WARNING,
    LogEvent.SWEEP_LEFT: logging.WARNING,
}
"""Other events are INFO."""
