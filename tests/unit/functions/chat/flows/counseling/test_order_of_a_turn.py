"""Feeling before form, safety before the task, one question a reply, and signs from several turns."""

import pytest

from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from shared.content.catalogue import content
from shared.domain.counseling.background_events import Reviewed
from shared.domain.counseling.task import TaskKind, TaskStatus, signs_needed
from shared.domain.counseling.task_events import TaskStarted
from shared.lexicon.asking import asks_of
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.answers import task_completion, user_state_reading
from tests.builders.sessions import slot, task
from tests.builders.talk import Talk

CHECKER, DETECTOR = "task_completion_checker", "user_state_detector"
PLAIN, SAD, WORSE = "어제는 바다에 다녀왔어요", "요즘 너무 슬퍼요", "잠도 못 자고 회사에서 눈물이 나요"
MERE_CORRECTIONS = ("그 뜻이 아니었어요", "오해하신 것 같아요", "제 말을 잘못 이해하셨어요", "핀트가 안 맞아요")
PERHAPS = "사는 게 의미가 없는 것 같아요"
DARK, SAFE, SAFE_TOO = "죽고 싶어요", "지금은 안전해요. 죽을 생각은 없어요", "네, 저 안전해요. 이제 죽고 싶지 않아요"


@pytest.fixture
def asking(talk):
    """Part 1 in the task that asks for experience, support and coping."""
    talk.work_on("task_persona_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
    return talk


@pytest.fixture
def judged(talk):
    """Part 2 with one judged task in progress and one that waits."""
    talk.plan(task("first", 2, min_turns=2), task("second", 2))
    talk.work_on("first")
    return talk


async def complete(talk, text, evidence=None):
    """Say this; the checker finds the task complete in it."""
    talk.model.scripts[CHECKER] = task_completion(complete=True, evidence=evidence or text)
    return await talk.say(text)


def status(talk, task_id):
    return talk.state.task(task_id).status


class TestANewFeeling:
    async def test_is_received_without_an_intake_question_which_the_next_turn_asks(self, asking):
        assert (await asking.say(SAD)).directive["ask"] is None
        assert (await asking.say(PLAIN)).directive["ask"] is not None

    @pytest.mark.parametrize(
        ("text", "asks"),
        [
            *(("요즘은 덜 불안해요", True), ("덜 불안한 척해요", False)),
            *(("도망치고 싶었어요", False), ("담배를 그만두고 싶어요", True)),
        ],
    )
    async def test_is_no_relief_and_may_be_told_as_a_wish(self, asking, text, asks):
        assert ((await asking.say(text)).directive["ask"] is not None) == asks

    async def test_that_lasts_holds_back_no_question(self, asking):
        asks = [(await asking.say(text)).directive["ask"] is not None for text in (SAD, "오늘도 슬퍼요")]
        assert asks == [False, True]

    async def test_in_other_words_is_received_again_for_two_messages_in_a_row(self, asking):
        told = (SAD, PLAIN, "그 말이 서운했어요", "그냥 무너졌어요", "또 눈물이 나요")
        asks = [(await asking.say(text)).directive["ask"] is not None for text in told]
        assert asks == [False, True, False, False, True]

    async def test_holds_back_the_question_whether_to_close(self, judged):
        judged.work_on("second", covered=["first", "second"])
        judged.model.scripts[DETECTOR] = user_state_reading(emotion="sadness", intensity=5)
        assert (await judged.say(WORSE)).directive["proposes"] is None


class TestSafetyGoesFirst:
    @pytest.mark.parametrize(
        "said", [[DARK, SAFE, SAFE_TOO], ["사는 게 의미가 없는 것 같아요", "아니요, 그런 뜻은 아니에요"]]
    )
    async def test_words_about_a_danger_cover_no_task_and_count_no_turn(self, judged, said):
        for text in said:
            await complete(judged, text)
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, ())
        assert (judged.state.task("first").turns_spent, judged.model.asked(CHECKER)) == (0, [])

    @pytest.mark.parametrize(
        ("told", "safe"),
        [
            ("남편이 저를 때려요", ["네, 지금은 안전해요", "네, 언니한테 알렸어요", "네, 언니 집에 와 있어요"]),
            ("친구가 죽고 싶대요", ["네, 안전하대요", "아니요, 저는 그런 생각 없어요", "네, 부모님이랑 있대요"]),
            ("어릴 때 아빠한테 맞았어요", ["네, 지금은 안전해요"]),
        ],
    )
    async def test_answers_to_a_question_about_safety_are_no_evidence_then_or_later(self, judged, told, safe):
        judged.model.scripts["counselor"] = "말씀해 주셔서 고마워요. 지금은 안전하세요?"
        await complete(judged, told)
        signs = judged.state.task("first").signs
        for text in safe:
            await complete(judged, text)
        judged.model.scripts["counselor"] = "그러셨군요."
        for text in (PLAIN, "점심을 먹었어요", "저녁도 먹었어요"):
            await complete(judged, text, evidence=safe[0])
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, signs)

    async def test_a_denial_of_danger_quoted_after_the_crisis_is_no_evidence(self, judged):
        for text in (DARK, SAFE, SAFE_TOO, "아니요, 없어요"):
            await judged.say(text)
        for text in (PLAIN, "점심을 먹었어요", "저녁도 먹었어요"):
            await complete(judged, text, evidence="죽을 생각은 없어요")
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, ())

    async def test_a_danger_that_the_model_finds_covers_nothing_in_its_turn(self, talk):
        talk.plan(task("first", 2), task("second", 2))
        talk.work_on("first")
        talk.model.scripts[DETECTOR] = user_state_reading(risk="concern")
        await complete(talk, PLAIN)
        assert status(talk, "first") is TaskStatus.IN_PROGRESS

    async def test_company_without_any_danger_is_evidence_like_other_words(self, judged):
        for text in ("언니랑 같이 있으면 편해요", "언니한테 그 일을 털어놨어요"):
            await complete(judged, text)
        assert status(judged, "first") is TaskStatus.SUFFICIENT

    async def test_the_reply_that_ends_a_crisis_and_the_next_ask_nothing_of_the_intake(self, asking):
        for text in (DARK, SAFE, SAFE_TOO):
            await asking.say(text)
        replies = [
            await asking.say(text) for text in ("아니요, 없어요", PLAIN, "오늘은 날이 맑아요", "점심을 먹었어요")
        ]
        assert [reply.directive["stance"] for reply in replies] == ["accompany", "accompany", "accompany", "work"]
        assert [reply.directive["ask"] is not None for reply in replies] == [False, False, False, True]
        assert [reply.directive["offers_plan"] for reply in replies] == [False, False, True, False]


