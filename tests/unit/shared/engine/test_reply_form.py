"""The form of a reply while it streams."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.engine.mended import Mended
from shared.engine.plain_marks import EMOJI
from shared.engine.prose import ReplyForm


def mended(text, pieces=None):
    form = ReplyForm()
    return "".join(form.take(piece) for piece in pieces or (text,)) + form.end(), form.mended


MARKED = {
    "**많이** 힘드셨겠어요. *정말*로요.": "많이 힘드셨겠어요. 정말로요.",
    "__오늘__은 `여기`까지 들을게요.": "오늘은 여기까지 들을게요.",
    "## 오늘의 정리\n많이 애쓰셨어요.": "오늘의 정리.\n많이 애쓰셨어요.",
    "##정리\n네.": "정리.\n네.",
    "> 그 말\n그랬군요.": "그 말\n그랬군요.",
    "그랬군요.\n---\n네.": "그랬군요.\n\n네.",
    "#`# 정리\n네.": "정리.\n네.",
    "#**# 정리\n네.": "정리.\n네.",
    "그랬군요. (공감하며) 많이 놀라셨겠어요.": "그랬군요. 많이 놀라셨겠어요.",
    "(고개를 끄덕이며) 네.\n| 감정 | 정도 |\n|---|---|\n| 슬픔 | 8 |\n그래요.": "네.\n감정, 정도.\n슬픔, 8.\n그래요.",
}
LISTED = {
    "이렇게 해 봐요:\n\n- 숨 쉬기\n- 걷기\n\n괜찮아요.": "이렇게 해 봐요: 숨 쉬기. 걷기.\n\n괜찮아요.",
    "1. 숨 쉬기\n2) 걷기": "숨 쉬기. 걷기.",
    "• 천천히 쉬어요.\n•걷기": "천천히 쉬어요. 걷기.",
    "*\n- 오늘": "오늘.",
    "네, ① 기분은 어떤지 ② 몸은 어떤지요.": "네, 기분은 어떤지 몸은 어떤지요.",
    "네.\n-\n+\n오늘이요.\n#": "네.\n\n\n오늘이요.\n",
}
PICTURED = {
    "오늘도 애썼어 😊 많이 힘들었지": "오늘도 애썼어. 많이 힘들었지",
    "오늘도 애썼어요.❤ 네": "오늘도 애썼어요. 네",
    "🌱 숨 쉬기\n🌿 걷기": "숨 쉬기\n걷기",
    "힘들😊었죠.": "힘들었죠.",
    "그랬군요 ㅠㅠ 😢 많이 놀라셨죠.": "그랬군요 ㅠㅠ 많이 놀라셨죠.",
}
LABELLED = {
    "상담사: 그랬군요. 어떠셨어요?": "그랬군요. 어떠셨어요?",
    "**CBot:** 그랬군요.": "그랬군요.",
    "[Counselor]: I see.": "I see.",
    "최종 답변：\n그랬군요.": "그랬군요.",
    "Final answer: That sounds hard.": "That sounds hard.",
}
MAY_BE_LABEL = re.compile(r"[\s\d_#*\[\]]*(?:[가-힣 ]{0,5}|[A-Za-z ]{0,12})")
LIKE_LABELS = (
    "답변드릴게요: 네.",
    "상담사가 있는 곳: 센터예요.",
    "Answer me when you can.",
    "상담사",
    "지금 할 일: 쉬기예요.",
)
LIKE_MARKS = (
    *("3 * 5는 15예요.", "snake_case라고 쓰셨군요.", "-5도였군요.", "2.5시간이나요?", "#우울 이라고요.", "3월에요."),
    *(
        "그랬군요~~ 네…",
        "두 줄\n\n이에요.  빈칸도",
        "ㅎㅎ 그랬군요^^",
        "109(24시간)에요.",
        "숨을 (천천히 내쉬어) 봐요.",
        "“네. 그래요?”라고요. 그래서 어땠어요?",
    ),
    *("“왜?” 하고 “어째서?” 하고요?", "괜찮으세요?!", "어땠어요?” 네."),
)
OTHER_MARKS = (
    "https://a.kr/?q=1 이 주소인가요?",
    "'왜 나만?'이라는 말이 남았군요. 언제 그래요?",
    "'Why don't they?' you asked. And now?",
    "많이 힘드셨죠? 무슨 일이 있으셨어요? 지금 혼자 계세요? 안으로 들어와 주실 수 있을까요?",
)


@pytest.mark.parametrize(
    ("rule", "texts"), [(Mended.MARKS, MARKED | LABELLED), (Mended.LIST, LISTED), (Mended.EMOJI, PICTURED)]
)
def test_what_is_no_speech_is_mended_and_named(rule, texts):
    assert {text: mended(text) for text in texts} == {text: (plain, (rule,)) for text, plain in texts.items()}


@pytest.mark.parametrize("text", [*LIKE_MARKS, *OTHER_MARKS, *LIKE_LABELS])
def test_what_is_like_a_mark_stays(text):
    assert mended(text) == (text, ())


PARTS = [*MARKED, *LISTED, *PICTURED, *LIKE_MARKS, *LABELLED, *LIKE_LABELS]
PARTS += ["**", "*", "_", "- ", "1. ", "## ", "?", "？", ".", "“", "”", '"', "‘", "\n", "\n\n", "😊", "`", "네", " "]
LEADING = re.compile(r"^\s*\d+\.\s", re.MULTILINE)
PLAIN = st.text(alphabet="가나다 요네.,!…“”\n3ab", max_size=80).filter(lambda text: not LEADING.search(text))
MARKDOWN = re.compile(r"^ *(?:[-+*] |\d{1,2}[.)] |#{1,6} )|\*\*|`", re.MULTILINE)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=8).map("".join), st.data())
def test_however_a_reply_is_cut_it_comes_out_the_same_and_plain(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole = mended(text)
    assert mended(text, pieces) == mended(text, text) == whole
    plain, _ = whole
    assert not MARKDOWN.search(plain)
    assert not EMOJI.search(plain)


@settings(max_examples=200, deadline=None)
@given(PLAIN)
def test_plain_text_passes_unchanged_and_only_blanks_a_label_and_a_number_at_the_start_of_a_line_wait(text):
    form, shown = ReplyForm(), ""
    for upto, char in enumerate(text, start=1):
        shown += form.take(char)
        assert re.fullmatch(r"\s*(?:\d+\.?)?", text[:upto].removeprefix(shown)) or MAY_BE_LABEL.fullmatch(text[:upto])
    assert shown + form.end() == text
