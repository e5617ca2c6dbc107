"""The layout is part of the contract: Firestore's rules, triggers and TTL policies name these paths."""

from shared.adapters.documents import paths
from shared.domain.conversation import Message, Role
from tests.fakes.counselling import NOW


def message(seq, role):
    return Message(seq=seq, role=role, text="", created_at=NOW)


def test_documents_lie_where_rules_and_triggers_look_for_them():
    assert paths.view("c1") == "conversations/c1"
    assert paths.message("c1", message(3, Role.USER)) == "conversations/c1/messages/3-user"
    assert paths.session("c1") == "sessions/c1"
    assert paths.mailbox("c1") == "mailboxes/c1"
    assert paths.turn("c1", "m1") == "sessions/c1/turns/m1"
    assert paths.record("c1", "part_transitions", "1-2") == "sessions/c1/part_transitions/1-2"
    assert paths.audit("a1") == "audit/a1"
    assert paths.user("u1") == "users/u1"


def test_the_users_words_stand_before_the_reply_and_turns_in_order():
    entries = [message(seq, role) for seq in range(3) for role in (Role.USER, Role.COUNSELOR)]
    places = [paths.position(entry) for entry in entries]
    assert places == sorted(set(places))
