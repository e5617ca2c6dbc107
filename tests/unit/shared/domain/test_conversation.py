from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.conversation import RECENT_MESSAGES, RETENTION, ConversationState, Message, Role, remember, touch
from shared.domain.event import Event, apply_all
from tests.builders.sessions import NOW


class Named(Event[ConversationState]):
    word: str

    def apply(self, state, at):
        return state.model_copy(update={"summary_text": state.summary_text + self.word})


def state(**more):
    named = {"conversation_id": "c1", "user_id": "u1", "consents": {}, "age_band": "adult", "flow": "f"}
    return ConversationState(**named, created_at=NOW, updated_at=NOW, expire_at=NOW, **more)


def message(seq, role=Role.USER, days=0):
    return Message(seq=seq, role=role, text=f"{role}{seq}", created_at=NOW + timedelta(days=days))


def turn(seq, days=0):
    return message(seq, days=days), message(seq, Role.COUNSELOR, days)


@given(st.integers(0, 60))
def test_the_window_holds_the_newest_messages_and_no_more(turns):
    current = state()
    for seq in range(1, turns + 1):
        current = remember(current, *turn(seq))
    assert len(current.recent) == min(2 * turns, RECENT_MESSAGES)
    assert current.message_count == turns
    if turns:
        assert current.recent[-1].text == f"counselor{turns}"


def test_retention_counts_from_the_users_newest_message():
    after = remember(state(), *turn(1, days=2))
    assert after.expire_at == NOW + timedelta(days=2) + RETENTION
    assert remember(after, message(2)).expire_at == after.expire_at, "a clock that runs back shortens nothing"
    assert remember(state(), message(1, Role.COUNSELOR)).expire_at == NOW


def test_the_window_drops_messages_older_than_the_retention():
    current = state()
    for seq, days in enumerate((0, 300, 365, 700), 1):
        current = remember(current, *turn(seq, days))
        assert all(said.created_at > current.recent[-1].created_at - RETENTION for said in current.recent)
    assert [entry.seq for entry in current.recent] == [3, 3, 4, 4]
    assert current.message_count == 4


def test_events_are_applied_in_order_as_one_write_that_does_not_extend_the_retention():
    before, later = state(state_version=4), NOW + timedelta(hours=3)
    after = apply_all(before, [Named(word="a"), Named(word="b")], later)
    assert (after.summary_text, after.state_version) == ("ab", 5)
    assert (after.updated_at, after.expire_at) == (later, NOW)
    assert before.summary_text == ""
    assert apply_all(before, [], later) == touch(before, later), "a write without events is still a write"
    assert touch(before, later).state_version == 5
    assert Named(word="a").name == "Named"


def replied(text, *fixed):
    return Message(seq=1, role=Role.COUNSELOR, text=text, created_at=NOW, fixed=fixed)


def test_a_question_of_code_that_the_counselor_asked_too_is_fixed_where_it_comes_last():
    found = replied("쉴까요? 오래 이야기했어요. 쉴까요?", "쉴까요?")
    assert [(piece.text, bool(piece.fixed)) for piece in found.pieces] == [
        ("쉴까요? 오래 이야기했어요.", False),
        ("쉴까요?", True),
    ]


def test_a_part_that_does_not_stand_in_the_reply_takes_no_words_from_the_counselor():
    assert replied("그랬군요. 쉴까요?", "다른 말", "", "쉴까요?").own_words == "그랬군요."
    assert replied("그랬군요.", "다른 말").own_words == "그랬군요."


def test_a_reply_that_code_worded_has_no_words_of_the_counselor():
    assert replied("안녕히 가세요.", "안녕히 가세요.").own_words == ""
    assert message(1, Role.COUNSELOR).own_words == "counselor1"


@given(st.lists(st.tuples(st.text("가나 .?", min_size=1, max_size=6), st.booleans()), max_size=6))
def test_the_pieces_hold_every_word_of_a_reply_in_order(parts):
    whole = replied("\n".join(text for text, _ in parts), *(text for text, fixed in parts if fixed))
    assert "".join("".join(piece.text for piece in whole.pieces).split()) == "".join(whole.text.split())
