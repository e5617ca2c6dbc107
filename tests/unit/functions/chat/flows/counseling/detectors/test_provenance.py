"""Values keep the turn and words they come from; corrections replace them, contradictions are asked about once."""

import json
from dataclasses import replace

import pytest

from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from functions.chat.flows.counseling.turn import CounselingFlow
from functions.chat.flows.counseling.turn_options import STEP_BY_STEP
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.sources import LONGEST_QUOTE, Source
from shared.domain.counseling.task_events import SlotFilled
from shared.locale import Locale, Register
from tests.builders.answers import joint, task_completion, user_state_reading
from tests.builders.sessions import slot, task
from tests.builders.talk import Talk, reading_of

CHECKER = "task_completion_checker"
PLAIN = "어제는 바다에 다녀왔어요, 친구랑요"


@pytest.fixture
def known(talk):
    """A talk in which the name is 민수, said in turn 1."""
    talk.happen(SlotFilled(slot="name", value="민수", source=Source(seq=1, quote="민수라고 불러 주세요")))
    return talk


@pytest.fixture
def experienced(talk):
    """A talk in which the user said that they had counselling before."""
    talk.happen(SlotFilled(slot="prior_counseling", value=True, source=Source(seq=1, quote="네, 있어요")))
    return talk


async def say(talk, text, **read):
    """Say this; the checker reads these values, each a value or (value, quote)."""
    pairs = {name: one if isinstance(one, tuple) else (one, one) for name, one in read.items()}
    found = tuple(
        SlotFound(name=name, value=value, quote=quote, corrects=False) for name, (value, quote) in pairs.items()
    )
    talk.model.scripts[CHECKER] = task_completion(complete=False, slots=found)
    return await talk.say(text)


def questions(said):
    return said.reply.count("?")


class TestAValueKeeps:
    async def test_the_message_if_a_rule_read_it_and_the_models_checked_quote_otherwise(self, talk):
        text = "지민이라고 불러 주세요. 회사 일로 잠을 못 자요."
        await say(talk, text, reason=("회사 일 때문에 못 잠", "회사 일로 잠을 못 자요"))
        assert talk.state.info_sources == {
            "name": Source(seq=1, quote=text),
            "reason": Source(seq=1, quote="회사 일로 잠을 못 자요"),
        }

    async def test_a_bounded_quote_that_holds_the_value(self, talk):
        await say(talk, "음, 글쎄요. " * 40 + "지민이라고 불러 주세요. " + "그래요. " * 40)
        quote = talk.state.info_sources["name"].quote
        assert "지민" in quote
        assert len(quote) <= LONGEST_QUOTE


