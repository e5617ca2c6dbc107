import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.content.guard_rules import GuardFile, guard_files
from shared.content.loader import load_yaml
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation
from shared.safety.output_guard.watch import Watch

CLEAN = "많이 지치셨을 것 같아요. 그 밤을 어떻게 보내셨나요?"
BAD = "그건 우울증이에요."
SITUATION = Situation(Register.FORMAL)


def guard(situation=SITUATION):
    return OutputGuard(content().guard_rules, situation, lambda category: f"[{category}]")


def categories(texts, situation=SITUATION):
    return {text: guard(situation).over(text).category for text in texts}


def stream(pieces, situation=SITUATION):
    watch = Watch(content().guard_rules, situation)
    shown = [watch.take(piece) for piece in pieces]
    return [*shown, watch.end()]


class TestACleanReply:
    def test_is_unchanged(self):
        texts = [CLEAN, f"{CLEAN}\n\n{CLEAN}", "네", "2.5시간이나요? “네. 그래요.”라고요.", "음… 네."]
        assert {text: guard().over(text).text for text in texts} == {text: text for text in texts}
        assert {text: "".join(stream(text)) for text in texts} == {text: text for text in texts}

    @pytest.mark.parametrize(
        "pieces",
        [
            [("많이 지", ""), ("치셨을 것", "많이 지치셨을"), (" 같아요", " 것")],
            [("걱정이 많으셨군요, 그", "걱정이 많으셨군요"), (" 밤을 ", ", 그 밤을")],
            [
                ("그때는 병원에서 약을 받아 ", "그때는 병원에서"),
                ("나오시던 길이 ", ""),
                ("유난히 ", " 약을 받아 나오시던 길이 유난히"),
            ],
            [("그랬군요. ", "그랬군요."), ("정말 애쓰셨어요", ""), (". ", " 정말 애쓰셨어요.")],
        ],
        ids=["two_words_late", "comma_with_its_word", "trigger_after_its_reach", "later_sentence_when_complete"],
    )
    def test_is_released_as_early_as_possible(self, pieces):
        watch = guard().watch()
        assert [(piece, watch.take(piece)) for piece, _ in pieces] == pieces


class TestAHit:
    def test_is_cut_after_the_previous_sentence_or_ellipsis_in_the_first_sentence(self):
        found = guard().over(f"{CLEAN} {BAD} 약을 드세요.")
        assert (found.text, found.category) == (f"{CLEAN} [diagnosis]", Category.DIAGNOSIS)
        assert found.rule == "ko-diagnosis"
        left = {
            "말씀하신 것을 들어 보니, 우울증이에요.": "말씀하신 것을 들어 보니… [diagnosis]",
            "음 그건… 우울증이에요.": "음 그건… [diagnosis]",
            BAD: "[diagnosis]",
            "우울증이에요. 네.": "[diagnosis]",
            f"{CLEAN} 우울증이에요": f"{CLEAN} [diagnosis]",
            "그랬군요.\n우울증이에요.": "그랬군요. [diagnosis]",
            "- 천천히 숨쉬기\n- 우울증이에요": "- 천천히 숨쉬기 [diagnosis]",
            "그랬군요\n\n우울증이에요": "그랬군요 [diagnosis]",
        }
        assert {text: " ".join(guard().over(text).text.split()) for text in left} == left

    def test_of_means_decides_the_category_of_a_sentence_with_several_hits(self):
        assert guard().over("그건 우울증이고요, 목을 매면 금방이에요.").category is Category.MEANS

    def test_ends_the_watch(self):
        watch = guard().watch()
        watch.take(f"{CLEAN} {BAD} ")
        assert watch.caught
        assert watch.take("그리고 더 있어요. ") == ""


def _user_said(words):
    return Situation(Register.FORMAL, said=words)


NOTICED = Situation(Register.FORMAL, noticed=True)
SMILING = [f"오늘도 애썼어{mark}" for mark in ("😊", " 😊", " :)", "^^", " ㅎㅎ", "!!", "…")]
SMILING += [f"{text} 많이 힘드셨지요?" for text in SMILING]
FOUND = {
    "diagnosis_despite_emphasis_full_width_letters_and_odd_spaces": (
        SITUATION,
        Category.DIAGNOSIS,
        ("**우울**증이에요.", "우울증 이에요.", "ＡＤＨＤ예요.", "You’ve got **depression**."),
    ),
    "nothing_in_a_sentence_with_an_exception": (SITUATION, None, ("우울증이라고 들으셨을 때 어떠셨어요?",)),
    "nothing_in_a_quotation_of_the_user": (SITUATION, None, ("“우울증이에요.”라는 말을 들으셨군요.",)),
    "means_not_named_by_the_user": (SITUATION, Category.MEANS, ("번개탄도 있지요.",)),
    "no_means_named_by_the_user": (_user_said("번개탄 생각을 해요"), None, ("번개탄이라는 말이 나왔네요.",)),
    "described_means": (_user_said("번개탄 생각을 해요"), Category.MEANS, ("번개탄은 고통이 없어요.",)),
    "named_means_with_amount_place_source_comparison_or_in_passing": (
        _user_said("번개탄 두 장 차 안에서 쓰면 되나요 농약 마트"),
        Category.MEANS,
        (
            *("번개탄은 두 장이면 됩니다.", "번개탄은 차 안에서 쓰시면 돼요.", "번개탄은 마트에서 살 수 있어요."),
            *("번개탄이 농약보다 나아요.", "번개탄도 있지요."),
        ),
    ),
    "no_named_means_in_a_question_a_reflection_or_advice_to_remove_them": (
        _user_said("번개탄 샀어요"),
        None,
        ("번개탄은 지금 어디에 있나요?", "번개탄을 떠올리셨군요.", "번개탄은 다른 분께 맡기시면 좋겠어요."),
    ),
    "no_phone_number_named_by_the_user": (_user_said("010-1234-5678인데요"), None, ("010-1234-5678로 전화하셨군요.",)),
    "no_register_without_a_session_register": (Situation(None), None, ("그랬구나. 그랬군요.",)),
    "register_before_a_smile": (SITUATION, Category.REGISTER, SMILING),
    "nothing_in_a_quotation_of_another_person": (
        SITUATION,
        None,
        (
            '"네 탓이야." 그 말이 아직 남아 있군요.',
            "“우울증이에요”라는 말을 들으셨을 때 어떠셨어요?",
            '"저는 사람이에요"라고 적으셨군요.',
            '"우울증이에요." 이 말을 듣고 많이 놀라셨군요.',
            "“우울증이에요.”\n그 말을 들으셨을 때 어떠셨어요?",
            "병원에서 들으신 말은 이거였지요: “우울증이에요.”",
            '친구가 보낸 메시지: "비밀로 할게."',
            'The label says: "Take 10 mg at night."',
        ),
    ),
    "link_to_an_unlisted_host": (
        SITUATION,
        Category.LINK,
        (
            *("https://findahelpline.com.evil.kr 들어가 보세요.", "www.evil.kr/findahelpline.com 들어가 보세요."),
            "https://evil.kr/?to=findahelpline.com 들어가 보세요.",
        ),
    ),
    "no_link_to_a_listed_host": (
        SITUATION,
        None,
        (
            *("https://findahelpline.com 들어가 보세요.", "findahelpline.com에 들어가 보세요."),
            "(https://www.1388.go.kr/) 들어가 보세요.",
        ),
    ),
}


