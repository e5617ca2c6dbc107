"""Opening a session: its first tasks, what it carries over from earlier sessions, and the greeting."""

from datetime import timedelta

import pytest
from pydantic import ValidationError

from functions.chat.flows.counseling.opening import QUOTE_LENGTH, clipped, greeting_without
from shared.content.catalogue import content
from shared.domain.conversation import RETENTION
from shared.domain.counseling.profile import DANGER_REMEMBERED, KeptGoal, KeptPersona, LastSession, Profile
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskStatus
from shared.locale import Locale, Register
from tests.builders.answers import reads
from tests.builders.sessions import NOW
from tests.builders.talk import Talk

VOICES = [("ko", "존댓말"), ("ko", "반말"), ("en", "존댓말")]
LATER = ["follow_up", "closing"]
PLAN = "떨리는 순간을 함께 살펴봐요. 천천히 해요."
NOTED = "떨리는 순간을 함께 살펴봐요"
ALARMING = (KeptGoal(goal="그만 살고 싶어요", conversation_id="c0"),)
LAST = {"conversation_id": "c0", "session_type": "first_session", "ended_at": NOW}
ERASED = {"last_session": None, "summary": "", "next_plan": ""}
asks_directly = content().crisis_answers.asks_directly


def kept(**more):
    fields = {
        "user_id": "u1",
        "name": "민지",
        "persona": KeptPersona(type="Type_B", counseling_level=3, updated_at=NOW),
        "summary": "발표 앞의 두려움을 나눴어요.",
        "goals": (KeptGoal(goal="덜 떨기", conversation_id="c0"),),
        "next_plan": PLAN,
        "last_session": LAST,
        "sessions": 1,
        "updated_at": NOW,
        "expire_at": NOW + timedelta(days=365),
    }
    return Profile.model_validate({**fields, **more})


def later_session(**opened):
    """Open a later session of a user who has a profile."""
    return Talk(**{"session_type": "follow_up", "profile": kept()} | opened)


voices = pytest.mark.parametrize(("locale", "register"), VOICES)


@voices
@pytest.mark.parametrize("session_type", SessionType)
def test_every_session_type_opens_with_its_part_1_and_one_task_in_progress(session_type, locale, register):
    state = later_session(session_type=session_type.value, locale=locale, register=register).state
    template = content().templates(session_type.value, Locale(locale), Register(register))
    assert [task.id for task in state.tasks] == [task.id for task in template if task.part == 1]
    assert [task.id for task in state.tasks if task.status is TaskStatus.IN_PROGRESS] == [state.current_task]
    assert state.task_in_progress.id == "task_welcome_1"
    assert state.current_module == state.task_in_progress.module_id
    assert {task.created_at for task in state.tasks} == {state.created_at}


def test_a_first_session_opens_with_a_greeting_that_asks_for_the_name_and_no_persona(talk):
    assert talk.greeting.text == content().messages(Locale.KO).text("greeting")
    assert (talk.state.recent, talk.greeting.seq) == ((talk.greeting,), 0)
    assert (talk.state.seq, talk.state.message_count) == (0, 0)
    assert (talk.state.last_asked, talk.state.asked) == ("name", {"name": 1})
    assert talk.state.expire_at == talk.clock.now() + RETENTION
    assert talk.state.user_persona.type is None
    assert talk.state.user_persona.common_keywords
    assert Talk(persona="Type_C").state.user_persona.type == "Type_C"


def test_consents_are_stored_with_version_time_and_whether_the_client_named_the_version(talk):
    given = {"terms": True, "sensitive_data": True, "overseas_transfer": False}
    opened = Talk(consents=given, versions={"terms": content().consents.versions["terms"]}).state.consents
    assert {name: consent.granted for name, consent in opened.items()} == given
    assert {name: consent.stated for name, consent in opened.items()} == {name: name == "terms" for name in given}
    assert all(consent.version and consent.at == talk.clock.now() for consent in opened.values())