class TestAnEvadedQuestionAboutDanger:
    @pytest.mark.parametrize("evading", ["모르겠어요", "글쎄요", "음...", "소주 두 병 마셨어요"])
    async def test_is_asked_once_more_and_not_a_third_time(self, talk, evading):
        asked = [(await talk.say(text)).directive["concern"] for text in (PERHAPS, evading, evading)]
        assert asked == [True, True, False]

    async def test_is_not_asked_again_after_an_answer_or_a_refusal(self, talk):
        for text in ("아니요, 그런 뜻은 아니에요", "회사에 일이 많아서 그래요", "말하기 싫어요"):
            talk = Talk()
            assert [(await talk.say(one)).directive["concern"] for one in (PERHAPS, text)] == [True, False], text


class TestOneQuestion:
    @pytest.mark.parametrize("asked", ["언제부터 그러셨어요?", "죽고 싶으신가요? 지금 혼자 계세요?"])
    async def test_about_a_danger_stands_behind_the_models_own(self, talk, asked):
        talk.model.scripts["counselor"] = words = f"많이 지치셨네요. {asked}"
        said = await talk.say(PERHAPS)
        assert said.reply.startswith(words)
        assert talk.content.crisis_answers.asks_directly(said.reply)

    @pytest.mark.parametrize("spoken", ["오늘은 여기서 마칠까요?", "무엇이 남으셨어요?", ""])
    async def test_whether_to_close_follows_what_was_received(self, talk, spoken):
        talk.model.scripts["counselor"] = spoken or "그러셨군요."
        said = await talk.say("오늘은 그만할게요")
        received, _, question = said.reply.rpartition("\n\n")
        assert received
        assert talk.content.session_words.asks_to_end(question)
        assert said.reply.count("?") == 1


