"""The counselling and a small service in one conversation: who answers, and what the counselling keeps."""

from typing import get_args
from unittest.mock import ANY

import pytest

from shared.contracts.chat import ServiceName
from shared.contracts.events import Token
from shared.domain.counseling.session import SessionType
from shared.domain.errors import ModelUnavailable
from shared.engine.flow import Manifest, Outcome
from shared.locale import Locale, Register
from tests.builders.answers import reads
from tests.builders.routed_talk import RoutedTalk
from tests.builders.talk import Talk

ANSWER = "제7조에 적혀 있어요."


class Clerk:
    """A service that always gives the same answer."""

    def __init__(self, *flags):
        self.flags = flags

    async def run(self, turn):
        turn.scope.emit(Token(text=ANSWER))
        return Outcome(reply=ANSWER, flags=self.flags)

    def apologize(self, turn):
        raise AssertionError


class Routed(RoutedTalk):
    """A talk whose turns are routed; the service claims the word 동의서."""

    def __init__(self, *flags, unfinished=False, early=False, **opened):
        talk, self.unfinished = Talk(**opened), unfinished
        clerk = Manifest(
            name="agreement",
            flow=Clerk(*flags),
            claims=lambda text: "동의서" in text,
            mid_flow=lambda _: self.unfinished,
        )
        super().__init__(talk, clerk, Manifest(name="booking", flow=Clerk()), early=early)

    def done(self):
        self.unfinished = False

    def reads(self, text, *signs, **reading):
        """Let the reader find this in the next message."""
        self.talk.model.scripts["reader"] = reads(*signs, quote=text, **reading)
        return text


async def test_a_question_on_the_agreement_is_answered_and_the_counselling_goes_on_where_it_stood():
    routed = Routed()
    await routed.say("민지예요. 요즘 회사 일로 잠을 못 자요")
    before = routed.talk.state
    name, outcome = await routed.say("그런데 동의서에는 뭐라고 돼 있어요?")
    after = routed.talk.state
    assert name == "agreement"
    assert outcome.reply.startswith(ANSWER)
    assert outcome.reply.removeprefix(ANSWER).strip() in routed.talk.content.messages(Locale.KO).variants(
        "back_to_talk"
    )
    kept = ("current_task", "tasks", "last_asked", "asked", "current_module", "user_info", "risk", "wrap_up")
    assert [getattr(after, one) for one in kept] == [getattr(before, one) for one in kept]
    assert 2 in after.set_aside, "a question on a document is no evidence for a task"
    assert (await routed.say("네, 그래서 낮에도 멍해요"))[0] == "counseling"


async def test_where_nothing_was_told_yet_no_answer_claims_to_remember_it():
    assert (await Routed().say("그런데 동의서에는 뭐라고 돼 있어요?"))[1].reply.strip() == ANSWER.strip()


@pytest.mark.parametrize("opened", [{}, {"service": "agreement"}])
async def test_who_is_in_danger_is_heard_in_any_service(opened):
    routed = Routed(unfinished=True, **opened)
    name, outcome = await routed.say("동의서고 뭐고 오늘 밤에 죽으려고 해요")
    assert (name, "crisis" in outcome.flags) == ("counseling", True)
    assert (await routed.say("동의서 좀 보여 주세요"))[0] == "counseling", "the follow-through is not left"


@pytest.mark.parametrize("danger", ["own_crisis", "own_imminent", "other_imminent", "violence_now"])
async def test_danger_that_only_the_model_hears_is_answered_by_the_protocol_in_any_service(danger):
    routed = Routed(unfinished=True)
    name, outcome = await routed.say(routed.reads("오늘 밤에 다 삼키면 편해질 거예요", danger=danger))
    assert (name, "crisis" in outcome.flags, ANSWER in outcome.reply) == ("counseling", True, False)
    assert [run.agent for run in routed.runs if run.prompt] == ["reader"]


async def test_a_concern_of_the_model_is_asked_about_in_any_service():
    routed = Routed(unfinished=True)
    name, outcome = await routed.say(routed.reads("이제 남은 건 하나뿐이네요", danger="own_concern"))
    assert (name, routed.talk.content.crisis_answers.asks_directly(outcome.reply)) == ("counseling", True)
    assert routed.talk.state.risk.asked_seq == 1


