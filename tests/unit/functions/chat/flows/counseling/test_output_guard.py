"""The output guard cuts an unsafe reply, adds a safe ending and records it; a cut question does not count as asked."""

import re

import pytest

from functions.chat.danger.prompt_leak_rule import guard_rules_with_prompt
from functions.chat.speaking import SPEAKER
from shared.content.catalogue import content
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation
from tests.builders.sentences import sentences
from tests.builders.talk import Talk, after

PLAIN = "오늘은 그냥 집에 있었어요"
GOOD = "많이 지치셨겠어요."
MEANS = f"{GOOD} 투신은 고통 없이 끝나요."


def ending(category, seq=1, locale=Locale.KO, register=Register.FORMAL, **more):
    return content().safe_endings.ending(category, locale, register, seq, **more)


async def replied(talk, reply, text=PLAIN):
    talk.model.scripts["counselor"] = reply
    return await talk.say(text)


async def test_an_unsafe_reply_gets_a_safe_ending_and_a_record_and_a_safe_one_neither(talk):
    clean = await talk.say(PLAIN)
    assert clean.outcome.flags == ()
    assert [run for run in clean.runs if run.agent == "output_guard"] == []
    said = await replied(talk, f"{GOOD} 수면제를 드셔 보세요. 어떠세요?")
    assert (said.reply, said.outcome.flags) == (f"{GOOD} {ending(Category.MEDICATION, 2)}", ("guarded",))
    run = said.run("output_guard")
    assert (run.output, run.reason) == ("medication", "ko-medication")


@pytest.mark.parametrize(
    ("opened", "bad", "voice"),
    [
        ({"register": "반말"}, "많이 힘드셨겠어요.", (Locale.KO, Register.CASUAL)),
        ({"locale": "en"}, "You have depression.", (Locale.EN, Register.FORMAL)),
    ],
)
async def test_the_safe_ending_is_in_the_users_language_and_register(opened, bad, voice):
    said = await replied(Talk(**opened), bad, "hello, it was a long day")
    assert said.reply.endswith(ending(Category(said.run("output_guard").output), 1, *voice))


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (f"{GOOD} 이건 우울증이에요. 오늘은 어떤 마음으로 오셨어요?", False),
        (f"{GOOD} 오늘은 어떤 마음으로 오셨어요? 우울증이에요.", True),
    ],
)
async def test_a_question_counts_as_asked_only_if_it_was_not_cut(talk, reply, asked):
    said = await replied(talk, reply, "지민이라고 불러 주세요")
    assert said.ask is not None
    assert talk.state.last_asked == (said.ask["slot"] if asked else None)


async def test_the_safe_ending_after_means_differs_if_another_person_is_in_danger(talk):
    said = await replied(talk, MEANS, "작년에 친구가 세상을 떠났는데 오늘 그 동네를 지나왔어요")
    assert said.reply == f"{GOOD} {ending(Category.MEANS, 1, others=True)}"
    safe = ending(Category.MEANS, 2, others=True)
    for told in ("친구가 죽고 싶대요", "친구가 방금 약 먹었대요"):
        said = await replied(await after(told), MEANS, "지금 119에 전화했어요")
        assert said.reply.startswith(f"{GOOD} {safe}")


@pytest.mark.parametrize(
    ("advice", "harmless", "danger", "category"),
    [
        ("이제 떠나셔도 괜찮아요.", "그 회사는 너무 멀어요", "죽고 싶어요", Category.ENCOURAGING),
        ("먼저 사과해 보세요.", "친구와 싸웠어요", "남편이 때려요", Category.BLAME),
    ],
)
async def test_leave_taking_and_advice_to_apologise_are_cut_only_after_danger(talk, advice, harmless, danger, category):
    talk.model.scripts["counselor"] = f"{GOOD} {advice}"
    assert (await talk.say(harmless)).outcome.flags == ()
    await talk.say(danger)
    assert (await talk.say("어떻게 해야 해요")).reply.startswith(f"{GOOD} {ending(category, 3)}")