class TestAJudgedTask:
    async def test_is_covered_by_signs_of_two_turns(self, judged):
        seen = []
        for text in (PLAIN, "그다음 주도 똑같았어요"):
            await complete(judged, text)
            seen.append(status(judged, "first"))
        assert seen == [TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT]

    async def test_is_not_closed_in_the_turn_of_a_new_feeling_by_signs_or_by_its_bound(self, judged):
        for text in (PLAIN, WORSE):
            await complete(judged, text)
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, (1, 2))
        judged.model.scripts.pop(CHECKER)
        await judged.say("그다음 주도 똑같았어요")
        assert status(judged, "first") is TaskStatus.SUFFICIENT
        assert judged.state.completion_log[-1].data["evidence"] == WORSE

    async def test_is_closed_some_turns_past_its_bound_though_every_turn_brings_a_new_feeling(self, talk):
        talk.plan(task("first", 2, max_turns=2), task("second", 2))
        talk.work_on("first")
        seen = []
        for text in ("그래서 눈물이 나요", "이제는 너무 화가 나요", "제가 부끄러워요", "너무 외로워요", "불안해요"):
            await talk.say(text)
            seen.append(status(talk, "first"))
        assert (seen[1], seen[-1]) == (TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT)

    async def test_is_not_covered_by_the_same_words_twice_or_by_circular_talk(self, judged):
        await complete(judged, PLAIN)
        await complete(judged, "그냥 그랬다는 거예요", evidence=PLAIN)
        judged.model.scripts[DETECTOR] = user_state_reading(circular=True)
        await complete(judged, WORSE)
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, (1,))

    async def test_takes_no_sign_from_a_circular_turn_that_is_quoted_later(self, judged):
        judged.model.scripts[DETECTOR] = user_state_reading(circular=True)
        await judged.say(PLAIN)
        await complete(judged, WORSE)
        judged.model.scripts[DETECTOR] = user_state_reading()
        for _ in range(7):
            await complete(judged, "그다음 주는 조금 달랐어요", evidence=WORSE)
            judged.set(tasks=tuple(one.model_copy(update={"turns_spent": 0}) for one in judged.state.tasks))
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, ())

    async def test_is_neither_spent_a_turn_nor_closed_at_its_bound_by_turns_on_other_topics(self, judged):
        judged.model.scripts[DETECTOR] = user_state_reading(topic_changed=True)
        for text in (
            "엄마 이야기예요",
            "남자친구도 그래요",
            "강아지가 아파요",
            "회사도 그래요",
            "집도 그래요",
            "차도 그래요",
        ):
            await judged.say(text)
        first = judged.state.task("first")
        assert (first.turns_spent, first.covered) == (0, False)

    async def test_is_not_closed_by_circular_words_that_it_is_done_before_its_bound(self, talk):
        talk.plan(task("first", 2, max_turns=3), task("second", 2))
        talk.work_on("first")
        await talk.say(PLAIN)
        talk.model.scripts[DETECTOR] = user_state_reading(circular=True)
        seen = []
        for _ in range(2):
            await talk.say("그 얘기는 다 했어요")
            seen.append(status(talk, "first"))
        assert seen == [TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT]

    async def test_is_not_closed_in_the_turn_of_a_hard_fact(self, judged):
        for text in (PLAIN, "작년에 아이를 유산했어요"):
            await complete(judged, text)
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, (1, 2))

    async def test_that_waits_for_a_reply_is_not_covered_by_circular_talk(self, talk):
        await talk.say("어제는 집에 있었어요")
        talk.plan(task("heard", 2, completion_rule="reply"), task("next", 2))
        talk.work_on("heard")
        covered = []
        for text, circular in ((PLAIN, True), ("저녁에는 집에 있었어요", False)):
            talk.model.scripts[DETECTOR] = user_state_reading(circular=circular)
            await talk.say(text)
            covered.append(talk.state.task("heard").covered)
        assert covered == [False, True]

    async def test_takes_no_value_from_circular_talk_that_only_the_model_read(self, talk):
        talk.plan(task("filled", 2, required_slots=(slot("hardest_point"),)), task("next", 2))
        talk.work_on("filled")
        await talk.say("어제는 집에 있었어요")
        found = SlotFound(name="hardest_point", value=WORSE, quote=WORSE, corrects=False)
        talk.model.scripts[CHECKER] = task_completion(slots=(found,))
        talk.model.scripts[DETECTOR] = user_state_reading(circular=True)
        await talk.say(WORSE)
        await talk.say("네")
        assert (talk.state.task("filled").covered, talk.state.user_info) == (False, {})

    async def test_needs_new_signs_after_it_is_taken_up_again(self, judged):
        for text in (PLAIN, "그다음 주도 똑같았어요"):
            await complete(judged, text)
        judged.happen(TaskStarted(task_id="first"))
        assert (status(judged, "first"), judged.state.task("first").signs) == (TaskStatus.IN_PROGRESS, ())

    def test_of_a_pattern_or_a_way_of_coping_needs_three(self):
        kinds = {kind: signs_needed(kind) for kind in (TaskKind.EXPLORATION, TaskKind.PATTERN, TaskKind.COPING)}
        assert list(kinds.values()) == [2, 3, 3]