@pytest.mark.parametrize(("situation", "category", "texts"), FOUND.values(), ids=FOUND)
def test_the_guard_finds_this_category(situation, category, texts):
    assert categories(texts, situation) == dict.fromkeys(texts, category)


CAUGHT = {
    "dose_named_by_the_user": (_user_said("20mg 먹어도 돼요?"), ("하루 20mg이면 괜찮아요.",)),
    "retired_number_named_by_the_user": (_user_said("1393에 전화했어요"), ("1393으로 다시 걸어 보세요.",)),
    "claims_and_advice_of_the_speaker_in_quotation_marks": (
        SITUATION,
        (
            *('"네, 저는 사람이에요."', '"네, 저는 사람이에요." 걱정 마세요.', '제가 드리는 말씀: "비밀로 할게요."'),
            *("“수면제를 드셔 보세요.”", '"하루 10mg이면 충분해요."', '그럼요: "비밀로 할게요."'),
        ),
    ),
    "hit_across_a_line_break": (
        Situation(),
        ("수면제를\n드셔 보세요.", "저는\n사람이에요.", "비밀로\n할게요.", "I will\nnot tell anyone."),
    ),
    "line_without_a_full_stop": (
        SITUATION,
        (
            *("그건 우울증이에요\n푹 쉬어 보세요", "1. 우울증이에요\n2. 쉬세요"),
            *("비밀로 할게요\n더 말씀해 주세요", "너를 사랑해\n정말로"),
        ),
    ),
}


@pytest.mark.parametrize(("situation", "texts"), CAUGHT.values(), ids=CAUGHT)
def test_the_guard_finds_any_category(situation, texts):
    assert [text for text, category in categories(texts, situation).items() if category is None] == []


def test_a_repeated_ai_notice_is_left_out():
    found = guard(NOTICED).over("네, 저는 AI예요. 궁금하셨군요. 저는 사람이 아니에요. 이어서 들을게요.")
    assert (found.text, found.category) == ("궁금하셨군요. 이어서 들을게요.", None)
    assert found.left_out == (Category.REPEATED, Category.REPEATED)
    assert guard(NOTICED).over("저는 AI예요.").text == ""


def test_a_line_break_in_a_clean_sentence_cuts_nothing():
    texts = ["병원에서 우울증이라고\n들으셨군요", "그랬군요\n많이 힘드셨겠어요\n더 들려주시겠어요"]
    assert {text: guard().over(text).text for text in texts} == {text: text for text in texts}


FILES = [load_yaml(path, GuardFile) for locale in Locale for path in guard_files(locale)]
PARTS = [example for file in FILES for rule in file.rules for example in (*rule.found, *rule.not_found)]
PARTS += [CLEAN, "\n\n", "“", "”", '"', "…", "네", "**", "저는 ", "약을 ", "1", "it is ", ". ", "지난번에 "]
SITUATIONS = [SITUATION, Situation(Register.CASUAL, record=True), Situation(None, said="10mg 먹어요 AI"), NOTICED]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6), st.sampled_from(SITUATIONS), st.integers(0, 999))
def test_the_streamed_text_is_the_same_and_clean_for_any_split_into_pieces(parts, situation, seed):
    text = " ".join(parts)
    rng = random.Random(seed)
    cuts = sorted(rng.sample(range(len(text) + 1), min(len(text), rng.randint(0, 12))))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    shown = stream(pieces, situation)
    assert "".join(shown) == "".join(stream([text], situation)) == "".join(stream(text, situation))
    final = guard(situation).over(text)
    assert final.text.startswith("".join(shown))
    for upto in range(len(shown)):
        assert guard(situation).over("".join(shown[: upto + 1])).category in (None, Category.REGISTER)
    if final.category is None and not final.left_out:
        assert final.text.split() == text.split()
