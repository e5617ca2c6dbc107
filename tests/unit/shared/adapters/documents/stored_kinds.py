"""Every kind of document that is stored, the model it is read as, and the frozen examples of its versions."""

import importlib
import json
import re
from datetime import datetime
from pathlib import Path

from shared.adapters.documents.appointments import TakenCell
from shared.adapters.documents.kinds import kind_of
from shared.domain.agreement.search_state import SearchState
from shared.domain.agreement.upload import PassageChunk, PassageVector, UploadedDocument
from shared.domain.booking.appointment import Appointment
from shared.domain.conversation import Message
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import Session
from shared.domain.erasure import Erasure
from shared.domain.mailbox import Mailbox
from shared.domain.records import AuditEntry, Record
from shared.domain.turn import TurnRecord
from shared.domain.usage import DailyUsage
from shared.domain.withdrawal import Withdrawal
from shared.ports.conversation_documents import View
from shared.ports.document_writes import Document

ROOT = Path(__file__).resolve().parents[5]
EXAMPLES = ROOT / "tests" / "fixtures" / "documents"
RECORD = re.compile(r"^class \w+\(.*\bRecord\)", re.MULTILINE)


def models():
    """Return the model of each kind; records are searched in the code so that none is missing."""
    fixed = {
        "audit": AuditEntry,
        "checkpoints": SearchState,
        "conversations": View,
        "erasures": Erasure,
        "mailboxes": Mailbox,
    }
    fixed |= {"messages": Message, "sessions": Session, "turns": TurnRecord, "usage": DailyUsage}
    fixed |= {"appointments": Appointment, "appointment_seats": TakenCell, "appointment_users": TakenCell}
    fixed |= {"users": Profile, "withdrawals": Withdrawal, "documents": UploadedDocument, "chunks": PassageChunk}
    fixed |= {"vectors": PassageVector}
    return {**fixed, **{record.collection: record for record in records()}}


def records():
    for file in sorted([*ROOT.glob("shared/**/*.py"), *ROOT.glob("functions/**/*.py")]):
        if RECORD.search(file.read_text("utf-8")):
            module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
            own = [one for one in vars(module).values() if getattr(one, "__module__", None) == module.__name__]
            yield from (one for one in own if isinstance(one, type) and issubclass(one, Record))


def newest(kind):
    return kind_of(f"{kind}/id").newest


def versions(kind):
    return range(kind_of(f"{kind}/id").oldest, newest(kind) + 1)


def example(kind, version):
    """Return a frozen example; its times are written as `{"$datetime": …}`."""
    stored = json.loads((EXAMPLES / kind / f"v{version}.json").read_text("utf-8"), object_hook=_time)
    return Document(stored["path"], stored["data"], version="1")


def schema_file(kind, version):
    return EXAMPLES / kind / f"v{version}.schema.json"


def _time(fields):
    return datetime.fromisoformat(fields["$datetime"]) if "$datetime" in fields else fields
