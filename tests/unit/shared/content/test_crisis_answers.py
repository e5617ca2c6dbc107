"""What the user answers to the protocol: yes, that they are safe, or that they want numbers."""

import pytest

from shared.content.crisis_answers import (
    about_me,
    act_named,
    acted,
    admits,
    asks_directly,
    asks_resources,
    danger_near_them,
    done,
    harm_near,
    named_near,
    place_named,
    reassurances,
    soon,
    violence_near,
)
from shared.content.crisis_protocol import protocol
from shared.content.safety_rules import screening
from shared.safety.reassurance import Reassurance

SAFE = [
    "지금은 안전해요",
    "안전해요",
    "저는 안전한 곳에 있어요",
    "지금은 괜찮아요",
    "이제 괜찮아졌어요",
    "많이 진정됐어요",
    "조금 나아졌어요",
    "죽을 생각은 없어요",
    "자살할 생각은 없어요",
    "죽고 싶은 생각은 이제 없어요",
    "그런 생각은 사라졌어요",
    "죽고 싶지 않아요",
    "죽고 싶다는 건 아니에요",
    "안 죽을게요",
    "나쁜 생각 안 할게요",
    "친구랑 있어요",
    "지금 친구랑 같이 있어요",
    "엄마가 옆에 계세요",
    "언니가 와서 같이 있어요",
    "혼자 있지 않아요, 남편이 옆에 있어요",
    "가족들이랑 집에 있어요",
    "친구가 와 줬어요",
    "병원에 와 있어요",
    "지금 응급실에 있어요",
    "109에 전화해서 통화했어요",
    "상담사랑 통화하고 있어요",
    "그 자리에서 벗어났어요",
    "옥상에서 내려왔어요",
    "집에 무사히 들어왔어요",
    "그 사람이랑 떨어져서 안전한 데 있어요",
    "충동이 많이 가라앉았어요",
    "오늘은 아무 일도 안 할 거예요 안전해요",
    "응 나 이제 괜찮아",
    "나 지금 안전해",
    "진짜로 안 할게요 자해 안 할게요",
    "살고 싶어요",
    "이제 살아 보고 싶어졌어요",
    "나쁜 마음은 가라앉았어요",
    "I'm safe now",
    "I am okay now",
    "I'm with a friend",
    "my mom is here with me",
    "I'm not going to hurt myself",
    "I don't want to die",
    "I'm not alone, my sister is with me",
    "I'm at the hospital",
    "The thoughts are gone",
    "I feel calmer now",
    "I called the hotline and I'm okay now",
    "I want to live",
]
NOT_SAFE = [
    "괜찮아요",
    "네",
    "네 괜찮아요",
    "안 괜찮아요",
    "하나도 안 괜찮아요",
    "괜찮은 척해요",
    "괜찮다고 해야 하나요",
    "괜찮아질까요?",
    "안전하지 않아요",
    "안전한지 모르겠어요",
    "안전한 곳이 없어요",
    "안전한 데가 어디 있어요",
    "나는 괜찮은데 죽고 싶어",
    "죽을 생각이 없는 건 아니에요",
    "죽고 싶은 생각이 없어지지 않아요",
    "그런 생각이 안 없어져요",
    "친구랑 있어도 외로워요",
    "친구랑 있었는데 혼자가 됐어요",
    "친구랑 있으면 안전할까요?",
    "친구가 있었으면 좋겠어요",
    "옆에 아무도 없어요",
    "엄마가 옆에 있어도 죽고 싶어요",
    "엄마랑 싸웠어요",
    "친구가 없어요",
    "혼자 있어요",
    "퍽이나 안전하겠네요",
    "참 안전하네요 ㅋㅋ",
    "안전하면 뭐해요",
    "살고 싶지 않아요",
    "살고 싶은 건지 모르겠어요",
    "살고 싶었어요",
    "나아질까요",
    "나아지지 않아요",
    "진정이 안 돼요",
    "병원에 가기 싫어요",
    "상담사랑 통화가 안 돼요",
    "전화했는데 안 받아요",
    "괜찮아지면 말할게요",
    "안전벨트를 했어요",
    "지금은 괜찮지만 이따가는 모르겠어요",
    "괜찮냐고 묻지 마세요",
    "I'm fine",
    "I'm not safe",
    "I don't feel safe",
    "am I safe?",
    "I'm not okay",
    "I'm fine now but I want to die",
    "I wish I was with a friend",
    "nobody is with me",
    "I don't want to live",
    "yeah right, totally safe",
    "the thoughts are not gone",
    "will I be safe?",
    "I pretend I am fine now",
    "지금은 안전하다고 느끼지 않아요",
    "지금 안전하다는 느낌이 없어요",
    "안전해 보이지 않아요",
    "안전해지고 싶어요",
    "나는 안전해질 수 없어요",
    "저는 안전한 사람이 아니에요",
    "지금 안전한 느낌이 안 들어요",
    "지금 안전하다고 할 수 없어요",
    "지금 안전하게 있을 자신이 없어요",
    "이제 안전하게 있기 힘들어요",
    "오늘은 안 죽을게요 내일은 몰라요",
    "살고 싶어요 근데 방법이 없어요",
    "나쁜 생각 안 할 자신이 없어요",
    "그런 생각 안 할 수가 없어요",
    "죽을 마음이 없진 않아요",
    "죽고 싶지 않다고는 못 하겠어요",
    "죽고 싶지 않은 날이 없어요",
    "죽고 싶지 않은 순간이 없어요",
    "죽고 싶지 않은 건 아니에요",
    "충동이 사라졌으면 좋겠어요",
    "그런 생각이 사라졌으면 좋겠어요",
    "죽고 싶은 생각이 안 들었으면 좋겠어요",
    "안전해요라고 하면 끝나나요",
    "I don't feel very safe right now",
    "I am hardly safe",
    "I'm feeling less safe now",
    "I wish I could feel safe",
    "I don't think I am safe",
    "I doubt I'm safe",
    "I can't promise I won't hurt myself",
    "I don't know if I won't hurt myself",
    "I can't say I don't want to die",
    "I want to live but I can't",
    "I'm not sure I want to live",
    "no one believes I'm safe",
    "I want to feel safe",
    "I'm not sure that I am safe",
    "nowhere i feel safe",
    "지금은 안전해요. 이따 밤에는 모르겠어요",
    "지금은 안전한데 밤에는 장담 못 해요",
    "오늘까지는 안전해요",
    "내일까지만 안 죽을게요",
    "I'm safe for now, tonight I don't know",
]


