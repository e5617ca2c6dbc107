from datetime import timedelta

import pytest

from functions.chat.flows.counseling.opening import greeting_without
from shared.content.catalogue import content
from shared.domain.conversation import RETENTION
from shared.domain.counseling.profile import DANGER_REMEMBERED, KeptGoal, KeptPersona, LastSession, Profile
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskStatus
from shared.locale import Locale, Register
from tests.fakes.counselling import NOW
from tests.fakes.talk import Talk

VOICES = [("ko", "존댓말"), ("ko", "반말"), ("en", "존댓말")]
LATER = ["follow_up", "closing"]
PLAN = "떨리는 순간을 함께 살펴봐요. 천천히 해요."


def kept(**more):
    fields = {
        "user_id": "u1",
        "name": "민지",
        "persona": KeptPersona(type="Type_B", counseling_level=3, updated_at=NOW),
        "summary": "발표 앞의 두려움을 나눴어요.",
        "goals": (KeptGoal(goal="덜 떨기", conversation_id="c0"),),
        "next_plan": PLAN,
        "last_session": LastSession(conversation_id="c0", session_type="first_session", ended_at=NOW),
        "sessions": 1,
        "updated_at": NOW,
        "expire_at": NOW + timedelta(days=365),
    }
    return Profile.model_validate({**fields, **more})


def test_every_kind_of_session_opens_with_its_part_1_and_one_task_in_progress(subtests):
    for session_type in SessionType:
        for locale, register in VOICES:
            with subtests.test(session_type=session_type, locale=locale, register=register):
                talk = Talk(session_type=session_type.value, locale=locale, register=register, profile=kept())
                template = content().templates(session_type.value, Locale(locale), Register(register))
                assert [task.id for task in talk.state.tasks] == [task.id for task in template if task.part == 1]
                assert [task.id for task in talk.state.tasks if task.status is TaskStatus.IN_PROGRESS] == [
                    talk.state.current_task
                ]
                assert talk.state.task_in_progress.id == "task_welcome_1"
                assert talk.state.current_module == talk.state.task_in_progress.module_id
                assert {task.created_at for task in talk.state.tasks} == {talk.clock.now()}


def test_the_greeting_is_the_first_message_and_stands_in_the_window(talk):
    assert talk.greeting.text == content().messages(Locale.KO).text("greeting")
    assert talk.state.recent == (talk.greeting,)
    assert (talk.state.seq, talk.state.message_count, talk.greeting.seq) == (0, 0, 0)


def test_the_first_greeting_counts_as_having_asked_for_the_name(talk):
    assert (talk.state.last_asked, talk.state.asked) == ("name", {"name": 1})


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


def test_a_consent_says_whether_the_client_named_the_text_that_it_showed():
    opened = Talk(versions={"terms": content().consents.versions["terms"]}).state
    assert {name: consent.stated for name, consent in opened.consents.items()} == {
        "terms": True,
        "sensitive_data": False,
        "overseas_transfer": False,
    }


def test_retention_counts_from_the_opening(talk):
    assert talk.state.expire_at == talk.clock.now() + RETENTION