@pytest.mark.parametrize("words", ["놀라지 마 괜찮아", "엄마가 걱정하지 말래요"])
async def test_a_lone_farewell_is_heard_by_the_counselling_in_any_service_and_asked_about_without_a_model(words):
    routed = Routed(unfinished=True)
    name, outcome = await routed.say(words)
    assert (name, routed.talk.content.crisis_answers.asks_directly(outcome.reply)) == ("counseling", False)
    routed = Routed(unfinished=True)
    routed.talk.model.scripts = {}
    name, outcome = await routed.say(words)
    assert (name, routed.talk.content.crisis_answers.asks_directly(outcome.reply)) == ("counseling", True)


@pytest.mark.parametrize(
    ("signs", "feeling", "service"),
    [
        ((), ("sadness", 9), "counseling"),
        (("hurt_meanwhile",), None, "counseling"),
        (("hurt_meanwhile", "asks_counsellor"), ("sadness", 9), "counseling"),
        (("asks_counsellor",), ("anger", 9), "agreement"),
        (("about_service",), ("anxiety", 8), "agreement"),
        ((), ("anxiety", 4), "agreement"),
        ((), None, "agreement"),
    ],
)
async def test_in_the_middle_of_a_service_what_hurts_is_heard_first_and_everything_else_goes_on(
    signs, feeling, service
):
    routed = Routed(unfinished=True)
    await routed.say("동의서 좀요")
    assert (await routed.say(routed.reads("내일 1시요", *signs, feeling=feeling)))[0] == service


@pytest.mark.parametrize(("told", "service"), [({}, "agreement"), ({"reason": "불면"}, "counseling")])
async def test_a_question_on_the_service_beside_what_is_told_stays_with_the_counselor(told, service):
    routed = Routed()
    assert (await routed.say(routed.reads("잠을 못 자서요. 그런데 얼마나 해요?", "about_service", told=told)))[
        0
    ] == service


@pytest.mark.parametrize(
    ("signs", "service"),
    [
        (("about_service",), "counseling"),
        (("asks_counsellor", "wants_booking"), "counseling"),
        (("about_document",), "agreement"),
    ],
)
async def test_tears_in_the_counselling_are_heard_there_whatever_is_asked_of_a_service_beside_them(signs, service):
    routed = Routed()
    routed.talk.set(agreement=routed.talk.state.agreement.model_copy(update={"document_id": "own"}))
    await routed.say("요즘 잠을 못 자요")
    assert (await routed.say(routed.reads("눈물이 나네요", *signs, feeling=("sadness", 7))))[0] == service
    assert (routed.talk.state.booking.wish is not None) == ("wants_booking" in signs)


async def test_a_model_that_is_away_holds_no_service_up():
    routed = Routed(unfinished=True)
    routed.talk.model.scripts["reader"] = ModelUnavailable("503")
    assert (await routed.say("모레 2시요"))[0] == "agreement"


@pytest.mark.parametrize(
    ("signs", "service"),
    [
        (("about_service",), "agreement"),
        (("about_service", "wants_booking"), "agreement"),
        (("wants_booking",), "booking"),
        (("asks_counsellor",), "counseling"),
        ((), "counseling"),
    ],
)
async def test_the_service_that_the_reading_means_answers_without_a_word_that_names_it(signs, service):
    routed = Routed()
    assert (await routed.say(routed.reads("그건 어떻게 되나요", *signs)))[0] == service


async def test_nothing_is_seen_of_a_reply_begun_early_where_a_service_answers():
    routed, shown = Routed(early=True), []
    routed.talk.set(last_asked=None)
    outcome = await routed.flow.run(routed.talk.turn(routed.reads("그건 어떻게 되나요", "wants_booking"), shown))
    assert (outcome.flow, outcome.reply) == ("booking", ANSWER)
    assert [event.text for event in shown if isinstance(event, Token)] == [ANSWER]


async def test_a_question_on_the_document_that_is_open_is_answered_by_its_service():
    routed = Routed()
    routed.reads("그건 어떻게 되나요", "about_document")
    assert (await routed.say("그건 어떻게 되나요"))[0] == "counseling", "no document is open"
    routed.talk.set(agreement=routed.talk.state.agreement.model_copy(update={"document_id": "d1"}))
    assert (await routed.say("그건 어떻게 되나요"))[0] == "agreement"


