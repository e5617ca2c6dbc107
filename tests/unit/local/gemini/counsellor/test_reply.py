"""How the demo's counsellor takes up what was said last: no story is made of a yes, and no feeling of a fact."""

import pytest

from local.gemini.counsellor.brief import Brief, brief_of
from local.gemini.counsellor.clauses import gist
from local.gemini.counsellor.names import without_introduction
from local.gemini.counsellor.opening import confirms
from local.gemini.counsellor.reflection import reflection_data
from local.gemini.counsellor.reply import reply
from local.gemini.protocol import Content

SUMMARY = "잠을 못 잔다는 이야기를 오늘 함께 나눴어요. 제가 맞게 들었을까요?"
NEXT = "다음에는 오늘 이야기를 이어서 나누어 보면 좋겠어요. 이렇게 이어 가는 것은 어떠세요?"
SUPPORT = "힘들 때 편하게 이야기할 수 있는 사람이 곁에 있으세요?"
FEELING = "지금 이야기하시면서는 어떤 마음이 드세요?"


def brief(*said: str, stance: str = "work", task: str = "task_part2_1", register: str = "존댓말") -> Brief:
    """What is said by turns, the counsellor first."""
    system = (
        f'<part number="2"></part><stance>{stance}</stance><register>{register}</register><task id="{task}"></task>'
    )
    contents = [Content("user" if place % 2 else "model", text) for place, text in enumerate(said)]
    return brief_of(system, contents)


def answer(*said: str, **more: str) -> str:
    return reply(brief(*said, **more), seed=0)


@pytest.mark.parametrize(
    "text",
    ["네, 맞아요. 제 마음을 잘 알아주셨네요.", "네, 맞아요. 그렇게 말해 주시니 정리가 되네요.", "네, 뭐 비슷해요."],
)
def test_a_yes_to_a_summary_is_taken_as_one_and_not_told_back(text: str) -> None:
    said = answer(SUMMARY, text)
    assert said.startswith(("네, 그 마음에서", "네, 그렇게 이해하고", "맞다고 해 주시니"))
    assert "알아주" not in said
    assert "비슷하다" not in said


def test_who_adds_a_story_to_their_yes_is_heard_with_it() -> None:
    assert not confirms(brief(SUMMARY, "네, 그런데 사실은 어제도 밤새 휴대폰만 보다가 한숨도 못 자고 출근했어요."))


def test_a_yes_to_the_next_step_is_agreement() -> None:
    said = answer(NEXT, "네, 아내랑 같이 해 볼게요.", task="task_questions_1")
    assert said.startswith(("좋아요, 그렇게 이어 가요.", "네, 그 마음이면 충분해요."))


def test_a_summary_is_not_given_again_after_a_yes_to_it() -> None:
    assert "이야기를 오늘" not in answer(SUMMARY, "네, 맞아요.", task="task_summary_1")


@pytest.mark.parametrize(
    "text", ["친구들은 있는데 다들 바빠서요.", "아내가 있긴 한데, 요즘은 말만 하면 싸워서 잘 안 해요."]
)
def test_somebody_whom_one_cannot_lean_on_is_no_good_news(text: str) -> None:
    assert "반가워요" not in answer(SUPPORT, text)
    assert "버팀" not in answer(SUPPORT, text)


@pytest.mark.parametrize("text", ["별로요", "그냥 그래요"])
def test_a_flat_answer_to_an_open_question_is_no_denial(text: str) -> None:
    assert "아니시군요" not in answer(FEELING, text)


def test_a_word_or_two_are_given_back() -> None:
    said = answer("요즘 그 일 중에 기억에 남는 게 뭐야?", "주말 저녁", register="반말")
    assert said.startswith(("주말 저녁이라는 말이구나.", "주말 저녁이라고 했구나."))


def test_a_fact_about_somebody_close_is_not_made_a_hurt() -> None:
    said = answer("그동안 어떠셨어요?", "남편이 다음 주에도 다녀오라고 먼저 말해 줬어요.")
    assert not any(guess in said for guess in reflection_data().themes["partner"].ko)
    assert "무게" not in said


@pytest.mark.parametrize("text", ["아니요, 물어볼 건 없어요.", "오늘은 충분히 말한 것 같아요."])
def test_the_last_no_is_not_told_back_before_the_end(text: str) -> None:
    said = answer("아직 남아 있는 말이 있을까요?", text, stance="confirm_end")
    assert "물어볼" not in said
    assert "충분히" not in said


def test_who_is_safe_again_is_met_with_relief() -> None:
    said = answer("지금 바로 연락할 수 있는 곳이에요. 109", "아내가 와서 옆에 앉아 있어요. 저 지금 안전해요.")
    assert said.startswith("지금 안전하시다니 마음이 놓여요.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("저녁에 말 한마디 주고받을 사람이요. 그거면 될 것 같아요.", "저녁에 말 한마디 주고받을 사람이라"),
        ("그건 그렇고 잠도 엉망이에요.", "잠도 엉망이라"),
        ("둘 다 십 년 전 얘기를 하고 있더라고요.", "둘 다 십 년 전 얘기를 하고 있다"),
        ("손에 땀이 나더라고요.", "손에 땀이 나더라"),
        ("아버지도 말씀을 안 하세요.", "아버지도 말씀을 안 하신다"),
        ("아내랑 안 싸우는 집이 어디 있겠어요.", ""),
    ],
)
def test_what_is_told_back_stands_by_itself(text: str, told: str) -> None:
    assert gist(text).said == told


def test_an_observation_is_no_introduction() -> None:
    assert without_introduction("가슴이 답답하더라고요") == "가슴이 답답하더라고요"


class TestWhatWasNotUnderstood:
    UNCLEAR = "제가 방금 하신 말씀을 제대로 알아듣지 못한 것 같아요."

    def told(self, section: str) -> str:
        system = (
            '<part number="1"></part><stance>work</stance><register>존댓말</register><task id="t"></task>' + section
        )
        return reply(brief_of(system, [Content("user", "그게 저 음")]), seed=0)

    def test_is_said_and_asked_for_once_more(self):
        wanted = f"{self.UNCLEAR} 한 번만 더 말씀해 주시겠어요?"
        assert self.told(f'<notice kind="parse_error">{wanted}</notice>') == wanted

    def test_is_said_before_the_question_that_is_put_again(self):
        question = "어떻게 불러 드리면 편하실까요?"
        said = self.told(f'<parse_error>{self.UNCLEAR}</parse_error><ask slot="name">{question}</ask>')
        assert said == f"{self.UNCLEAR} {question}"
