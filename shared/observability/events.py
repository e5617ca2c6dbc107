"""What the log tells: the events, and how grave each is unless its caller says otherwise."""

import logging
from collections.abc import Mapping
from enum import StrEnum


class LogEvent(StrEnum):
    """Names of log lines; metrics and alerts filter by them (docs/observability.md), so they are not renamed."""

    TURN = "turn"
    """A turn was committed."""
    AGENT = "agent"
    """An agent was asked and its run is over."""
    CRISIS = "crisis_detected"
    """A turn was answered by the crisis protocol: alerts are built on it."""
    AUDIT = "audit"
    """A turn left an entry in the audit trail: which rules spoke, and what was done."""
    RED_ITEM = "red_item"
    """The supervisor found a reply that must not happen."""
    SESSION_COMPLETED = "session_completed"
    SUMMARY = "summary"
    """Turns were folded into the summary, and the model's words held to what was said."""
    INSTRUCTIVE = "instructive"
    """What a model was to have kept speaks to a model: it was left out. Somebody may be trying to take CBot over."""
    JOB = "job"
    """A task or an event was handled."""
    JOB_FAILED = "job_failed"
    JOB_BROKE = "job_broke"
    TASK_POISON = "task_poison"
    """A task that no attempt can do: it is acknowledged and gone."""
    EVENT_POISON = "event_poison"
    TRANSITION_UNKNOWN = "transition_unknown"
    LEASE_TAKEN_OVER = "lease_taken_over"
    """A lease was claimed whose holder died, was too slow, or could not free it."""
    LEASE_LOST = "lease_lost"
    """Another worker has this one's turn."""
    LEASE_NOT_RENEWED = "lease_not_renewed"
    LEASE_LEFT = "lease_left"
    """A lease could not be freed and is left to expire."""
    TURN_FAILED = "turn_failed"
    TURN_BROKE = "turn_broke"
    FLOW_BROKE = "flow_broke"
    COMMIT_BROKE = "commit_broke"
    REQUEST_BROKE = "request_broke"
    CALLER_REFUSED = "caller_refused"
    """Somebody called a background function who may not: a stranger, or a wrong setting."""
    CALLER_UNKNOWN = "caller_unknown"
    """It could not be checked who calls."""
    HOOK_FAILED = "hook_failed"
    ENQUEUE_FAILED = "enqueue_failed"
    ENQUEUE_SLOW = "enqueue_slow"
    CONSENTS_NOT_SPREAD = "consents_not_spread"
    """A consent given at an opening did not reach all other conversations; they ask for it at their next message."""
    ERASURE_LEFT = "erasure_left"
    """A request could not finish an erasure: what it is about is hidden, and a task or the sweep goes on."""
    MISCONFIGURED = "misconfigured"
    """A function cannot serve: a variable of its environment is missing or wrong."""
    MODEL_REFUSED = "model_refused"
    """The provider refuses a model, a request, our key or our location: the operator must change something."""
    MODEL_UNSETTLED = "model_unsettled"
    """A model is configured of which something is unknown, or that is being switched off."""
    LEAVING = "leaving"
    """The instance was asked to end: it takes no new work, and lets what runs end."""
    SWEEP = "sweep"
    SWEEP_LEFT = "sweep_left"
    """The sweep could not do something; the next one finds it again."""

    @property
    def broke(self) -> bool:
        """Whether something happened that nobody foresaw."""
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
    LogEvent.SWEEP_LEFT: logging.WARNING,
}
"""What is not here is INFO."""
