"""How the demo's counsellor takes up what was said last: no story is made of a yes, and no feeling of a fact."""

import pytest

from local.gemini.counsellor.brief import Brief, brief_of
from local.gemini.counsellor.opening import confirms
from local.gemini.counsellor.reflection import reflection_data
from local.gemini.counsellor.reply import reply
from local.gemini.protocol import Content

SUMMARY = "잠을 못 잔다는 이야기를 오늘 함께 나눴어요. 제가 맞게 들었을까요?"
NEXT = "다음에는 오늘 이야기를 이어서 나누어 보면 좋겠어요. 이렇게 이어 가는 것은 어떠세요?"
SUPPORT = "힘들 때 편하게 이야기할 수 있는 사람이 곁에 있으세요?"
FEELING = "지금 이야기하시면서는 어떤 마음이 드세요?"
LEFT = "아직 남아 있는 말이 있을까요?"
HEARD = ("네, 그 마음에서", "네, 그렇게 이해하고", "맞다고 해 주시니")
AGREED = ("좋아요, 그렇게 이어 가요.", "네, 그 마음이면 충분해요.")
GIVEN_BACK = ("주말 저녁이라는 말이구나.", "주말 저녁이라고 했구나.")
SAFE = ("지금 안전하시다니 마음이 놓여요.",)
HURT = (*reflection_data().themes["partner"].ko, "무게")


def brief(*said: str, stance: str = "work", task: str = "task_part2_1", register: str = "존댓말") -> Brief:
    """What is said by turns, the counsellor first."""
    told = f"<stance>{stance}</stance><register>{register}</register>"
    contents = [Content("user" if place % 2 else "model", text) for place, text in enumerate(said)]
    return brief_of(f'<part number="2"></part>{told}<task id="{task}"></task>', contents)


@pytest.mark.parametrize(
    ("question", "text", "begins", "lacks", "more"),
    [
        # a yes to a summary is taken as one and not told back; to the next step it is agreement
        (SUMMARY, "네, 맞아요. 제 마음을 잘 알아주셨네요.", HEARD, ("알아주",), {}),
        (SUMMARY, "네, 맞아요. 그렇게 말해 주시니 정리가 되네요.", HEARD, ("알아주",), {}),
        (SUMMARY, "네, 뭐 비슷해요.", HEARD, ("비슷하다",), {}),
        (SUMMARY, "네, 맞아요.", "", ("이야기를 오늘",), {"task": "task_summary_1"}),
        (NEXT, "네, 아내랑 같이 해 볼게요.", AGREED, (), {"task": "task_questions_1"}),
        # somebody whom one cannot lean on is no good news, a flat answer no denial, a fact no hurt
        (SUPPORT, "친구들은 있는데 다들 바빠서요.", "", ("반가워요", "버팀"), {}),
        (SUPPORT, "아내가 있긴 한데, 요즘은 말만 하면 싸워서 잘 안 해요.", "", ("반가워요", "버팀"), {}),
        *((FEELING, "별로요", "", ("아니시군요",), {}), (FEELING, "그냥 그래요", "", ("아니시군요",), {})),
        (FEELING, "아니요", "", ("아니시군요",), {}),
        # who refuses to talk in danger is asked nothing
        ("곁에 누가 있으세요?", "말하기 싫어요", "", ("?",), {"stance": "care"}),
        ("그동안 어떠셨어요?", "남편이 다음 주에도 다녀오라고 먼저 말해 줬어요.", "", HURT, {}),
        # a word or two are given back, the last no before the end is not, and who is safe again is met with relief
        ("요즘 그 일 중에 기억에 남는 게 뭐야?", "주말 저녁", GIVEN_BACK, (), {"register": "반말"}),
        (LEFT, "아니요, 물어볼 건 없어요.", "", ("물어볼", "충분히"), {"stance": "confirm_end"}),
        (LEFT, "오늘은 충분히 말한 것 같아요.", "", ("물어볼", "충분히"), {"stance": "confirm_end"}),
        ("지금 바로 연락할 수 있는 곳이에요. 109", "아내가 와서 옆에 앉아 있어요. 저 지금 안전해요.", SAFE, (), {}),
    ],
)
def test_what_was_said_last_is_taken_up_as_it_was_meant(question, text, begins, lacks, more):
    said = reply(brief(question, text, **more), seed=0)
    assert said.startswith(begins)
    assert [words for words in lacks if words in said] == []


def test_who_adds_a_story_to_their_yes_is_heard_with_it():
    assert not confirms(brief(SUMMARY, "네, 그런데 사실은 어제도 밤새 휴대폰만 보다가 한숨도 못 자고 출근했어요."))


def test_what_was_not_understood_is_said_and_asked_for_once_more_before_the_question_that_is_put_again():
    def told(section: str) -> str:
        system = (
            f'<part number="1"></part><stance>work</stance><register>존댓말</register><task id="t"></task>{section}'
        )
        return reply(brief_of(system, [Content("user", "그게 저 음")]), seed=0)

    unclear, question = "제가 방금 하신 말씀을 제대로 알아듣지 못한 것 같아요.", "어떻게 불러 드리면 편하실까요?"
    wanted = f"{unclear} 한 번만 더 말씀해 주시겠어요?"
    assert told(f'<notice kind="parse_error">{wanted}</notice>') == wanted
    assert told(f'<parse_error>{unclear}</parse_error><ask slot="name">{question}</ask>') == f"{unclear} {question}"