class TestACorrectionReplaces:
    @pytest.mark.parametrize(
        "text",
        [
            "아니요, 민수가 아니라 민주예요",
            "민주라고 불러 주세요",
            "이름 틀렸어요. 민주예요",
        ],
    )
    async def test_a_name_at_once_with_the_new_source_and_without_a_model(self, known, text):
        known.model.scripts.pop(CHECKER)
        said = await known.say(text)
        assert known.state.user_info["name"] == "민주"
        assert known.state.info_sources["name"] == Source(seq=1, quote=text)
        assert said.directive["contradiction"] is None

    @pytest.mark.parametrize("text", ["문제는 민수가 아니라 팀장이라고요", "민수 말고 동생이요", "민감하다고요"])
    async def test_a_name_by_no_other_word(self, known, text):
        await known.say(text)
        assert (known.state.user_info["name"], known.state.contradictions) == ("민수", {})

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("아까 오타 났어요 민주입니다", "민주"),
            ("민주라고요", "민주"),
            ("동생 이름은 민주예요", "민수"),
        ],
    )
    async def test_a_name_where_the_model_reads_that_the_user_corrects_it_unless_it_is_anothers(
        self, known, text, name
    ):
        known.flow = CounselingFlow(known.content, options=replace(STEP_BY_STEP, jointly=True))
        await known.say(PLAIN)
        found = SlotFound(name="name", value="민주", quote=text, corrects=True)
        read = joint(task_completion(complete=False, slots=(found,)), user_state_reading(circular="라고요" in text))
        known.model.scripts["message_analyst"] = json.dumps(read)
        said = await known.say(text)
        assert (known.state.user_info["name"], said.directive["contradiction"]) == (name, None)
        look = known.model.asked("message_analyst")[-1].response_schema.model_json_schema()["properties"]["look"]
        assert "value:name" in look["items"]["enum"], "a known name may be corrected"

    @pytest.mark.parametrize("text", ["사실은 처음이에요", "아까 잘못 말했어요. 상담은 처음이에요"])
    async def test_a_yes_or_no(self, experienced, text):
        await say(experienced, text, prior_counseling=("아니요", "처음이에요"))
        assert experienced.state.user_info["prior_counseling"] is False
        assert experienced.state.contradictions == {}

    async def test_an_experience_without_a_model_and_by_no_other_first_time(self, experienced):
        experienced.model.scripts.pop(CHECKER)
        for text, kept in (("사실은 제주도가 처음이에요", True), ("사실은 처음이에요", False)):
            await experienced.say(text)
            assert experienced.state.user_info["prior_counseling"] is kept

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("아 아까 상담 받아 봤다고 한 거 잘못 말했어요", False),
            ("아니 받아 본 적 없다고요", False),
            ("칭찬은 받아 본 적 없어요", True),
            ("친구가 상담 좋다고 한 거 잘못 말했대요", True),
        ],
    )
    async def test_an_experience_that_is_taken_back_or_denied_without_a_model(self, experienced, text, kept):
        experienced.model.scripts.pop(CHECKER)
        await experienced.say(text)
        assert experienced.state.user_info["prior_counseling"] is kept

    @pytest.mark.parametrize(
        ("name", "text", "opened"),
        [
            ("민지", "나 민지 아닌데", {"register": "반말"}),
            ("민수", "저 민수 아니에요", {}),
            ("민수", "아니요, 제 이름은 민수가 아니에요", {}),
            ("Minsu", "My name isn't Minsu", {"locale": "en"}),
        ],
    )
    async def test_a_name_that_is_denied_is_used_no_more_and_asked_for_with_an_apology(self, name, text, opened):
        talk = Talk(**opened)
        talk.happen(SlotFilled(slot="name", value=name))
        talk.model.scripts["counselor"] = (
            f"{name}, 반가워요. {name}, 요즘 어때요?" if not opened else f"{name}, 반가워."
        )
        await talk.say("회사 일로 왔어요" if name != "Minsu" else "I came about work")
        said = await talk.say(text)
        assert "name" not in talk.state.user_info
        assert (name in said.reply, said.ask["slot"], talk.state.misreads) == (False, "name", 1)
        assert talk.content.session_words.asks_for_name(said.reply) or said.ask["question"] in said.reply
        assert questions(said) == 1
        await say(talk, "서연이요", name="서연")
        assert talk.state.user_info["name"] == "서연"

    @pytest.mark.parametrize("text", ["엄마가 저 민수 아니라고 했어요", "민수가 아닌 것 같은 날도 있어요"])
    async def test_a_name_stays_where_a_story_denies_it(self, known, text):
        await known.say(text)
        assert known.state.user_info["name"] == "민수"

    async def test_a_number(self, talk):
        talk.happen(
            PlanMade(goal="g", keywords=(), tasks=(task("p", 2, required_slots=(slot("nights", kind="integer"),)),))
        )
        talk.happen(SlotFilled(slot="nights", value=3))
        await say(talk, "3일이 아니라 5일이에요", nights="5")
        assert talk.state.user_info["nights"] == 5

    @pytest.mark.parametrize(
        ("text", "read", "kept"),
        [
            ("엄마가 아니라 이모예요", {"support_people": "이모"}, "이모"),
            ("화난 건 엄마 말고 아빠예요", {}, "엄마"),
            ("아까 잘못 말했어요. 이모가 잘 들어줘요", {"support_people": "이모"}, "이모"),
            ("이모도 가끔 들어줘요, 고마운 분이에요", {"support_people": "이모"}, "엄마"),
            ("회사가 아니라 학교에서 이모를 만났어요", {"support_people": "이모"}, "엄마"),
            ("사실은 좀 힘들었어요, 이모가 와 줬고요", {"support_people": "이모"}, "엄마"),
        ],
    )
    async def test_free_text_only_where_the_words_correct_it(self, talk, text, read, kept):
        talk.happen(SlotFilled(slot="support_people", value="엄마"))
        await say(talk, text, **read)
        assert talk.state.user_info["support_people"] == kept