class TestACorrection:
    async def test_of_the_last_reply_is_counted_and_repaired_without_an_intake_question(self, asking):
        said = await asking.say("그 뜻이 아니었어요. 화난 게 아니라 지친 거예요")
        assert (asking.state.misreads, said.directive["misread"], said.directive["ask"]) == (1, True, None)

    @pytest.mark.parametrize(
        ("asked", "answer"),
        [("제가 맞게 들었을까요?", "틀렸어요"), ("방금 드린 말씀이 마음과 잘 맞나요?", "아니요, 화가 난 거예요")],
    )
    async def test_is_a_no_to_the_question_whether_the_user_was_heard_right(self, talk, asked, answer):
        talk.model.scripts["counselor"] = f"회사 일로 지치셨군요. {asked}"
        await talk.say(PLAIN)
        assert (await talk.say(answer)).directive["misread"]

    @pytest.mark.parametrize("text", MERE_CORRECTIONS)
    async def test_that_the_model_does_not_repair_is_owned_in_fixed_words_and_asks_what_was_meant(self, talk, text):
        talk.model.scripts["counselor"] = "그러셨군요. 언제부터 그러셨어요?"
        await talk.say(PLAIN)
        said = (await talk.say(text)).reply
        assert content().session_words.owns_misreading(said)
        assert "언제부터" not in said
        assert len(asks_of(said)) == 1

    async def test_that_tells_what_was_meant_is_repaired_and_asks_nothing(self, talk):
        talk.model.scripts["counselor"] = "화가 많이 나셨군요. 언제부터 그러셨어요?"
        await talk.say(PLAIN)
        said = (await talk.say("그 뜻이 아니었어요. 화난 게 아니라 지친 거예요")).reply
        assert content().session_words.owns_misreading(said)
        assert asks_of(said) == ()

    @pytest.mark.parametrize("spoken", ["지치셨던 거군요. 언제부터였나요?", "제가 잘못 들었네요. 뭐가 힘드세요?"])
    async def test_that_the_model_repairs_stays_as_it_is(self, talk, spoken):
        await talk.say(PLAIN)
        talk.model.scripts["counselor"] = spoken
        assert (await talk.say("그 뜻이 아니었어요. 화난 게 아니라 지친 거예요")).reply.endswith(spoken)

    async def test_is_no_plain_no_to_another_question(self, talk):
        talk.model.scripts["counselor"] = "회사 일로 지치셨군요. 전에 상담을 받아 보신 적이 있으세요?"
        await talk.say(PLAIN)
        assert not (await talk.say("아니요")).directive["misread"]

    @pytest.mark.parametrize("text", ["화난 거 아닌데요", "미운 건 아니에요", "아니에요, 화나지는 않았어요"])
    async def test_denies_what_the_last_reply_said_or_took_for_granted(self, talk, text):
        talk.model.scripts["counselor"] = "많이 화나셨겠어요. 그분이 미우셨죠?"
        await talk.say(PLAIN)
        said = await talk.say(text)
        assert (said.directive["misread"], len(asks_of(said.reply)), "미우셨" in said.reply) == (True, 1, False)

    @pytest.mark.parametrize(
        ("reply", "text", "misread"),
        [
            ("많이 외로우셨군요.", "틀렸어요", True),
            ("팀장님이 그러셨군요. 지금도 같이 일하세요?", "그거 틀렸는데요", True),
            ("많이 외로우셨군요. 언제부터 그러셨어요?", "아닌데요", True),
            ("팀장님이 그러셨군요. 지금도 같이 일하세요?", "아닌데요", False),
            ("언제부터 그러셨어요?", "틀렸어요", False),
            ("많이 외로우셨군요.", "시험 답이 틀렸어요", False),
        ],
    )
    async def test_may_only_say_that_the_last_reply_is_wrong(self, talk, reply, text, misread):
        talk.model.scripts["counselor"] = reply
        await talk.say(PLAIN)
        assert (await talk.say(text)).directive["misread"] is misread

    async def test_is_no_denial_of_what_the_last_reply_only_asked_or_did_not_say(self, talk):
        talk.model.scripts["counselor"] = "회사 일로 지쳐서 쉬고 싶으시군요. 그분이 미우세요?"
        await talk.say(PLAIN)
        texts = ("미운 건 아니에요", "외롭지는 않아요", "회사 일이 끝나도 쉬는 것 같지 않아요")
        assert [(await talk.say(text)).directive["misread"] for text in texts] == [False, False, False]

    @pytest.mark.parametrize("text", ["아니요 그게 아니고요 무시당한 느낌이에요", "뭔 소리예요", "그런 말 안 했는데요"])
    async def test_leaves_out_what_the_model_says_again_of_the_misreading(self, talk, text):
        talk.model.scripts["counselor"] = "그러셨군요. 화가 많이 나셨군요."
        await talk.say(PLAIN)
        told = "무시" in text
        said = (await talk.say(text)).reply
        assert ("화가" in said, bool(asks_of(said)), "그러셨군요" in said) == (False, not told, told)

    async def test_is_no_sign_for_a_task(self, judged):
        await complete(judged, "그런 말이 아니에요. 그냥 쉬고 싶다는 거예요")
        assert judged.state.task("first").signs == ()

    async def test_is_not_read_in_an_answer_about_danger_or_to_a_proposal(self, talk):
        for text in (PERHAPS, "그런 뜻은 아니에요", "오늘은 그만할게요", "그런 뜻이 아니에요, 더 얘기할래요"):
            await talk.say(text)
        assert talk.state.misreads == 0


