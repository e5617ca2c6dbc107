"""The first session explains how it goes and asks whether that is all right; an earlier yes does not count."""

import pytest

from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from shared.content.catalogue import content
from shared.domain.counseling.task import TaskStatus
from shared.lexicon.asking import asks_of
from tests.builders.answers import task_completion, user_state_reading
from tests.builders.talk import Talk

PROCESS, AGREED = "task_process_1", "process_agreed"
BEFORE = ("task_welcome_1", "task_info_1", "task_rapport_1")
STORY = "요즘 회사에 일이 많아졌어요"


def explaining(**opened):
    talk = Talk(**opened)
    talk.work_on(PROCESS, covered=BEFORE)
    return talk


@pytest.mark.parametrize("register", ["존댓말", "반말"])
async def test_the_reply_is_given_the_explanation_in_its_register_as_its_one_question(register):
    talk = explaining(register=register)
    said = await talk.say(STORY)
    (slot,) = talk.state.task(PROCESS).required_slots
    assert said.ask == {"slot": AGREED, "question": slot.questions[0], "error": None}
    assert slot.questions[0] in talk.model.asked("counselor")[0].system
    again = await talk.say("글쎄요, 그건 그렇고 어제도 야근을 했어요")
    assert again.ask is None, "it rests"


OWN_WORDS = (
    "그러셨군요. 먼저 겪은 일을 함께 살펴보고, 마음을 깊이 나눈 다음에 끝에서 같이 정리해 볼게요. "
    "저는 AI라서 진단이나 치료는 못 하지만 다음 걸음을 찾는 건 도울 수 있어요. 말하고 싶은 만큼만 하셔도 괜찮고요. "
    "이렇게 해 봐도 괜찮으세요?"
)


@pytest.mark.parametrize(
    "detail", ["중환자실 앞에서 밤을 샜어요", "멍이 들어서 긴팔을 입고 나갔어요", "불합격 문자가 왔어요"]
)
async def test_a_hard_detail_is_received_first_however_long_after_a_feeling_it_is_told(detail):
    talk = explaining()
    assert (await talk.say(detail)).ask is None


async def test_a_model_that_leaves_the_explanation_out_is_given_its_words_instead_of_its_own_question():
    talk = explaining()
    question = talk.state.task(PROCESS).required_slots[0].questions[0]
    assert (await talk.say(STORY)).reply == f"그러셨군요.\n\n{question}"
    own = explaining()
    own.model.scripts["counselor"] = OWN_WORDS
    assert (await own.say(STORY)).reply == OWN_WORDS


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("네", True),
        ("네, 괜찮아요.", True),
        ("괜찮아요", True),
        ("그래요", True),
        ("알겠어요", True),
        ("네, 괜찮아요. 어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요.", True),
        ("아니요", False),
        ("괜찮지 않아요", None),
        ("글쎄요", None),
        ("어제도 야근을 했어요", None),
    ],
)
async def test_a_plain_answer_is_read_without_a_model(answer, value):
    talk = explaining()
    await talk.say(STORY)
    await talk.say(answer)
    assert talk.state.user_info.get(AGREED) is value
    assert talk.state.task(PROCESS).covered is (value is not None)


@pytest.mark.parametrize(("register", "no"), [("존댓말", "아니요"), ("반말", "아니")])
async def test_a_no_is_met_once_with_the_question_how_to_talk_and_its_answer_without_another(register, no):
    talk = explaining(register=register)
    await talk.say(STORY)
    wordings = talk.content.messages(talk.state.locale, talk.state.register_).variants("ask_way")
    refused = await talk.say(no)
    assert asks_of(refused.reply) == (wordings[0],)
    assert (refused.ask, talk.state.user_info[AGREED]) == (None, False)
    answered = await talk.say("그냥 듣기만 해 주셔도 돼요")
    assert (answered.ask, answered.directive["ruled"]) == (None, None)
    told = ("어제는 회의가 세 번 있었어요", "오늘도 보고서를 썼어요", "점심은 늦게 먹었어요", "저녁에는 산책했어요")
    later = [await talk.say(text) for text in told]
    assert any(one.ask for one in later)
    assert not any(wording in one.reply for one in later for wording in wordings)