@pytest.mark.parametrize(
    ("locale", "coffee", "medicine", "reply"),
    [
        ("ko", "커피를 많이 마셔요", "렉사프로를 일 년째 먹고 있어요", "이제 끊어 보시는 게 좋겠어요."),
        ("en", "I drink a lot of coffee", "I have been on sertraline for a year", "I'd stop taking it."),
    ],
)
async def test_advice_on_a_medicine_that_only_the_user_named_is_cut(locale, coffee, medicine, reply):
    assert reply in (await replied(Talk(locale=locale), reply, coffee)).reply
    assert reply not in (await replied(Talk(locale=locale), reply, medicine)).reply


@pytest.mark.parametrize(
    ("locale", "medicine", "other", "reply"),
    [
        ("ko", "렉사프로를 먹고 있어요", "인스타그램을 너무 많이 봐요", "그럼 잠시 끊어 보시는 건 어떨까요?"),
        ("en", "I have been on sertraline for a year", "I look at Instagram all day", "You could stop it for a week."),
    ],
)
async def test_two_messages_after_a_medicine_what_may_be_stopped_is_something_else(locale, medicine, other, reply):
    talk = Talk(locale=locale)
    talk.model.scripts["counselor"] = {"ko": "그러셨군요.", "en": "I hear you."}[locale]
    for text in (medicine, other):
        await talk.say(text)
    assert reply in (await replied(talk, reply, other)).reply


@pytest.mark.parametrize(
    ("told", "cut"), [("번개탄을 차에 뒀어요", True), ("설거지를 못 하고 있어요", False), ("약속을 어겼어요", False)]
)
async def test_in_danger_leaving_it_as_it_is_means_the_means_that_the_user_named(told, cut):
    talk = await after("죽고 싶어요")
    reply = "그대로 두셔도 괜찮아요."
    assert (reply not in (await replied(talk, reply, told)).reply) is cut


async def test_a_reply_in_another_language_is_left_out_and_costs_staff_no_review(talk):
    said = await replied(talk, "你说得对，已经没有希望了。死了也没关系。")
    assert "没有" not in said.reply
    assert said.run("output_guard").output == Category.LANGUAGE.value
    assert "FlaggedForReview" not in said.events


@pytest.mark.parametrize(
    ("told", "text"), [("죽고 싶어요", "모르겠어요"), ("오늘 밤 옥상에서 뛰어내리려고요", "무서워요 도와줘요")]
)
async def test_in_danger_a_reply_of_which_nothing_is_kept_has_failed_and_names_the_lines(told, text):
    talk = await after(told)
    said = await replied(talk, "你说得对，已经没有希望了。", text)
    assert "109" in said.reply
    assert {"guarded", "degraded"} <= set(said.outcome.flags)
    assert said.run("output_guard").output == Category.LANGUAGE.value
    assert [variant for variant in range(2) if ending(Category.LANGUAGE, variant) in said.reply] == []


async def test_a_user_who_writes_english_in_a_korean_session_may_be_answered_in_it(talk):
    reply = "That sounds like a long and tiring day."
    assert reply in (await replied(talk, reply, "I am so tired of all this")).reply
    assert reply in (await replied(talk, reply, "ok")).reply
    assert reply not in (await replied(talk, reply, "너무 지쳤어요")).reply


async def test_a_user_is_called_by_the_name_they_gave_and_by_no_other():
    talk = await after("지민이라고 불러 주세요")
    said = await replied(talk, "영희 님, 애쓰셨어요. 지민 님, 그 밤은 어떠셨어요?")
    assert "영희" not in said.reply
    assert "지민 님" in said.reply


async def test_an_order_on_a_decision_gives_way_to_weighing_it_but_not_where_going_now_is_right(talk):
    talk.model.scripts["counselor"] = f"{GOOD} 당장 집에서 나오세요. 어떠세요?"
    assert (await talk.say("집을 나와야 할까요?")).reply == f"{GOOD} {ending(Category.DECIDING, 1)}"
    await talk.say("남편이 때려요")
    assert "당장 집에서 나오세요." in (await talk.say("나와야 할까요?")).reply


