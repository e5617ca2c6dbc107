from datetime import timedelta

from shared.domain.conversation import ConversationState
from shared.domain.event import Event, apply_all
from tests.fakes.counselling import NOW


class Named(Event[ConversationState]):
    word: str

    def apply(self, state, at):
        return state.model_copy(update={"summary_text": state.summary_text + self.word})


STATE = ConversationState(
    conversation_id="c1",
    user_id="u1",
    consents={},
    age_band="adult",
    flow="f",
    created_at=NOW,
    updated_at=NOW,
    expire_at=NOW,
)


def test_events_are_applied_in_order_and_marked_as_one_write():
    after = apply_all(STATE, [Named(word="a"), Named(word="b")], NOW + timedelta(hours=1))
    assert (after.summary_text, after.state_version, after.updated_at) == ("ab", 1, NOW + timedelta(hours=1))
    assert STATE.summary_text == ""


def test_a_write_without_events_is_still_a_write():
    assert apply_all(STATE, [], NOW).state_version == 1


def test_an_event_bears_its_class_name():
    assert Named(word="a").name == "Named"