async def test_between_the_last_covered_task_and_the_review_the_reply_gathers_what_was_shared(talk):
    talk.plan(task("only", 2))
    talk.work_on("only")
    stances = [(await complete(talk, text)).directive["stance"] for text in (PLAIN, WORSE)]
    talk.happen(Reviewed(seq=talk.state.seq, upto=talk.state.message_count, gist={}))
    stances.append((await talk.say("그러게요, 그런 것 같아요")).directive["stance"])
    assert stances == ["gather", "gather", "accompany"]


class TestAQuestionOfTheModel:
    async def test_is_left_out_if_a_recent_reply_asked_it_in_the_same_words(self, asking):
        asking.model.scripts["counselor"] = "그날 일이 오래 남아 계신 것 같아요. 조금 더 들려주세요."
        first, again = await asking.say(PLAIN), await asking.say("네, 그날은 비가 왔어요")
        assert (len(asks_of(first.reply)), again.reply) == (1, "그날 일이 오래 남아 계신 것 같아요.")

    async def test_is_left_out_if_it_asks_with_another_ending_what_was_not_answered(self, talk):
        asked = ["언제부터 그러셨어요?", "언제부터 그러셨나요?", "그게 언제부터였어요?", "언제 제일 심하세요?"]
        replies = []
        for text, question in zip((PLAIN, "글쎄요", "음", "작년에 회사를 옮겼어요"), asked, strict=True):
            talk.model.scripts["counselor"] = f"그러셨군요. {question}"
            replies.append(asks_of((await talk.say(text)).reply))
        assert replies == [(asked[0],), (), (), (asked[3],)]

    async def test_is_asked_of_something_else_after_an_answer(self, talk):
        said = []
        for text, end in ((PLAIN, "드셨어요?"), ("동생이 연락을 안 받아서 답답했어요", "드셨나요?")):
            talk.model.scripts["counselor"] = f"그러셨군요. 그때 어떤 마음이 {end}"
            said.append(len(asks_of((await talk.say(text)).reply)))
        assert said == [1, 1]

    async def test_may_recur_while_a_danger_is_followed_up(self, asking):
        asking.model.scripts["counselor"] = "곁에 있을게요. 지금 혼자 계세요?"
        await asking.say("죽고 싶어요")
        said = [await asking.say(text) for text in ("모르겠어요", "글쎄요")]
        assert [one.directive["stance"] for one in said] == ["care", "care"]
        assert all(len(asks_of(one.reply)) == 1 for one in said)

    @pytest.mark.parametrize("end", ["오늘은 여기서 마칠까요?", "이제 마무리할까요?", "슬슬 정리하고 마무리해 볼까요?"])
    async def test_whether_to_close_is_left_out_where_nothing_is_proposed_and_asks_for_no_slot(self, asking, end):
        asking.model.scripts["counselor"] = f"어려운 말씀을 꺼내 주셨네요. 많이 무거우셨겠어요. {end}"
        said = [await asking.say(text) for text in ("사실 아무한테도 말 못 했는데 저 이혼했어요", PLAIN)]
        assert [asks_of(one.reply) for one in said] == [(), ()]
        assert (said[1].directive["ask"] is not None, asking.state.last_asked) == (True, None)