_read = screening().screen


@pytest.mark.parametrize("kind", Reassurance)
def test_every_kind_of_reassurance_holds_the_examples_beside_it(kind):
    words = getattr(protocol().safe, kind.value)
    assert [text for text in words.positives if kind not in reassurances(_read(text))] == []
    assert [text for text in words.negatives if kind in reassurances(_read(text))] == []


@pytest.mark.parametrize("text", protocol().safe.doubt.positives)
def test_beside_a_decision_hiding_fear_or_violence_no_word_of_safety_counts(text):
    assert reassurances(_read(text)) == ()
    assert reassurances(_read(f"지금은 안전해요. {text}")) == ()


@pytest.mark.parametrize("text", protocol().safe.doubt.negatives)
def test_other_words_leave_it_counted(text):
    assert reassurances(_read(text))


@pytest.mark.parametrize("text", SAFE)
def test_the_user_says_that_they_are_safe(text):
    assert reassurances(_read(text))


@pytest.mark.parametrize("text", NOT_SAFE)
def test_politeness_a_negation_irony_or_a_crisis_is_no_word_of_safety(text):
    assert not reassurances(_read(text))


def test_a_yes_to_the_question_whether_they_want_to_die_is_told_from_everything_else():
    written = protocol().admits
    assert [text for text in written.positives if not admits(_read(text))] == []
    assert [text for text in written.negatives if admits(_read(text))] == []