class TestWithAProfile:
    @pytest.mark.parametrize("session_type", LATER)
    def test_the_session_takes_along_what_was_kept(self, session_type):
        state = Talk(session_type=session_type, profile=kept()).state
        assert state.carried.model_dump() == {
            "summary": "발표 앞의 두려움을 나눴어요.",
            "goals": ("덜 떨기",),
            "goals_from": ("c0",),
            "next_plan": PLAN,
            "name": "민지",
            "conversation_id": "c0",
            "ended_at": NOW,
            "in_danger": False,
        }
        assert state.user_info == {"name": "민지"}
        assert (state.user_persona.type, state.user_persona.counseling_level) == ("Type_B", 3)
        assert state.user_persona.type_specific_keywords == content().personas.find("Type_B").type_specific_keywords

    def test_a_persona_of_the_request_wins_and_the_level_stays(self):
        state = Talk(session_type="follow_up", persona="Type_C", profile=kept()).state
        assert (state.user_persona.type, state.user_persona.counseling_level) == ("Type_C", 3)

    def test_a_first_session_starts_fresh(self):
        talk = Talk(profile=kept())
        assert talk.state.model_dump() == Talk().state.model_dump()
        assert talk.state.user_persona.counseling_level == 1

    def test_the_greeting_opens_with_what_the_user_wished_for_and_else_with_a_note(self, subtests):
        cases = [
            (kept(), "덜 떨기"),
            (kept(goals=()), "떨리는 순간을 함께 살펴봐요"),
            (kept(next_plan="", goals=()), None),
            (kept(next_plan="죽고 싶은 마음을 이야기해요.", goals=()), None),
            (kept(goals=(KeptGoal(goal="그만 살고 싶어요", conversation_id="c0"),)), "떨리는 순간을 함께 살펴봐요"),
            (kept(next_plan="", goals=(KeptGoal(goal="그만 살고 싶어요", conversation_id="c0"),)), None),
        ]
        for session_type in LATER:
            for locale, register in VOICES:
                for profile, quoted in cases:
                    with subtests.test(
                        session_type=session_type, locale=locale, register=register, profile=profile, quoted=quoted
                    ):
                        talk = Talk(session_type=session_type, locale=locale, register=register, profile=profile)
                        text = talk.greeting.text
                        words = content().messages(Locale(locale), Register(register))
                        assert ("“" in text) is (quoted is not None)
                        assert quoted is None or f"“{quoted}”" in text
                        assert (words.recall("talked") in text) is (quoted is None)
                        assert words.recall("who_again") in text
                        assert words.recall("who_without_record") not in text
                        assert words.recall("limits") in text
                        assert "민지" in text
                        assert "AI" in text
                        assert not content().text_rules.alarming(text)
                        assert text.count("?") == 1

    def test_the_greeting_does_not_take_the_newest_record_for_the_last_time(self, subtests):
        """The last talk may be open still, or its closing late."""
        for locale, register in VOICES:
            for profile in (kept(), kept(goals=()), kept(goals=(), next_plan="")):
                with subtests.test(locale=locale, register=register, profile=profile):
                    text = Talk(
                        session_type="follow_up", locale=locale, register=register, profile=profile
                    ).greeting.text
                    assert "지난번" not in text
                    assert "last time" not in text.lower()

    def test_the_counsellors_note_is_told_as_its_own(self):
        text = Talk(session_type="follow_up", profile=kept(goals=())).greeting.text
        assert "제가 “떨리는 순간을 함께 살펴봐요”라고 적어 둔 것" in text

    async def test_the_greetings_question_is_the_first_tasks_and_not_put_again(self, subtests):
        for session_type, slot in (("follow_up", "agreed_outcome"), ("closing", "noticed_change")):
            for locale, register in VOICES:
                with subtests.test(session_type=session_type, slot=slot, locale=locale, register=register):
                    talk = Talk(session_type=session_type, locale=locale, register=register, profile=kept())
                    (wanted,) = [one for task in talk.state.tasks for one in task.required_slots if one.name == slot]
                    assert talk.greeting.text.endswith(wanted.questions[0])
                    assert (talk.state.last_asked, talk.state.asked) == (slot, {slot: 1})
                    said = await talk.say("ok..." if locale == "en" else "음 글쎄요…")
                    assert said.ask is None or said.ask["question"] != wanted.questions[0]

    async def test_the_name_is_never_asked_and_may_be_put_right(self):
        talk = Talk(session_type="follow_up", profile=kept())
        for text in ("안녕하세요.", "요즘 잠이 잘 안 와요.", "회사 일이 많아서요."):
            said = await talk.say(text)
            assert (said.ask or {}).get("slot") != "name"
            assert said.directive["known"]["이름"] == "민지"
        await talk.say("제 이름은 지우예요.")
        assert talk.state.user_info["name"] == "지우"

    def test_a_name_that_alarms_is_not_read_out(self):
        assert "죽고" not in Talk(session_type="follow_up", profile=kept(name="죽고 싶어")).greeting.text

    async def test_the_counselor_knows_what_was_carried_in_part_1_and_the_goals_at_the_close(self):
        talk = Talk(session_type="follow_up", profile=kept())
        opened = await talk.say("안녕하세요.")
        shown_only = {"summary": "", "goals": [], "next_plan": ""}
        assert opened.directive["carried"] == shown_only, "the words are for the Counselor, not for the record"
        talk.set(current_part=Part.EXPLORATION)
        assert (await talk.say("네.")).directive["carried"] is None
        talk.set(current_part=Part.CLOSING)
        assert (await talk.say("네.")).directive["carried"] == shown_only
        first, second, last = (request.system for request in talk.model.asked("counselor"))
        assert all(words in first for words in ("<carried>", "발표 앞의 두려움", "덜 떨기", "떨리는 순간"))
        assert "<carried>" not in second
        assert "덜 떨기" in last
        assert "발표 앞의 두려움" not in last