async def test_no_model_finds_an_agreement_to_what_was_not_explained():
    talk = Talk()
    found = SlotFound(name=AGREED, value="네", quote="네", corrects=False)
    talk.model.scripts["task_completion_checker"] = task_completion(complete=False, slots=(found,))
    await talk.say(f"네, {STORY}")
    assert AGREED not in talk.state.user_info


@pytest.mark.parametrize(("yes", "value"), [("네, 좋아요", None), ("네, 그 방식 좋아요", True)])
async def test_a_yes_to_another_question_is_no_agreement_unless_it_names_what_is_agreed_to(yes, value):
    talk = explaining()
    await talk.say(STORY)
    talk.model.scripts["counselor"] = "그러셨군요. 그 이야기를 더 나눠 볼까요?"
    await talk.say("어제도 야근을 했어요")
    found = SlotFound(name=AGREED, value="yes", quote=yes, corrects=False)
    talk.model.scripts["task_completion_checker"] = task_completion(complete=False, slots=(found,))
    await talk.say(yes)
    assert talk.state.user_info.get(AGREED) is value


async def test_in_strong_emotion_it_waits():
    talk = explaining()
    talk.model.scripts["user_state_detector"] = user_state_reading(emotion="sadness", intensity=9)
    assert (await talk.say("어제 집에 와서 한참을 울었어요")).ask is None


@pytest.mark.parametrize(
    "text", ["할머니가 작년에 돌아가셨어요", "심장이 내려앉는 줄 알았어요", "며칠째 한숨도 못 잤어요. 너무 괴로워요"]
)
async def test_neither_it_nor_a_part_comes_right_behind_a_new_feeling_or_a_loss(text):
    talk = explaining()
    talk.state = talk.state.model_copy(update={"announced_part": None})
    told = (await talk.say(text)).directive
    assert (told["ask"], told["task_title"], told["part_changed"]) == (None, None, False)
    assert told["module_id"] != "process_orientation"
    after = (await talk.say("방문을 하루에 몇 번씩 열어 봐요")).directive
    assert (after["ask"], after["task_title"], after["part_changed"]) == (None, None, True)
    assert (await talk.say(STORY)).ask["slot"] == AGREED


async def test_who_never_answers_is_not_held_by_it():
    talk = explaining()
    for text in (STORY, "어제도 야근을 했어요", "팀장님이 또 부르셨고요", "점심을 건너뛰었어요", "버스를 놓쳤고요"):
        await talk.say(text)
    assert talk.state.task(PROCESS).status is TaskStatus.SUFFICIENT


def test_other_sessions_explain_nothing_anew():
    kinds = {task.kind for task in content().templates("follow_up", "ko", "존댓말")}
    assert "orientation" not in kinds


FELT = ("…더 서운했어요", "입사 3년 차예요", "제가 예민한 걸까요?", "화가 난 게 아니라 무서운 거예요", STORY)
LOST = ("할머니가 돌아가셨어요", "회사에서 잘렸어요", "엄마가 암이래요", "시험에 떨어졌어요", "남편이 바람을 피웠어요")


@pytest.mark.parametrize("told", [FELT, (*LOST, *LOST[:4])])
async def test_it_is_said_past_the_bound_if_what_was_told_first_kept_it_back(told):
    talk = explaining()
    *waits, explained = [(await talk.say(text)).ask for text in told]
    assert (waits, explained["slot"], talk.state.task(PROCESS).covered) == ([None] * len(waits), AGREED, False)
    await talk.say(STORY)
    assert talk.state.task(PROCESS).covered