def test_one_of_the_family_is_near_who_hurts_them_and_company_who_was_not_told_of():
    written = protocol().named_near
    assert [text for text in written.positives if not named_near(_read(text), "")] == []
    assert [text for text in written.negatives if named_near(_read(text), "")] == []
    assert named_near(_read("아빠는 집에 있어요"), "아빠가 때려요")
    assert named_near(_read("어머니가 집에 있어요"), "엄마가 때려요")
    assert named_near(_read("그 사람이 집에 있어요"), "남편이 때려요")
    assert not named_near(_read("엄마가 옆에 있어요"), "아빠가 때려요")
    assert not named_near(_read("지금 엄마 집에 있어요"), "남편이 때려요")


@pytest.mark.parametrize(
    "answer", [acted, act_named, done, soon, about_me, violence_near, danger_near_them, harm_near, place_named]
)
def test_an_answer_to_the_protocol_is_told_from_everything_else(answer):
    written = getattr(protocol(), answer.__name__)
    assert [text for text in written.positives if not answer(_read(text))] == []
    assert [text for text in written.negatives if answer(_read(text))] == []


def test_every_question_of_the_protocol_about_their_own_death_is_known_as_one_and_no_other_follows_it():
    written = protocol()
    for texts in (*dict(written.replies.concern).values(), *dict(written.ask_directly).values()):
        assert [text for text in texts if not asks_directly(text, last=True)] == []


@pytest.mark.parametrize(
    "reply",
    [
        "혹시 죽고 싶다는 뜻인가요?",
        '"더는 못 버티겠다"는 말씀이 혹시 죽고 싶다는 뜻일까요?',
        "많이 지치셨겠어요. 삶을 끝내고 싶다는 생각이 드시나요? 지금 혼자 계세요?",
        "Are you thinking of killing yourself?",
    ],
)
def test_a_direct_question_is_heard_in_a_reply(reply):
    assert asks_directly(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "많이 지치셨겠어요. 무엇이 제일 힘드세요?",
        "죽을 것 같은 느낌은 언제 드세요?",
        "죽고 싶을 만큼 힘드셨군요. 어떤 하루였나요?",
        "동생분이 자살로 떠나신 게 언제였나요?",
        '그분께 "혹시 자살을 생각하고 있어?" 하고 물어보셔도 괜찮아요.',
        "When did your brother die by suicide?",
    ],
)
def test_an_evasion_or_a_question_about_somebody_else_is_no_direct_question(reply):
    assert not asks_directly(reply)


def test_only_what_is_asked_last_counts_where_it_must():
    assert not asks_directly("혹시 죽고 싶다는 뜻인가요? 곁에 누가 있나요?", last=True)


@pytest.mark.parametrize(
    "text",
    [
        "상담 전화번호 알려주세요",
        "어디에 전화하면 돼요?",
        "도움 받을 수 있는 곳이 어디예요",
        "번호 다시 알려줘",
        "상담 전화 있어요?",
        "전에 상담 받아 봤는데 번호 좀 다시 알려 주세요",
        "예전에 상담센터 다닌 적 있는데 지금 전화할 수 있는 번호 있나요?",
        "엄마한테 전화해도 안 받아요 도움 받을 곳 있어요?",
        "도움 받을 수 있는 사람 있나요?",
        "어디에도 말할 데가 없는데 누구한테 연락하면 돼요?",
        "who can I call?",
    ],
)
def test_the_user_asks_for_resources(text):
    assert asks_resources(_read(text))


@pytest.mark.parametrize("text", ["친구 전화번호를 잊었어요", "오늘 힘들었어요", "call me later"])
def test_other_numbers_are_no_request_for_resources(text):
    assert not asks_resources(_read(text))


@pytest.mark.parametrize(
    "text",
    [
        "예전에 상담 전화해 본 적 있어요",
        "네, 작년에 학교 상담 센터에서 두 번 받아 봤어요",
        "상담센터에 다닌 적이 있어요",
        "정신건강복지센터에 상담 받으러 갔었어요",
        "상담 기관은 처음이에요",
        "도움 받을 수 있는 친구가 있어요",
        "누구한테 말하기가 어려워요",
        "I called a hotline once last year",
    ],
)
def test_what_one_has_done_or_has_is_no_request_for_resources(text):
    assert not asks_resources(_read(text))