class TestWithoutAProfile:
    def test_nothing_is_pretended(self, subtests):
        cases = [None, kept(last_session=None, summary="", next_plan="", goals=(), name=None)]
        for session_type, slot in (("follow_up", "today_focus"), ("closing", "noticed_change")):
            for locale, register in VOICES:
                for profile in cases:
                    with subtests.test(
                        session_type=session_type, slot=slot, locale=locale, register=register, profile=profile
                    ):
                        talk = Talk(session_type=session_type, locale=locale, register=register, profile=profile)
                        words = content().messages(Locale(locale), Register(register))
                        assert words.recall("who_without_record") in talk.greeting.text
                        assert words.recall("who_again") not in talk.greeting.text
                        assert words.recall("limits") in talk.greeting.text
                        assert "“" not in talk.greeting.text
                        assert (talk.state.carried, talk.state.user_info) == (None, {})
                        assert talk.state.last_asked == slot
                        assert not any(task.asks_back for task in talk.state.tasks)

    @pytest.mark.parametrize(("locale", "register"), VOICES)
    def test_goals_of_earlier_sessions_are_left_of_a_deleted_one(self, locale, register):
        left = kept(last_session=None, summary="", next_plan="")
        talk = Talk(session_type="follow_up", locale=locale, register=register, profile=left)
        words = content().messages(Locale(locale), Register(register))
        assert (talk.state.carried.goals, talk.state.carried.ended_at) == (("덜 떨기",), None)
        assert words.recall("goal", words="덜 떨기") in talk.greeting.text
        assert words.recall("who_without_record") not in talk.greeting.text
        assert any(task.asks_back for task in talk.state.tasks)

    def test_of_a_deleted_session_name_and_level_are_left(self):
        state = Talk(
            session_type="follow_up", profile=kept(last_session=None, summary="", next_plan="", goals=())
        ).state
        assert (state.carried, state.user_info) == (None, {"name": "민지"})
        assert state.user_persona.counseling_level == 3


def ended_in_danger(**more):
    ended = {"conversation_id": "c0", "session_type": "first_session", "ended_at": NOW, "in_danger": True}
    return kept(last_session=LastSession.model_validate({**ended, **more}))


class TestWhoLeftInDanger:
    def test_is_asked_about_it_first_and_given_the_help_lines(self, subtests):
        for session_type in LATER:
            for locale, register in VOICES:
                with subtests.test(session_type=session_type, locale=locale, register=register):
                    talk = Talk(session_type=session_type, locale=locale, register=register, profile=ended_in_danger())
                    text = talk.greeting.text
                    assert content().crisis_answers.asks_directly(text)
                    assert {"ko": "109", "en": "988"}[locale] in text
                    assert "덜 떨기" not in text
                    assert (talk.state.risk.asked_seq, talk.state.last_asked) == (0, None)

    def test_is_given_the_line_for_the_young_too(self):
        talk = Talk(session_type="follow_up", age_band="14_18", profile=ended_in_danger())
        assert "1388" in talk.greeting.text

    async def test_is_heard_when_the_answer_is_yes(self, subtests):
        cases = [("ko", "네"), ("ko", "아직도 그런 생각이 들어요"), ("ko", "어제랑 똑같아요"), ("en", "yes")]
        for locale, words in cases:
            with subtests.test(words=words):
                talk = Talk(session_type="follow_up", locale=locale, profile=ended_in_danger())
                assert "crisis" in (await talk.say(words)).outcome.flags

    async def test_goes_on_when_the_answer_is_no(self, subtests):
        for locale, words in (("ko", "아니요"), ("ko", "이제 죽고 싶지는 않아요"), ("en", "no, not any more")):
            with subtests.test(words=words):
                talk = Talk(session_type="follow_up", locale=locale, profile=ended_in_danger())
                said = await talk.say(words)
                assert "crisis" not in said.outcome.flags
                assert not content().crisis_answers.asks_directly(said.reply)

    def test_is_not_asked_months_later(self):
        long_ago = NOW - DANGER_REMEMBERED
        talk = Talk(session_type="follow_up", profile=ended_in_danger(ended_at=long_ago))
        assert not content().crisis_answers.asks_directly(talk.greeting.text)
        assert talk.state.risk.asked_seq is None

    def test_is_reminded_of_nothing_once_that_talk_is_erased(self):
        talk = Talk(session_type="follow_up", profile=ended_in_danger())
        left = greeting_without(content(), talk.state, talk.greeting.text, "c0")
        assert not content().crisis_answers.asks_directly(left)
        assert "AI" in left
