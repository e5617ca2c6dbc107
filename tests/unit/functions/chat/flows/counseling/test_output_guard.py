"""A counselor's reply that must not be said: cut, ended safely, counted, and no proposal or question left half."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.session import WrapUpStage
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from tests.fakes.talk import Talk

PLAIN = "오늘은 그냥 집에 있었어요"
GOOD = "많이 지치셨겠어요."


def ending(category, seq=1, locale=Locale.KO, register=Register.FORMAL):
    return content().safe_endings.ending(category, locale, register, seq)


async def test_the_reply_ends_safely_and_the_turn_says_why(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 수면제를 드셔 보세요. 어떠세요?"
    said = await talk.say(PLAIN)
    assert (said.reply, said.outcome.flags) == (f"{GOOD} {ending(Category.MEDICATION)}", ("guarded",))
    run = said.run("output_guard")
    assert (run.output, run.reason) == ("medication", "ko-medication")


async def test_in_the_users_language_and_register(subtests):
    cases = [
        ({"register": "반말"}, "많이 힘드셨겠어요.", (Locale.KO, Register.CASUAL)),
        ({"locale": "en"}, "You have depression.", (Locale.EN, Register.FORMAL)),
    ]
    for request_, bad, voice in cases:
        with subtests.test(bad=bad):
            talk = Talk(**request_)
            talk.model.scripts["counselor"] = bad
            said = await talk.say("hello, it was a long day")
            category = Category(said.run("output_guard").output)
            assert said.reply.endswith(ending(category, 1, *voice))


async def test_a_question_that_was_cut_counts_as_not_asked(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 이건 우울증이에요. 오늘은 어떤 마음으로 오셨어요?"
    said = await talk.say("지민이라고 불러 주세요")
    assert said.ask is not None
    assert talk.state.last_asked is None


async def test_a_question_before_the_cut_counts_as_asked(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 오늘은 어떤 마음으로 오셨어요? 우울증이에요."
    said = await talk.say("지민이라고 불러 주세요")
    assert talk.state.last_asked == said.ask["slot"]


async def test_a_proposal_to_end_whose_question_was_cut_is_asked_by_the_rule(talk):
    talk.model.scripts["counselor"] = "네, 오늘 애쓰셨어요. 오늘 상담을 여기서 마치겠습니다."
    said = await talk.say("오늘은 여기까지 할게요")
    assert said.reply.endswith(content().messages(Locale.KO).text("confirm_end"))
    assert talk.state.wrap_up.stage is WrapUpStage.PROPOSED
    assert not talk.state.ended


async def test_a_clean_reply_leaves_no_trace(talk):
    said = await talk.say(PLAIN)
    assert said.outcome.flags == ()
    assert [run for run in said.runs if run.agent == "output_guard"] == []


async def test_the_users_own_number_may_be_repeated(talk):
    talk.model.scripts["counselor"] = "010-1234-5678로 온 전화였군요."
    assert (await talk.say("010-1234-5678에서 전화가 왔어요")).outcome.flags == ()


async def test_means_end_in_other_words_where_the_user_tells_of_somebody_else(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 투신은 고통 없이 끝나요."
    said = await talk.say("작년에 친구가 세상을 떠났는데 오늘 그 동네를 지나왔어요")
    assert (
        said.reply
        == f"{GOOD} {content().safe_endings.ending(Category.MEANS, Locale.KO, Register.FORMAL, 1, others=True)}"
    )


@pytest.mark.parametrize("told", ["친구가 죽고 싶대요", "친구가 방금 약 먹었대요"])
async def test_means_end_in_other_words_where_a_helper_is_helped(talk, told):
    await talk.say(told)
    talk.model.scripts["counselor"] = f"{GOOD} 투신은 고통 없이 끝나요."
    said = await talk.say("지금 119에 전화했어요")
    assert (
        said.reply
        == f"{GOOD} {content().safe_endings.ending(Category.MEANS, Locale.KO, Register.FORMAL, 2, others=True)}"
    )


async def test_a_word_of_leave_is_cut_in_a_follow_through_alone(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 이제 떠나셔도 괜찮아요."
    assert (await talk.say("그 회사에 더 다녀야 할까요")).outcome.flags == ()
    await talk.say("죽고 싶어요")
    said = await talk.say("이제 지쳤어요")
    assert said.reply.startswith(f"{GOOD} {ending(Category.ENCOURAGING, 3)}")


async def test_making_up_with_whoever_hurts_them_is_cut_where_the_user_told_of_it(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 먼저 사과해 보세요."
    assert (await talk.say("친구와 싸웠어요")).outcome.flags == ()
    await talk.say("남편이 때려요")
    assert (await talk.say("어떻게 해야 해요")).run("output_guard").output == "blame"


@pytest.mark.parametrize(
    "reply",
    ["119에 직접 전화해 주세요. 저는 대신 전화하지 못해요.", "구급대가 도착할 때까지 문을 열어 두고 앉아 계세요."],
)
async def test_calling_is_left_to_the_user(talk, reply):
    await talk.say("오늘 밤 옥상에서 뛰어내리려고요")
    talk.model.scripts["counselor"] = reply
    assert "guarded" not in (await talk.say("무서워요 도와줘요")).outcome.flags
    talk.model.scripts["counselor"] = f"{GOOD} 제가 119에 신고했어요."
    assert (await talk.say("무서워요 도와줘요")).run("output_guard").output == "acted"


async def test_what_the_prompt_tells_the_model_to_say_may_be_said(subtests):
    cases = [
        "자살을 생각하는지 직접 물어봐도 된다는 것을 기억해 주세요.",
        "혼자 떠안지 말고 함께 109에 전화해도 된다는 것을 말씀드리고 싶어요.",
        "지금 그 사람과 떨어져 있는지, 안전하게 있을 곳이 있는지 궁금해요.",
        "더 하고 싶으면 언제든 이어 갈 수 있다는 점도 말씀드릴게요.",
    ]
    for reply in cases:
        with subtests.test(reply=reply):
            talk = Talk()
            talk.model.scripts["counselor"] = f"{GOOD} {reply}"
            assert (await talk.say(PLAIN)).outcome.flags == ()


async def test_what_the_prompt_tells_the_model_alone_may_not(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 물을 것이 없으면 묻지 않아도 됩니다."
    assert (await talk.say(PLAIN)).run("output_guard").output == "internal"


@pytest.mark.parametrize("locale", Locale)
async def test_what_the_prompt_is_filled_with_is_no_more_repeated_than_the_prompt(locale):
    module = next(one for one in content().modules(locale) if one.id == "rapport_building")
    talk = Talk(locale=locale.value)
    talk.model.scripts["counselor"] = "\n".join(f"- {line}" for line in module.summary)
    said = await talk.say(PLAIN)
    assert said.run("output_guard").output == Category.INTERNAL.value
    assert not any(line in said.reply for line in module.summary)
