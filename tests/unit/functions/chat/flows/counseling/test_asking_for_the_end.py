"""The question whether to end is in the reply with any text of the model; a yes counts only after it; the farewell."""

import pytest

from functions.chat.flows.counseling.farewell import farewell
from shared.content.catalogue import content
from shared.domain.conversation import Consent
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.session import SessionStatus, WrapUp, WrapUpStage
from shared.domain.errors import ModelStreamBroken, ModelUnavailable
from shared.lexicon.asking import asks_of
from shared.locale import Locale, Register
from tests.builders.sessions import NOW, session
from tests.builders.talk import Talk, speaking
from tests.fakes.scripted_model import Stream

MESSAGES = content().messages(Locale.KO, Register.FORMAL)
QUESTION, PROPOSAL = MESSAGES.variants("confirm_end")[0], MESSAGES.variants("propose_wrap_up")[0]
ENOUGH = {Locale.KO: "오늘은 여기까지 할게요", Locale.EN: "let's stop here for today"}
PLAIN = {Locale.KO: "오늘은 날이 좋네요", Locale.EN: "The weather is nice today"}
CUT = Stream(("많이 지치셨을 것 같아요. ", "오늘 이야기를 많이 나눴네요. ", "여기서"), error=ModelStreamBroken("cut"))


def suggested(reply):
    """Return a talk in which the wrap-up is suggested and the Counselor gives this reply."""
    talk = speaking(counselor=reply)
    talk.set(wrap_up=WrapUp(stage=WrapUpStage.SUGGESTED, reason=BOUNDED))
    return talk


@pytest.mark.parametrize(
    ("locale", "register", "text", "yes"),
    [
        (Locale.KO, Register.FORMAL, ENOUGH[Locale.KO], "네, 좋아요"),
        (Locale.KO, Register.CASUAL, "오늘은 여기까지 할게", "응"),
        (Locale.EN, Register.FORMAL, ENOUGH[Locale.EN], "yes"),
    ],
)
async def test_without_a_model_fixed_words_ask_a_user_who_wants_to_end_and_a_yes_ends(locale, register, text, yes):
    talk = Talk(locale=locale.value, register=register.value)
    talk.model.scripts = {}
    asked = await talk.say(text)
    messages = content().messages(locale, register)
    received, _, question = asked.reply.partition("\n\n")
    assert received in messages.variants("received_leaving")
    assert question == messages.variants("confirm_end")[0]
    assert asked.outcome.flags == ("degraded",)
    assert (await talk.say(yes)).state.status is SessionStatus.COMPLETED


HARD = "엄마가 돌아가신 뒤로 계속 혼자였어요. 오늘은 그만할게요"
BARE = "오늘은 이쯤에서 마칠까요? 남은 이야기가 있으면 더 하셔도 돼요."


@pytest.mark.parametrize(
    ("said", "spoken", "received"),
    [
        (HARD, BARE, "received_hard"),
        (HARD, f"{BARE} 엄마를 떠나보내고 혼자 지내셨군요.", "received_hard"),
        (HARD, "그럼요. 날이 많이 춥네요. 오늘은 이쯤에서 마칠까요?", "received_hard"),
        ("너무 슬퍼요. 오늘은 그만할게요", BARE, "received_feeling"),
        ("이제 후련해요. 오늘은 그만할게요", BARE, "received_good"),
        ("아니요, 없어요. 오늘은 그만할게요", BARE, "received_short"),
        ("어제는 친구를 만났어요. 오늘은 그만할게요", BARE, "received"),
        ("오늘은 그만할게요", BARE, "received_leaving"),
    ],
)
@pytest.mark.parametrize("model", [True, False])
async def test_a_sentence_that_fits_the_message_comes_before_the_question(model, said, spoken, received):
    talk = speaking(counselor=spoken)
    if not model:
        talk.model.scripts = {}
    asked = await talk.say(said)
    first, _, rest = asked.reply.partition("\n\n")
    assert first in MESSAGES.variants(received)
    assert rest.startswith(spoken if model else QUESTION)
    assert ("119" in rest) is not (model or received == "received_leaving"), "nobody has read what was told beside it"
    assert (asked.reply.count("?"), talk.state.wrap_up.stage) == (1, WrapUpStage.PROPOSED)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (HARD, "엄마를 떠나보내고 혼자 지내 오셨군요."),
        (HARD, "‘계속 혼자였다’는 말이 마음에 남아요."),
        ("너무 슬퍼요. 오늘은 그만할게요", "많이 슬프셨군요."),
        ("오늘은 그만할게요", "네, 알겠어요."),
    ],
)
async def test_nothing_is_added_to_a_reply_that_takes_up_the_message_before_its_question(said, told):
    reply = f"{told} {BARE}"
    assert (await speaking(counselor=reply).say(said)).reply == reply