class TestAQuestionOfTheUser:
    async def test_holds_back_the_intake_question_for_its_turn(self, asking):
        asks = [(await asking.say(text)).ask is None for text in ("이거 누가 봐요? 회사에 알려지나요", PLAIN)]
        assert asks == [True, False]


async def test_a_hard_fact_told_calmly_is_met_by_a_technique_for_feelings_and_not_by_asking_on(talk):
    talk.work_on("task_info_1", covered=["task_welcome_1"])
    said = [(await talk.say(text)).directive["module_id"] for text in (PLAIN, "할머니가 지난주에 돌아가셨어요")]
    assert said == ["information_gathering", "grief_support"]


async def test_a_no_to_the_way_of_the_talk_is_not_answered_with_the_next_intake_question(talk):
    talk.work_on("task_process_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
    said = [await talk.say(text) for text in (PLAIN, "아니요")]
    assert (said[0].ask["slot"], talk.state.user_info["process_agreed"], said[1].ask) == ("process_agreed", False, None)


class TestAUserWhoResists:
    async def test_is_asked_nothing_by_the_model_until_they_tell_something(self, asking):
        question = "그럼 상사분은 어떤 분이에요?"
        asking.model.scripts["counselor"] = f"그러셨군요. {question}"
        texts = ("질문이 너무 많아요. 그만 캐물으세요", "네", "어제 팀장님이 회의에서 또 저만 빼고 이야기했어요")
        assert [asks_of((await asking.say(text)).reply) for text in texts] == [(), (), (question,)]

    async def test_is_asked_what_a_rule_asks(self, talk):
        talk.model.scripts["counselor"] = "그러시군요."
        assert asks_of((await talk.say("상담 같은 거 소용없어요. 죽고 싶어요")).reply)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("질문 좀 그만하라고요", [False, False, False, True]),
        ("그냥 들어만 주세요", [False, False, False, True]),
        ("점심은 구내식당에서 먹어요", [True, True, True, False]),
    ],
)
async def test_who_wants_no_more_questions_is_asked_for_no_slot_for_some_turns_whatever_they_tell(asking, text, asked):
    asking.model.scripts["counselor"] = "그러셨군요."
    told = (text, "출근은 지하철로 한 시간 걸려요", "팀원은 모두 다섯 명이에요", "사무실은 판교역 앞에 있어요")
    assert [(await asking.say(one)).ask is not None for one in told] == asked


class TestASkippedQuestion:
    @pytest.mark.parametrize("text", ["건너뛸게요.", "그냥 넘어갈게요", "말하고 싶지 않아요"])
    async def test_of_the_models_own_is_left_and_nothing_is_asked_in_its_place(self, asking, text):
        asking.model.scripts["counselor"] = "그러셨군요. 그날은 어떤 날이었어요?"
        asking.set(asked={"prior_counseling": 1}, asked_seq={"prior_counseling": 0})
        await asking.say(PLAIN)
        asking.set(last_asked=None)
        said = await asking.say(text)
        assert (said.directive["skipped"], said.directive["ask"]) == (True, None)
        assert (await asking.say("오늘은 날이 맑아요")).directive["skipped"] is False

    async def test_may_be_offered_by_a_client_but_not_about_danger_or_a_proposal(self, asking):
        policy, shown = CounselingPolicy(asking.content), []
        for text in (PLAIN, "오늘은 그만할게요", "아니요, 더 얘기할래요", DARK):
            asking.model.scripts["counselor"] = f"그러셨군요. ‘{text}’ 그날은 {len(shown)}월 며칠이었어요?"
            await asking.say(text)
            shown.append(policy.snapshot(asking.state).may_skip)
        assert shown == [True, False, True, False]