class TestWithAProfile:
    @pytest.mark.parametrize("session_type", LATER)
    def test_the_session_carries_the_profile_over(self, session_type):
        state = later_session(session_type=session_type).state
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
        persona = state.user_persona
        assert (persona.type, persona.counseling_level, persona.level_source) == ("Type_B", 3, "carried")
        assert state.user_persona.type_specific_keywords == content().personas.find("Type_B").type_specific_keywords

    def test_the_requests_persona_wins_with_the_kept_level_and_a_first_session_ignores_both(self):
        persona = later_session(persona="Type_C").state.user_persona
        assert (persona.type, persona.counseling_level) == ("Type_C", 3)
        fresh = Talk(profile=kept()).state
        assert fresh.model_dump() == Talk().state.model_dump()
        assert fresh.user_persona.counseling_level == 1

    def test_a_level_of_the_request_wins_over_the_profiles(self):
        for state in (later_session(counseling_level=5).state, Talk(counseling_level=5).state):
            assert (state.user_persona.counseling_level, state.user_persona.level_source) == (5, "given")

    @pytest.mark.parametrize("level", [0, 6, 2.5, "둘"])
    def test_a_level_that_is_none_is_refused(self, level):
        with pytest.raises(ValidationError):
            Talk(counseling_level=level)

    @voices
    @pytest.mark.parametrize("session_type", LATER)
    @pytest.mark.parametrize(
        ("fields", "quoted"),
        [
            ({}, "덜 떨기"),
            ({"goals": ()}, NOTED),
            ({"next_plan": "", "goals": ()}, None),
            ({"next_plan": "죽고 싶은 마음을 이야기해요.", "goals": ()}, None),
            ({"goals": ALARMING}, NOTED),
            ({"next_plan": "", "goals": ALARMING}, None),
        ],
    )
    def test_the_greeting_quotes_the_users_goal_or_else_the_plan_and_nothing_alarming(
        self, session_type, locale, register, fields, quoted
    ):
        text = later_session(
            session_type=session_type, locale=locale, register=register, profile=kept(**fields)
        ).greeting.text
        words = content().messages(Locale(locale), Register(register))
        assert ("“" in text, words.recall("talked") in text) == (quoted is not None, quoted is None)
        assert quoted is None or f"“{quoted}”" in text
        assert all(one in text for one in (words.recall("who_again"), words.recall("limits"), "민지", "AI"))
        assert words.recall("who_without_record") not in text
        assert not content().text_rules.alarming(text)
        assert text.count("?") == 1
        assert not any(one in text.lower() for one in ("지난번", "last time")), "the last session may still be open"

    def test_the_greeting_quotes_the_plan_as_the_counsellors_note_and_omits_an_alarming_name(self):
        assert f"제가 “{NOTED}”라고 적어 둔 것" in later_session(profile=kept(goals=())).greeting.text
        assert "죽고" not in later_session(profile=kept(name="죽고 싶어")).greeting.text

    @voices
    @pytest.mark.parametrize(("session_type", "slot"), [("follow_up", "agreed_outcome"), ("closing", "noticed_change")])
    async def test_the_greeting_asks_the_first_tasks_question_which_is_not_repeated(
        self, session_type, slot, locale, register
    ):
        talk = later_session(session_type=session_type, locale=locale, register=register)
        (wanted,) = [one for task in talk.state.tasks for one in task.required_slots if one.name == slot]
        assert talk.greeting.text.endswith(wanted.questions[0])
        assert (talk.state.last_asked, talk.state.asked) == (slot, {slot: 1})
        said = await talk.say("ok..." if locale == "en" else "음 글쎄요…")
        assert said.ask is None or said.ask["question"] != wanted.questions[0]

    async def test_a_known_name_is_never_asked_for_and_can_be_corrected(self):
        talk = later_session()
        for text in ("안녕하세요.", "요즘 잠이 잘 안 와요.", "회사 일이 많아서요."):
            said = await talk.say(text)
            assert (said.ask or {}).get("slot") != "name"
            assert said.directive["known"]["이름"] == "민지"
        talk.model.scripts["reader"] = reads(corrects={"name": "지우"})
        said = await talk.say("제 이름은 지우예요.")
        assert (talk.state.user_info["name"], said.directive["corrected"]) == ("지우", {"이름": "지우"})

    async def test_the_prompt_holds_all_that_was_carried_in_part_1_and_the_goals_in_part_3(self):
        talk, told = later_session(), []
        for part in Part:
            talk.set(current_part=part)
            told.append((await talk.say("네.")).directive["carried"])
        shown_only = {"summary": "", "goals": [], "next_plan": ""}
        assert told == [shown_only, None, shown_only], "the recorded directive holds none of the words"
        first, second, last = (request.system for request in talk.model.asked("counselor"))
        assert all(words in first for words in ("<carried>", "발표 앞의 두려움", "덜 떨기", "떨리는 순간"))
        assert "<carried>" not in second
        assert ("덜 떨기" in last, "발표 앞의 두려움" in last) == (True, False)


