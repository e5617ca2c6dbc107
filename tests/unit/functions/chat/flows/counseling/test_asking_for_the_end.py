"""The question whether to end: it is put whatever the model does, and a yes counts only where one was put."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.review import HELD_BACK_AT_THE_END, closing_tasks
from shared.domain.counseling.session import SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.errors import ModelStreamBroken, ModelUnavailable
from shared.locale import Locale, Register
from tests.fakes.answers import user_state_reading
from tests.fakes.scripted_model import Stream
from tests.fakes.talk import Talk

QUESTION = content().messages(Locale.KO, Register.FORMAL).text("confirm_end")
ENOUGH = "오늘은 여기까지 할게요"
CUT = Stream(("많이 지치셨을 것 같아요. ", "오늘 이야기를 많이 나눴네요. ", "여기서"), error=ModelStreamBroken("cut"))


async def test_without_a_model_a_user_who_asks_to_end_is_asked_by_the_fixed_words_and_can_end(
    subtests: pytest.Subtests,
) -> None:
    cases = [
        (Locale.KO, Register.FORMAL, ENOUGH, "네, 좋아요"),
        (Locale.KO, Register.CASUAL, "오늘은 여기까지 할게", "응"),
        (Locale.EN, Register.FORMAL, "let's stop here for today", "yes"),
    ]
    for locale, register, text, yes in cases:
        with subtests.test(yes=yes):
            talk = Talk(locale=locale.value, register=register.value)
            talk.model.scripts = {}

            asked = await talk.say(text)
            assert asked.reply == content().messages(locale, register).text("confirm_end")
            assert asked.outcome.flags == ("degraded",)

            assert (await talk.say(yes)).state.status is SessionStatus.COMPLETED


async def test_a_reply_that_does_not_ask_gets_the_question_behind_it(subtests: pytest.Subtests) -> None:
    cases = [
        "오늘 이야기 나눠 주셔서 고마워요.",
        "고마워요. 그 마음이 지금도 남아 있나요?",
        "그 마음이 지금도 남아 있나요?",
        CUT,
    ]
    for reply in cases:
        with subtests.test(reply=reply):
            talk = Talk()
            talk.model.scripts["counselor"] = reply

            asked = await talk.say(ENOUGH)

            assert asked.reply.endswith(QUESTION)
            assert asked.reply.count("?") == 1
            assert (await talk.say("네")).state.ended


@pytest.mark.parametrize(
    "reply", ["오늘은 여기서 마칠까요?", "왜 하필 나일까, 하는 마음이셨군요. 오늘은 이쯤에서 마무리해도 괜찮으실까요?"]
)
async def test_a_reply_that_asks_is_left_as_it_is(reply: str) -> None:
    talk = Talk()
    talk.model.scripts["counselor"] = reply
    assert (await talk.say(ENOUGH)).reply == reply


async def test_a_question_whether_to_move_on_to_the_closing_is_none_whether_to_end() -> None:
    talk = Talk()
    talk.model.scripts["counselor"] = "이제 마무리로 넘어가도 괜찮을까요?"
    assert (await talk.say(ENOUGH)).reply == QUESTION


async def test_a_wrap_up_that_the_reply_does_not_propose_is_proposed_by_the_rules_question(
    subtests: pytest.Subtests,
) -> None:
    cases = [
        "네, 그렇군요.",
        "네, 그렇군요. 그 마음이 지금도 남아 있나요?",
        "오늘은 여기까지 할까요? 아니면 더 이야기할까요?",
        CUT,
    ]
    for reply in cases:
        with subtests.test(reply=reply):
            talk = Talk()
            talk.set(wrap_up=WrapUp(stage=WrapUpStage.SUGGESTED, reason=BOUNDED))
            talk.model.scripts["counselor"] = reply  # type: ignore[assignment]

            said = await talk.say("그냥 집에 있었어요")
            assert said.directive["stance"] == "propose_wrap_up"
            assert said.reply.endswith(content().messages(Locale.KO, Register.FORMAL).text("propose_wrap_up"))
            assert said.reply.count("?") == 1
            assert said.state.wrap_up is not None
            assert said.state.wrap_up.stage is WrapUpStage.PROPOSED


async def test_a_wrap_up_that_no_model_could_propose_stays_suggested_and_no_yes_is_read() -> None:
    talk = Talk()
    talk.set(wrap_up=WrapUp(stage=WrapUpStage.SUGGESTED, reason=BOUNDED))
    talk.model.scripts["counselor"] = ModelUnavailable("503")
    said = await talk.say("그냥 집에 있었어요")
    assert said.directive["stance"] == "propose_wrap_up"
    assert said.state.wrap_up is not None
    assert said.state.wrap_up.stage is WrapUpStage.SUGGESTED
    assert (await talk.say("네")).state.status is SessionStatus.ACTIVE


async def test_a_user_who_is_never_calm_is_asked_all_the_same_after_a_few_turns() -> None:
    talk = Talk()
    templates = content().templates("first_session", Locale.KO, Register.FORMAL)
    talk.happen(ClosingStarted(tasks=closing_tasks(templates)))
    covered = [
        TaskCovered(task_id=one.id, reason=SufficientReason.REPLY, seq=max(1, talk.state.seq))
        for one in talk.state.tasks
        if not one.covered
    ]
    talk.happen(*covered)
    talk.model.scripts["user_state_detector"] = user_state_reading(emotion="sadness", intensity=9)

    stances = [
        (await talk.say("너무 슬퍼서 계속 눈물이 나요")).directive["stance"] for _ in range(HELD_BACK_AT_THE_END + 3)
    ]

    assert stances.index("confirm_end") == HELD_BACK_AT_THE_END + 1, "all was covered in turn 1"


@pytest.mark.parametrize("locale", Locale)
async def test_the_counselor_is_told_that_all_is_covered_or_that_they_asked_and_never_both(locale: Locale) -> None:
    talk = Talk(locale=locale.value)
    talk.happen(ClosingStarted(tasks=closing_tasks(content().templates("first_session", locale, Register.FORMAL))))
    for one in talk.state.tasks:
        talk.happen(TaskCovered(task_id=one.id, reason=SufficientReason.REPLY, seq=1))
    wants = {Locale.KO: "멈추고 싶은 것 같습니다", Locale.EN: "They seem to want to stop"}[locale]
    covered = {Locale.KO: "나눌 것은 다 나누었습니다", Locale.EN: "All that the closing was for"}[locale]
    plain, enough = {
        Locale.KO: ("오늘은 날이 좋네요", ENOUGH),
        Locale.EN: ("The weather is nice today", "let's stop here for today"),
    }[locale]

    said = await talk.say(plain)
    assert (said.directive["stance"], said.directive["end_cause"]) == ("confirm_end", "covered")
    told = talk.model.asked("counselor")[-1].system
    assert (covered in told, wants in told) == (True, False)

    said = await talk.say(enough)
    assert said.state.ended or said.directive["end_cause"] == "asked"
    asked = Talk(locale=locale.value)
    assert (await asked.say(enough)).directive["end_cause"] == "asked"
    told = asked.model.asked("counselor")[-1].system
    assert (covered in told, wants in told) == (False, True)
