"""While a risk is open, the model's words reach the user whole; what the rules ask comes behind them or gives way."""

import pytest

from shared.content.catalogue import content
from shared.lexicon.asking import asks_of
from shared.safety.help_seeking import Inquiry
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import Topic
from tests.builders.talk import KO, Talk, after

REPLIES, ANSWERS, WORDS = content().crisis_replies, content().crisis_answers, content().help_seeking
STEPS = (
    "우선 안으로 들어와서 문부터 닫아 주실 수 있을까요?",
    "지금 곁에 와 줄 수 있는 사람이 있을까요?",
    "약을 다른 방에 두실 수 있을까요?",
)
DANGER, PLAIN = "요즘 자꾸 죽고 싶어요", "오늘은 그냥 집에 있었어요"
CALM = ("지금은 안전해요. 죽을 생각은 없어요", "이제 죽고 싶지 않아요", "네, 저 안전해요", "정말 안전해요")
BALCONY, PILLS = ("지금 뛰어내리고 싶어요. 베란다 난간이에요",), ("죽고 싶어요", "약을 모아서 앞에 두고 있어요")
DINNER = "오늘 저녁은 드셨어요?"
HEARD = "거기까지 혼자 버티고 계셨군요."
THEIRS, VIOLENCE = "친구가 죽고 싶대요", "남편이 저를 자주 때려요"


async def replied(talk, text, words):
    """Say this to a model that says these words."""
    talk.model.scripts["counselor"] = words
    return (await talk.say(text)).reply


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("told", [BALCONY, PILLS], ids=["balcony", "pills"])
async def test_a_step_of_the_model_is_all_that_one_is_asked_who_is_in_imminent_danger(told, step):
    talk = await after(*told)
    assert talk.state.risk.outcome is CrisisOutcome.IMMINENT
    words = f"{HEARD} {step}"
    assert await replied(talk, "바람이 차가워요", words) == words


@pytest.mark.parametrize("step", STEPS)
async def test_the_direct_question_follows_the_models_step_once_more_while_it_is_not_answered(step):
    talk, words = await after(DANGER), f"{HEARD} {step}"
    first = await replied(talk, PLAIN, words)
    assert first.startswith(f"{words}\n\n")
    assert ANSWERS.asks_directly(first, last=True)
    assert await replied(talk, "저녁에는 비가 왔어요", words) == words


@pytest.mark.parametrize("answer", ["네", "네, 죽고 싶어요. 매일요", "대답하기 싫어요"])
async def test_the_direct_question_does_not_follow_an_answer_or_a_refusal(answer):
    talk = await after(DANGER)
    assert not ANSWERS.asks_directly(await replied(talk, answer, STEPS[1]), last=True)


async def test_a_yes_to_the_direct_question_behind_a_step_is_an_answer():
    talk = await after(DANGER)
    await replied(talk, PLAIN, STEPS[1])
    said = await talk.say("네")
    assert said.outcome.flags == ("crisis",)
    assert REPLIES.questions(Topic.INTENT, KO)[1] not in said.reply


@pytest.mark.parametrize("told", [(DANGER,), BALCONY, (VIOLENCE,), (THEIRS, "걱정돼요")])
async def test_no_question_of_the_model_is_left_out_beside_a_step(told):
    talk = await after(*told)
    words = f"무슨 일이 있으셨어요? {HEARD} 구체적으로 어떤 일이었나요? {STEPS[1]}"
    assert (await replied(talk, PLAIN, words)).startswith(words)


async def test_a_question_in_the_words_of_an_earlier_one_stands_too():
    talk = await after(*BALCONY)
    assert [await replied(talk, text, STEPS[0]) for text in ("추워요", "무서워요")] == [STEPS[0]] * 2


async def test_a_concern_is_asked_about_behind_the_models_question():
    talk = await after(PLAIN)
    reply = await replied(talk, "남편 없이는 더 이상 못 버티겠어요", STEPS[1])
    assert reply == f"{STEPS[1]}\n\n{REPLIES.direct_questions(KO)[0]}"


async def test_the_helper_is_asked_about_themselves_behind_the_models_question():
    talk, step = await after(THEIRS), "지금 그분 곁에 누가 있나요?"
    reply = await replied(talk, "걱정돼요", step)
    assert reply.startswith(step)
    assert ANSWERS.asks_directly(reply, last=True)


async def test_help_that_a_rule_adds_stands_behind_the_models_words():
    talk, words = await after(*BALCONY), f"{HEARD} {STEPS[0]}"
    reply = await replied(talk, "병원비가 부담돼요", words)
    assert reply.startswith(f"{words}\n\n")
    assert asks_of(reply) == (STEPS[0],)


async def test_a_threat_is_not_asked_about_where_the_model_asks():
    talk, words = await after("그 사람을 죽여버리고 싶어요"), "지금 그 사람과 떨어져 계세요?"
    assert await replied(talk, PLAIN, words) == words
    assert asks_of(await replied(talk, PLAIN, HEARD))


async def test_a_correction_leaves_the_models_words_whole_in_anothers_danger():
    talk, words = (
        await after(THEIRS, "걱정돼요", "네 그런데 회사 일도 힘들어요"),
        "회사 일이 많이 힘드시죠. 지금 그분 곁에 누가 있나요?",
    )
    talk.model.scripts["counselor"] = words
    said = await talk.say("힘든 게 아니라 무서운 거예요")
    assert "MisreadTold" in said.events
    assert words in said.reply