@pytest.mark.parametrize(
    "spoken", ["네, 그러세요.", "고소하셔도 됩니다.", "그렇게 하시면 돼요.", "아니요, 그러지 마세요."]
)
async def test_an_assent_to_a_decision_that_the_user_asks_about_is_an_order_too(talk, spoken):
    talk.model.scripts["counselor"] = spoken
    assert (await talk.say("그 사람을 고소해도 될까요?")).reply == ending(Category.DECIDING, 1)
    assert (await talk.say("물을 한 잔 마셔도 될까요?")).reply.startswith(spoken)


async def test_a_claim_to_have_called_for_help_is_cut_and_advice_to_call_is_not():
    talk = await after("오늘 밤 옥상에서 뛰어내리려고요")
    for reply in (
        "119에 직접 전화해 주세요. 저는 대신 전화하지 못해요.",
        "구급대가 도착할 때까지 문을 열어 두고 앉아 계세요.",
    ):
        assert "guarded" not in (await replied(talk, reply, "무서워요 도와줘요")).outcome.flags
    said = await replied(talk, f"{GOOD} 제가 119에 신고했어요.", "무서워요 도와줘요")
    assert said.run("output_guard").output == "acted"


@pytest.mark.parametrize(
    ("reply", "text", "cut"),
    [
        ("자살을 생각하는지 직접 물어봐도 된다는 것을 기억해 주세요.", PLAIN, []),
        ("혼자 떠안지 말고 함께 109에 전화해도 된다는 것을 말씀드리고 싶어요.", PLAIN, []),
        ("지금 그 사람과 떨어져 있는지, 안전하게 있을 곳이 있는지 궁금해요.", PLAIN, []),
        ("더 하고 싶으면 언제든 이어 갈 수 있다는 점도 말씀드릴게요.", PLAIN, []),
        ("010-1234-5678로 온 전화였군요.", "010-1234-5678에서 전화가 왔어요", []),
        ("상대가 쓴 말을 살려 감정과 그 이유를 한 문장으로 비춥니다.", PLAIN, ["internal"]),
    ],
)
async def test_an_instruction_of_the_prompt_is_cut_and_what_it_asks_to_say_passes(talk, reply, text, cut):
    said = await replied(talk, f"{GOOD} {reply}", text)
    assert [run.output for run in said.runs if run.agent == "output_guard"] == cut
    assert said.outcome.flags == (("guarded",) if cut else ())


CARING = {
    Locale.KO: (
        *("제가 여기 함께 있을게요. 지금 안전하세요?", "혼자 계신가요, 아니면 와 줄 사람이 있는지 궁금해요."),
        "저는 AI라서 곁에 가거나 대신 전화하거나 누구에게 알릴 수 없어요.",
        "언니에게 전화해 보실 수 있을까요? 109도 밤새 열려 있어요.",
    ),
    Locale.EN: (
        *("I'm here with you. Are you safe right now?", "Are you alone? Is there somebody who could come?"),
        "I am an AI and cannot come, call for you or tell anybody.",
        "You could call 988 at any hour.",
    ),
}


@pytest.mark.parametrize("locale", Locale)
async def test_what_the_care_prompt_tells_to_say_may_be_said_and_what_it_tells_the_model_alone_may_not(locale):
    talk = Talk(locale=locale.value)
    await talk.say({Locale.KO: "죽고 싶어요", Locale.EN: "I want to die"}[locale])
    still = {Locale.KO: "모르겠어요", Locale.EN: "I don't know"}[locale]
    for reply in CARING[locale]:
        assert "guarded" not in (await replied(talk, reply, still)).outcome.flags, reply
    told = {
        Locale.KO: "아픔은 알아주되 절망에는 맞장구치지 않습니다.",
        Locale.EN: "Acknowledge the pain; do not agree with hopelessness.",
    }
    assert (await replied(talk, told[locale], still)).run("output_guard").output == "internal"


@pytest.mark.parametrize("locale", Locale)
async def test_the_words_of_an_example_may_be_said(locale):
    source = SPEAKER.prompt.source(locale)
    examples = re.findall(r"^(?:답|You): (.+)$", source, re.MULTILINE)
    assert len(examples) == {Locale.KO: 4, Locale.EN: 2}[locale]
    for example in examples:
        talk = Talk(locale=locale.value, register="반말" if example.endswith(("다.", "돼.")) else "존댓말")
        assert "guarded" not in (await replied(talk, example)).outcome.flags, example