@pytest.mark.parametrize(
    ("signs", "feeling", "service"),
    [
        ((), None, "agreement"),
        (("wants_booking",), None, "booking"),
        (("new_topic",), None, "counseling"),
        ((), ("sadness", 4), "counseling"),
    ],
)
async def test_in_a_conversation_opened_in_a_service_what_is_none_of_its_business_is_heard(signs, feeling, service):
    routed = Routed(service="agreement")
    assert (await routed.say(routed.reads("요즘은 그래요", *signs, feeling=feeling)))[0] == service


async def test_after_the_counselling_spoke_a_bare_word_is_its_own_in_a_conversation_of_a_service():
    routed = Routed(service="agreement")
    await routed.say(routed.reads("요즘 마음이 그래요", feeling=("sadness", 4)))
    routed.reads("네")
    assert (await routed.say("네"))[0] == "counseling"


async def test_danger_in_pieces_is_heard_in_the_middle_of_a_service():
    routed = Routed(unfinished=True)
    assert (await routed.say("죽고"))[0] == "agreement"
    assert (await routed.say("싶어요"))[0] == "counseling"


async def test_an_unfinished_service_or_a_failed_answer_leads_back_nowhere():
    for routed in (Routed(unfinished=True), Routed("degraded")):
        assert (await routed.say("동의서요"))[1].reply == ANSWER


async def test_a_conversation_that_was_opened_in_the_service_is_greeted_by_it_and_needs_no_way_back():
    routed = Routed(service="agreement")
    assert "AI" in routed.talk.greeting.text
    assert routed.talk.state.last_asked is None
    assert (await routed.say("동의서에 뭐라고 돼 있어요?"))[1].reply == ANSWER
    assert routed.talk.state.session_type is SessionType.FIRST_SESSION


@pytest.mark.parametrize("locale", list(Locale))
@pytest.mark.parametrize("register", list(Register))
def test_every_service_greets_as_an_ai_and_names_help_in_danger(locale, register):
    for service in get_args(ServiceName):
        talk = Talk(service=service, locale=locale.value, register=register.value)
        text = talk.greeting.text
        assert talk.state.title
        assert "AI" in text
        assert "119" in text or "emergency" in text


async def test_what_is_told_beside_a_question_to_another_service_is_kept():
    routed = Routed()
    routed.talk.model.scripts["reader"] = reads(told={"name": "지은"}, quote="지은")
    name, _ = await routed.say("저는 지은이고요, 동의서에는 뭐라고 돼 있어요?")
    assert (name, routed.talk.state.user_info) == ("agreement", {"name": "지은"})


async def test_in_a_danger_a_question_on_the_counselling_is_answered_from_the_facts():
    routed = Routed()
    await routed.say("죽고 싶어요")
    routed.talk.model.scripts["reader"] = reads("about_service")
    name, outcome = await routed.say("말하면 회사에서 알게 되나요?")
    assert name == "counseling"
    assert outcome.directive["facts"]
    assert "<facts>" in routed.talk.model.asked("counselor")[-1].system


class TestAWishToStopBesideAQuestionOfAService:
    WISH = "동의서 보관 기간만 알려 주세요. 그리고 오늘은 이만할게요"

    async def asked(self, *, unfinished=False):
        routed = Routed(unfinished=unfinished)
        await routed.say("민지예요. 요즘 회사 일로 잠을 못 자요")
        name, outcome = await routed.say(routed.reads(self.WISH, "wants_to_stop", "about_service"))
        assert name == "agreement"
        return routed, outcome

    @staticmethod
    def whether_to_end(routed):
        return routed.talk.content.messages(Locale.KO).variants("confirm_end")

    async def test_is_asked_about_behind_the_answer_and_a_plain_yes_ends(self):
        routed, outcome = await self.asked()
        assert outcome.reply.removeprefix(ANSWER).strip() in self.whether_to_end(routed)
        assert await routed.say("네") == ("counseling", ANY)
        assert routed.talk.state.ended

    @pytest.mark.parametrize(("reading", "asks"), [({}, True), ({"feeling": ("sadness", 8)}, False)])
    async def test_waits_for_a_service_to_finish_and_is_forgotten_by_who_tells_more(self, reading, asks):
        routed, outcome = await self.asked(unfinished=True)
        assert outcome.reply == ANSWER
        routed.done()
        _, outcome = await routed.say(routed.reads("이제 됐어요", **reading))
        assert outcome.reply.endswith(tuple(self.whether_to_end(routed))) == asks
        assert (routed.talk.state.wrap_up is not None) == asks