async def test_the_question_that_is_due_comes_where_the_model_asks_nothing():
    talk = await after(DANGER)
    reply = await replied(talk, PLAIN, HEARD)
    assert reply == f"{HEARD}\n\n{WORDS.questions(Inquiry.PLAN, KO)[0]}"


async def test_the_model_is_told_what_is_due_so_that_it_asks_it_itself():
    talk = await after(DANGER, PLAIN)
    asked = [request.system for request in talk.model.asked("counselor")][-1]
    assert "언제, 어떻게" in asked
    await talk.say("생각만 해 봤어요")
    assert "손 닿는 곳" in [request.system for request in talk.model.asked("counselor")][-1]


async def test_what_the_model_asks_itself_counts_as_asked():
    talk = await after(DANGER)
    await replied(talk, PLAIN, "구체적으로 계획한 것이 있으세요?")
    assert talk.state.help_seeking.asked.keys() == {Inquiry.PLAN}


async def test_a_follow_through_ends_though_the_model_always_asks_about_safety_itself():
    talk = await after(DANGER)
    followed = []
    for text in CALM:
        reply = await replied(talk, text, "지금은 안전하세요?")
        assert not any(question in reply for question in WORDS.questions(Inquiry.PLAN, KO))
        followed.append(talk.state.risk.follow_through)
    assert followed == [True, True, True, False]


@pytest.mark.parametrize(("told", "before"), [(BALCONY, ()), ((DANGER,), ()), ((DANGER,), ("지금은 안전하세요?",))])
async def test_a_question_about_something_else_lets_no_question_of_safety_lapse(told, before):
    talk = await after(*told)
    asked = [*before, *[DINNER] * 6]
    for text, words in zip(("추워요", "들어왔어요", *CALM), asked, strict=False):
        await replied(talk, text, words)
    assert talk.state.risk.follow_through
    ending = await talk.say("오늘은 그만할래요")
    assert "WrapUpProposed" in ending.events, "the user may leave at any time"


async def test_a_question_held_back_is_waited_for_no_longer_once_the_model_asks_about_safety_or_nothing():
    for words in ("지금은 안전하세요?", HEARD):
        talk = await after(*BALCONY)
        for text in ("추워요", "들어왔어요"):
            await replied(talk, text, DINNER)
        await replied(talk, CALM[0], words)
        await replied(talk, CALM[2], HEARD)
        assert not talk.state.risk.follow_through


async def test_a_question_in_the_users_quoted_words_is_none_of_the_models():
    talk, words = await after(DANGER), '"왜 나만 이럴까?"라고 하신 말씀이 마음에 남아요.'
    reply = await replied(talk, PLAIN, words)
    assert reply == f"{words}\n\n{WORDS.questions(Inquiry.PLAN, KO)[0]}"


@pytest.mark.parametrize("step", ["지금 안전하세요?", *STEPS])
async def test_a_step_is_kept_as_long_as_violence_told_is_open_and_however_often_it_is_asked(step):
    talk = await after(VIOLENCE)
    for turn in range(9):
        words = step if turn in (4, 8) else HEARD
        assert (await replied(talk, f"{turn}시에 집에 있었어요", words)).startswith(words)


@pytest.mark.parametrize("step", STEPS)
async def test_a_step_is_kept_in_the_later_turns_of_a_concern(step):
    talk = await after(PLAIN, "남편 없이는 더 이상 못 버티겠어요", "오늘은 비가 왔어요")
    assert [await replied(talk, text, step) for text in ("빨래를 했어요", "책을 읽었어요")] == [step] * 2


@pytest.mark.parametrize(
    "told",
    [
        ("지금 뛰어내리고 싶어요. 베란다 난간이에요",),
        ("수면제 60알 방금 먹었어요",),
        ("수면제 60알 모아놨어요 죽고 싶어요",),
        (DANGER, "다리 난간에 서 있어요"),
        (DANGER, "손목 그었어요"),
    ],
)
async def test_a_step_is_followed_by_no_question_about_the_means_that_was_told_nor_at_once_about_a_barrier(told):
    talk, step = await after(*told), "안으로 한 걸음만 들어와 주세요."
    replies = [await replied(talk, text, step) for text in ("119 불렀어요", "남편한테 맡겼어요", "무서워요")]
    asked = {about for reply in replies for about in WORDS.asked_in(reply)}
    assert asked.isdisjoint({Inquiry.MEANS, Inquiry.BARRIER})


async def test_a_note_that_was_written_tells_of_no_means():
    talk = await after("유서 써놨어요")
    replies = [await replied(talk, text, HEARD) for text in ("추워요", "비가 와요")]
    assert Inquiry.MEANS in {about for reply in replies for about in WORDS.asked_in(reply)}


@pytest.mark.parametrize("act", ["약 방금 먹었어요 한 60알 졸려요", "방금 손목을 그었는데 피가 안 멈춰요"])
async def test_one_who_has_just_acted_reads_of_the_ambulance_first_and_is_sent_nowhere(act):
    talk = Talk()
    said = await talk.say(act)
    assert "119" in said.reply.partition(".")[0]
    await talk.say("119 불렀어요 오고 있대요")
    alone = await talk.say("지금 혼자 있어요 무서워요")
    assert "StepNamed" not in alone.events
    assert "119" not in alone.reply.partition(".")[0]