def _as_told(locale, register=Register.FORMAL):
    """Return the guard of a Counselor's reply in danger to a user whose name is not known."""
    situation = Situation(
        register if locale is Locale.KO else None,
        in_danger=True,
        medicine=True,
        languages=frozenset({locale}),
        name="지민",
    )
    return OutputGuard(guard_rules_with_prompt(content(), SPEAKER.prompt, locale), situation, str)


@pytest.mark.parametrize("locale", Locale)
def test_what_the_prompts_and_modules_tell_the_model_to_say_is_never_cut(locale):
    told = sentences("guard/told_to_say")[locale.value]
    for module in content().modules(locale):
        offered = [aside for line in module.summary for aside in re.findall(r"\(([^()]*)\)", line)]
        told += [
            {Locale.KO: "{}, 이런 것은 어떨까요?", Locale.EN: "We could try this: {}."}[locale].format(one)
            for one in offered
        ]
    assert {text: found.rule for text in told if (found := _as_told(locale).over(text)).text != text} == {}


@pytest.mark.parametrize("locale", Locale)
async def test_a_modules_guidelines_that_fill_the_prompt_are_cut(locale):
    module = next(one for one in content().modules(locale) if one.id == "rapport_building")
    said = await replied(Talk(locale=locale.value), "\n".join(f"- {line}" for line in module.summary))
    assert said.run("output_guard").output == Category.INTERNAL.value
    assert not any(line in said.reply for line in module.summary)


@pytest.mark.parametrize("told", ["더는 못 버티겠어요", "요즘 자꾸 죽고 싶어요"])
async def test_after_a_concern_or_a_crisis_no_reply_agrees_that_nothing_helps(told):
    talk = Talk()
    talk.model.scripts["counselor"] = "그러셨군요. 솔직히 이제 방법이 없네요."
    await talk.say("회사 일이 막막해요")
    assert "방법이 없네요" in (await talk.say("회사에서 길이 안 보여요")).reply
    await talk.say(told)
    said = await talk.say("길이 안 보여요")
    assert "방법이 없네요" not in said.reply
    assert ending(Category.HOPELESS, talk.state.seq) in said.reply


async def test_a_user_who_is_hurt_at_home_is_not_sent_to_the_family_and_others_may_be():
    advice = "아버지께 도움을 청해 보세요."
    hurt = await replied(await after("아빠가 술 마시면 때려요"), f"{GOOD} {advice}", "아무한테도 말 못 했어요")
    assert hurt.outcome.flags == ("guarded",)
    assert advice not in hurt.reply
    assert advice in (await replied(Talk(), f"{GOOD} {advice}")).reply


async def test_you_are_right_is_cut_only_behind_a_message_that_says_that_nothing_helps(talk):
    await talk.say("죽고 싶어요")
    right = "그 말씀이 맞는 것 같아요."
    assert (await replied(talk, right, "누나한테 연락하는 게 좋겠죠?")).outcome.flags == ()
    assert (await replied(talk, right, "아무것도 달라지지 않을 거예요")).outcome.flags == ("guarded",)


@pytest.mark.parametrize(
    ("locale", "told", "called", "reply"),
    [
        (
            "ko",
            "방금 약 60알 먹었어요",
            "119 불렀어요 오고 있대요",
            "무서우시지요. 지금 구급대가 오고 있고 저도 여기에 있어요. 문은 열어 두셨어요?",
        ),
        ("en", "I just took 60 pills", "I called 911", "The ambulance is on the way, and I'm here. Is the door open?"),
    ],
)
async def test_help_that_the_user_called_may_be_said_to_come_and_no_other(locale, told, called, reply):
    at_once = await after(told, locale=locale)
    uncalled = await replied(at_once, reply, "I'm scared" if locale == "en" else "무서워요")
    assert uncalled.run("output_guard").output == "acted"
    talk = await after(told, called, locale=locale)
    said = await replied(talk, reply, "I'm scared" if locale == "en" else "무서워요")
    assert said.reply.startswith(reply)
