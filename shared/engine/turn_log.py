"""Log lines of a committed turn; log-based metrics and alerts use them (docs/observability.md)."""

import logging

from shared.domain.conversation import S
from shared.engine.commit import Committed
from shared.observability.events import LogEvent
from shared.observability.facts import turn_facts
from shared.observability.log_event import log_event

log = logging.getLogger(__name__)


def log_turn(committed: Committed[S]) -> None:
    """Log the turn, and one line per entry of the audit trail."""
    facts = turn_facts(committed.record)
    log_event(log, LogEvent.TURN, severity=logging.WARNING if facts["degraded"] else None, **facts)
    for entry in committed.audit:
        rules = tuple(rule.strip() for rule in entry.rule.split(",") if rule.strip())
        log_event(
            log,
            LogEvent.AUDIT,
            conversation=entry.conversation_id,
            seq=facts["seq"],
            level=entry.level,
            rule=rules[0] if rules else "",
            rules=rules,
            result=entry.action,
        )
