from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.conversation import (
    RECENT_MESSAGES,
    RETENTION,
    Budget,
    ConversationState,
    Message,
    Role,
    remember,
    touch,
)

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def state(**more):
    return ConversationState(
        conversation_id="c1",
        user_id="u1",
        consents={},
        age_band="adult",
        flow="f",
        created_at=NOW,
        updated_at=NOW,
        expire_at=NOW,
        **more,
    )


def message(seq, role=Role.USER):
    return Message(seq=seq, role=role, text=f"{role}{seq}", created_at=NOW)


def test_remembering_a_turn_counts_the_users_message_and_moves_the_number():
    after = remember(state(seq=2, message_count=2), message(3), message(3, Role.COUNSELOR))
    assert (after.seq, after.message_count) == (3, 3)
    assert [entry.text for entry in after.recent] == ["user3", "counselor3"]


def test_the_number_never_goes_back():
    assert remember(state(seq=5), message(3)).seq == 5


@given(st.integers(0, 60))
def test_the_window_holds_the_newest_messages_and_no_more(turns):
    current = state()
    for seq in range(1, turns + 1):
        current = remember(current, message(seq), message(seq, Role.COUNSELOR))
    assert len(current.recent) == min(2 * turns, RECENT_MESSAGES)
    assert current.message_count == turns
    if turns:
        assert current.recent[-1].text == f"counselor{turns}"


def test_touching_marks_the_write_and_keeps_nothing_for_longer():
    later = NOW + timedelta(hours=3)
    after = touch(state(state_version=4), later)
    assert (after.state_version, after.updated_at, after.expire_at) == (5, later, NOW)


def test_retention_counts_from_what_the_user_said_last():
    spoken = message(1).model_copy(update={"created_at": NOW + timedelta(days=2)})
    after = remember(state(), spoken, message(1, Role.COUNSELOR))
    assert after.expire_at == NOW + timedelta(days=2) + RETENTION
    assert remember(after, message(2)).expire_at == after.expire_at, "a clock that runs back takes nothing away"
    assert remember(state(), message(1, Role.COUNSELOR)).expire_at == NOW


def test_no_message_is_kept_in_the_window_for_longer_than_messages_are_kept():
    def said(seq, days):
        return message(seq).model_copy(update={"created_at": NOW + timedelta(days=days)})

    current = state()
    for seq, days in enumerate((0, 300, 365, 700), 1):
        current = remember(current, said(seq, days), said(seq, days).model_copy(update={"role": Role.COUNSELOR}))
        assert all(said.created_at > current.recent[-1].created_at - RETENTION for said in current.recent)
    assert [entry.seq for entry in current.recent] == [3, 3, 4, 4]
    assert current.message_count == 4


def test_budgets_add_up():
    spent = Budget(llm_calls=1, prompt_tokens=10, output_tokens=2, cost_krw=0.1)
    assert spent.plus(spent).plus(Budget()) == Budget(llm_calls=2, prompt_tokens=20, output_tokens=4, cost_krw=0.2)


def test_the_register_is_stored_under_its_plain_name():
    assert "register" in state().model_dump(by_alias=True)
    assert ConversationState.model_validate(state().model_dump(by_alias=True)) == state()