async def test_no_wording_of_the_question_comes_twice_before_all_were_used_however_long_ago():
    talk = speaking(counselor="네, 오늘은 그만하고 싶으시군요. 오늘은 여기서 마무리할까요?")
    asked = []
    for _ in range(5):
        asked += asks_of((await talk.say(ENOUGH[Locale.KO])).reply)
        await talk.say("아니요, 더 얘기할래요")
        talk.set(recent=())
    assert len({*asked}) == len(asked) == 5, asked
    again = asks_of((await talk.say(ENOUGH[Locale.KO])).reply)
    assert list(again) == asked[:1], "the least recent one"


async def test_the_fixed_question_is_appended_to_a_reply_that_does_not_ask():
    still = "그 마음이 지금도 남아 있나요?"
    guarded = "네, 오늘 애쓰셨어요. 오늘 상담을 여기서 마치겠습니다."
    for reply in ("오늘 이야기 나눠 주셔서 고마워요.", f"고마워요. {still}", still, CUT, guarded):
        talk = speaking(counselor=reply)
        asked = await talk.say(ENOUGH[Locale.KO])
        assert (asked.reply.endswith(QUESTION), asked.reply.count("?")) == (True, 1), reply
        assert (talk.state.wrap_up.stage, "guarded" in asked.outcome.flags) == (WrapUpStage.PROPOSED, reply == guarded)
        assert (await talk.say("네")).state.ended
    for reply in ("네, 그렇군요.", f"네, 그렇군요. {still}", CUT):
        said = await suggested(reply).say(PLAIN[Locale.KO])
        assert said.directive["stance"] == "propose_wrap_up"
        assert (said.reply.endswith(PROPOSAL), said.reply.count("?")) == (True, 1), reply
        assert said.state.wrap_up.stage is WrapUpStage.PROPOSED


async def test_a_reply_that_asks_is_unchanged_unless_it_asks_about_moving_on_to_the_closing():
    why = "왜 하필 나일까, 하는 마음이셨군요. 오늘은 이쯤에서 마무리해도 괜찮으실까요?"
    for reply, shown in (
        ("그러셨군요. 오늘은 여기서 마칠까요?", None),
        (why, None),
        ("그러셨군요. 이제 마무리로 넘어가도 괜찮을까요?", f"그러셨군요.\n\n{QUESTION}"),
    ):
        assert (await speaking(counselor=reply).say(ENOUGH[Locale.KO])).reply == (shown or reply)


async def test_a_wrap_up_that_the_model_failed_to_propose_stays_suggested_and_ignores_a_yes():
    talk = suggested(ModelUnavailable("503"))
    assert (await talk.say(PLAIN[Locale.KO])).directive["stance"] == "propose_wrap_up"
    assert talk.state.wrap_up.stage is WrapUpStage.SUGGESTED
    assert (await talk.say("네")).state.status is SessionStatus.ACTIVE


@pytest.mark.parametrize("granted", [True, False])
def test_the_farewell_promises_a_summary_unless_a_consent_was_withdrawn(granted):
    consent = Consent(granted=granted, version="1", at=NOW, withdrawn_at=None if granted else NOW)
    for locale, promise in {Locale.KO: "정리해 둘게요", Locale.EN: "I will put together"}.items():
        left = session(locale=locale, consents={"overseas_transfer": consent})
        assert (promise in farewell(content(), left)) is granted, locale
