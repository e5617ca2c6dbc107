"""Ledgers of turns; all fields have plain defaults."""

from shared.domain.turn import TurnRecord, TurnResult
from tests.builders.sessions import NOW


def turn_record(conversation_id: str, seq: int, **more: object) -> TurnRecord:
    """Return the ledger of a committed turn."""
    message_id = f"m{seq}"
    plain = {
        **dict.fromkeys(("received_at", "committed_at", "expire_at"), NOW),
        "message_id": message_id,
        "text": "",
        "text_digest": "",
        "seq": seq,
        "flow": "counseling",
        "snapshot_version": 0,
        "result": TurnResult(message_id=message_id, seq=seq, reply="…", state_snapshot={}),
    }
    return TurnRecord.model_validate({"conversation_id": conversation_id, **plain, **more})
