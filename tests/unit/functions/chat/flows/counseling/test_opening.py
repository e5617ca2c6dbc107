import pytest

from shared.content.catalogue import content
from shared.domain.conversation import RETENTION
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import TaskStatus
from shared.domain.locale import Locale, Register
from tests.fakes.talk import Talk


@pytest.mark.parametrize("session_type", SessionType)
@pytest.mark.parametrize(("locale", "register"), [("ko", "존댓말"), ("ko", "반말"), ("en", "존댓말")])
def test_every_kind_of_session_opens_with_its_part_1_and_one_task_in_progress(session_type, locale, register):
    talk = Talk(session_type=session_type.value, locale=locale, register=register)
    template = content().templates(session_type.value, Locale(locale), Register(register))
    assert [task.id for task in talk.state.tasks] == [task.id for task in template if task.part == 1]
    assert [task.id for task in talk.state.tasks if task.status is TaskStatus.IN_PROGRESS] == [talk.state.current_task]
    assert talk.state.task_in_progress.id == "task_welcome_1"
    assert talk.state.current_module == talk.state.task_in_progress.module_id
    assert {task.created_at for task in talk.state.tasks} == {talk.clock.now()}


def test_the_greeting_is_the_first_message_and_stands_in_the_window(talk):
    assert talk.greeting.text == content().messages(Locale.KO).text("greeting")
    assert talk.state.recent == (talk.greeting,)
    assert (talk.state.seq, talk.state.message_count, talk.greeting.seq) == (0, 0, 0)


def test_a_follow_up_is_greeted_as_one(talk):
    follow_up = Talk(session_type="follow_up")
    assert follow_up.greeting.text == content().messages(Locale.KO).text("greeting_follow_up") != talk.greeting.text


def test_the_first_greeting_counts_as_having_asked_for_the_name(talk):
    assert (talk.state.last_asked, talk.state.asked) == ("name", {"name": 1})
    assert Talk(session_type="follow_up").state.asked == {}


def test_a_given_persona_is_taken_and_a_missing_one_is_left_open(talk):
    assert Talk(persona="Type_C").state.user_persona.type == "Type_C"
    assert talk.state.user_persona.type is None
    assert talk.state.user_persona.common_keywords


def test_consents_are_kept_with_version_and_time(talk):
    opened = Talk(consents={"terms": True, "sensitive_data": True, "overseas_transfer": False}).state
    assert {name: consent.granted for name, consent in opened.consents.items()} == {
        "terms": True,
        "sensitive_data": True,
        "overseas_transfer": False,
    }
    assert all(consent.version and consent.at == talk.clock.now() for consent in opened.consents.values())


def test_retention_counts_from_the_opening(talk):
    assert talk.state.expire_at == talk.clock.now() + RETENTION