class TestWithoutAProfile:
    @voices
    @pytest.mark.parametrize(("session_type", "slot"), [("follow_up", "today_focus"), ("closing", "noticed_change")])
    @pytest.mark.parametrize("profile", [None, kept(**ERASED, goals=(), name=None)], ids=["none", "empty"])
    def test_the_greeting_claims_no_memory_and_nothing_is_carried(self, session_type, slot, locale, register, profile):
        talk = later_session(session_type=session_type, locale=locale, register=register, profile=profile)
        words, text = content().messages(Locale(locale), Register(register)), talk.greeting.text
        assert all(words.recall(key) in text for key in ("who_without_record", "limits"))
        assert not any(one in text for one in (words.recall("who_again"), "“"))
        assert (talk.state.carried, talk.state.user_info, talk.state.last_asked) == (None, {}, slot)
        assert not any(task.asks_back for task in talk.state.tasks)

    @voices
    def test_goals_of_earlier_sessions_are_carried_after_the_last_session_is_deleted(self, locale, register):
        talk = later_session(locale=locale, register=register, profile=kept(**ERASED))
        words, text = content().messages(Locale(locale), Register(register)), talk.greeting.text
        assert (talk.state.carried.goals, talk.state.carried.ended_at) == (("덜 떨기",), None)
        assert words.recall("goal", words="덜 떨기") in text
        assert words.recall("who_without_record") not in text
        assert any(task.asks_back for task in talk.state.tasks)

    def test_name_and_level_are_carried_after_the_last_session_is_deleted(self):
        state = later_session(profile=kept(**ERASED, goals=())).state
        assert (state.carried, state.user_info) == (None, {"name": "민지"})
        assert state.user_persona.counseling_level == 3


def in_danger(ended_at=NOW, **opened):
    """Open a session of a user whose last one ended in danger."""
    last = LastSession.model_validate({**LAST, "in_danger": True, "ended_at": ended_at})
    return later_session(profile=kept(last_session=last), **opened)


class TestAUserWhoLeftInDanger:
    @voices
    @pytest.mark.parametrize("session_type", LATER)
    def test_is_asked_about_the_danger_first_and_given_the_help_lines(self, session_type, locale, register):
        talk = in_danger(session_type=session_type, locale=locale, register=register)
        assert asks_directly(talk.greeting.text)
        assert {"ko": "109", "en": "988"}[locale] in talk.greeting.text
        assert "덜 떨기" not in talk.greeting.text
        assert (talk.state.risk.asked_seq, talk.state.last_asked) == (0, None)

    def test_who_is_a_minor_is_given_the_youth_line(self):
        assert "1388" in in_danger(age_band="14_18").greeting.text

    @pytest.mark.parametrize(
        ("locale", "words", "danger"),
        [
            ("ko", "네", True),
            ("ko", "아직도 그런 생각이 들어요", True),
            ("ko", "어제랑 똑같아요", True),
            ("en", "yes", True),
            ("ko", "아니요", False),
            ("ko", "이제 죽고 싶지는 않아요", False),
            ("en", "no, not any more", False),
        ],
    )
    async def test_who_answers_yes_is_in_a_crisis_and_who_answers_no_is_not_asked_again(self, locale, words, danger):
        said = await in_danger(locale=locale).say(words)
        assert ("crisis" in said.outcome.flags) is danger
        assert danger or not asks_directly(said.reply)

    def test_is_not_asked_months_later_or_once_that_conversation_is_erased(self):
        late, talk = in_danger(ended_at=NOW - DANGER_REMEMBERED), in_danger()
        assert (asks_directly(late.greeting.text), late.state.risk.asked_seq) == (False, None)
        left = greeting_without(content(), talk.state, talk.greeting.text, "c0")
        assert (asks_directly(left), "AI" in left) == (False, True)


class TestAQuote:
    def test_is_the_first_sentence(self):
        cases = [
            (PLAN, NOTED),
            ("덜 떨고 싶어요", "덜 떨고 싶어요"),
            ("무엇부터 해 볼까요? 같이 정해요.", "무엇부터 해 볼까요?"),
            ("하루 7.5시간 자기", "하루 7.5시간 자기"),
            ("  줄이\n나뉜   말 ", "줄이 나뉜 말"),
            ("“나만 뒤처진다”는 생각", "나만 뒤처진다는 생각"),
            ("", ""),
        ]
        assert {quoted: got for words, quoted in cases if (got := clipped(words)) != quoted} == {}

    @pytest.mark.parametrize("words", ["아주 긴 바람을 " * 30, "가" * 300])
    def test_that_is_too_long_is_cut_with_an_ellipsis(self, words):
        quoted = clipped(words)
        assert len(quoted) <= QUOTE_LENGTH
        assert quoted.endswith("…")
        assert words.startswith(quoted.removesuffix("…"))