class TestAContradiction:
    async def test_keeps_the_first_value_and_is_the_one_question_of_the_reply(self, known):
        said = await known.say("제 이름은 민주예요")
        assert known.state.user_info["name"] == "민수"
        assert said.reply.endswith("앞에서는 민수라고 하셨는데, 민주가 맞을까요?")
        assert (questions(said), said.ask) == (1, None)

    async def test_of_a_yes_or_no_repeats_the_users_own_words(self, experienced):
        said = await say(experienced, "상담은 처음이에요", prior_counseling=("아니요", "상담은 처음이에요"))
        assert experienced.state.user_info["prior_counseling"] is True
        assert "“네, 있어요”" in said.reply
        assert "“상담은 처음이에요”" in said.reply
        assert questions(said) == 1

    @pytest.mark.parametrize("text", ["처음이에요 상담은", "상담은 한 번도 받아 본 적이 없어요"])
    async def test_of_an_experience_is_asked_about_without_a_model(self, experienced, text):
        experienced.model.scripts.pop(CHECKER)
        said = await experienced.say(text)
        assert said.directive["contradiction"]["slot"] == "prior_counseling"
        assert experienced.state.user_info["prior_counseling"] is True

    async def test_of_a_first_time_and_an_earlier_counselling_is_asked_about_without_a_model(self, experienced):
        experienced.happen(SlotFilled(slot="prior_counseling", value=False, source=Source(seq=1, quote="처음이에요")))
        said = await experienced.say("전에 상담받을 때도 그랬어요")
        assert said.directive["contradiction"]["slot"] == "prior_counseling"

    @pytest.mark.parametrize(
        ("answer", "name", "quote"),
        [
            ("네", "민주", "제 이름은 민주예요"),
            ("민주요", "민주", "제 이름은 민주예요"),
            ("아니요", "민수", "민수라고 불러 주세요"),
            ("아니요, 민수예요", "민수", "민수라고 불러 주세요"),
            ("둘 다 아니고 제 이름은 민지예요", "민지", "민지"),
            ("글쎄요, 그건 왜요", "민수", "민수라고 불러 주세요"),
        ],
    )
    async def test_is_decided_by_the_answer_and_never_asked_again(self, known, answer, name, quote):
        await known.say("제 이름은 민주예요")
        await say(known, answer, **({"name": "민지"} if "민지" in answer else {}))
        assert known.state.user_info["name"] == name
        assert known.state.info_sources["name"].quote == quote
        later = [await known.say(text) for text in ("제 이름은 서연이에요", PLAIN)]
        assert [said.directive["contradiction"] for said in later] == [None, None]
        assert known.state.user_info["name"] == name

    @pytest.mark.parametrize(
        ("answer", "value"),
        [
            ("네 작년에 받았어요", True),
            ("앞에 말한 건 틀렸어요", True),
            ("네 처음이에요", False),
            ("작년에 회사를 옮겼어요", False),
        ],
    )
    async def test_is_decided_by_the_words_and_the_place_that_the_answer_names(self, experienced, answer, value):
        experienced.happen(SlotFilled(slot="prior_counseling", value=False, source=Source(seq=1, quote="처음이에요")))
        await experienced.say("작년에 정신과에서 상담을 받았어요")
        await say(experienced, answer)
        assert experienced.state.user_info["prior_counseling"] is value

    async def test_can_still_be_corrected_in_words_after_it_was_asked_about(self, known):
        for text in ("제 이름은 민주예요", "아니요", "민수 말고 민주라고 불러 주세요"):
            await known.say(text)
        assert known.state.user_info["name"] == "민주"

    async def test_waits_while_a_feeling_or_a_danger_goes_first(self, known):
        known.model.scripts["user_state_detector"] = user_state_reading(emotion="sadness", intensity=6)
        first = await known.say("제 이름은 민주예요. 너무 슬퍼요")
        known.model.scripts["user_state_detector"] = reading_of
        second = await known.say("죽고 싶어요")
        for text in ("지금은 안전해요. 죽을 생각은 없어요", "네, 저 안전해요. 이제 죽고 싶지 않아요", "아니요, 없어요"):
            await known.say(text)
        asked = [await known.say(f"{number}시에 {PLAIN}") for number in range(1, 5)]
        assert first.directive["contradiction"] is None
        assert "민주가 맞을까요" not in second.reply
        assert sum("민주가 맞을까요" in said.reply for said in asked) == 1

    async def test_of_a_name_from_an_earlier_session_says_so(self, known):
        source = Source(seq=2, quote="민수예요", conversation_id="earlier")
        known.set(info_sources={"name": source}, carried=Carried(conversation_id="earlier"))
        said = await known.say("제 이름은 민주예요")
        assert said.directive["contradiction"]["question"].startswith("전에는 민수라고 하셨는데")

    @pytest.mark.parametrize(
        ("locale", "register", "question"),
        [
            (Locale.KO, Register.CASUAL, "앞에서는 지훈이라고 했는데, 민준이 맞아?"),
            (Locale.EN, Register.FORMAL, "Earlier you told me Jihun. Is Minjun right?"),
        ],
    )
    async def test_is_asked_about_in_the_voice_of_the_talk(self, locale, register, question):
        talk = Talk(locale=locale.value, register=register.value)
        korean = locale is Locale.KO
        talk.happen(SlotFilled(slot="name", value="지훈" if korean else "Jihun"))
        said = await talk.say("내 이름은 민준이야" if korean else "My name is Minjun")
        assert said.directive["contradiction"]["question"] == question

    @pytest.mark.parametrize("bare", ["네", "네.", "응", "있어요"])
    async def test_quotes_no_bare_yes(self, experienced, bare):
        experienced.happen(SlotFilled(slot="prior_counseling", value=True, source=Source(seq=1, quote=bare)))
        said = await say(experienced, "상담은 처음이에요", prior_counseling=("아니요", "상담은 처음이에요"))
        assert (said.reply.count("“"), "“상담은 처음이에요”" in said.reply, questions(said)) == (1, True, 1)

    async def test_repeats_no_words_that_alarm(self, experienced):
        text = "상담은 처음이에요 죽고 싶어서 왔어요"
        experienced.happen(SlotFilled(slot="prior_counseling", value=True, source=Source(seq=1, quote=text)))
        said = await say(experienced, "상담은 처음이에요", prior_counseling=("아니요", "상담은 처음이에요"))
        assert "죽고" not in said.directive["contradiction"]["question"]
