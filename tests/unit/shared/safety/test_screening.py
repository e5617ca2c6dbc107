import json
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.content.loader import load_yaml
from shared.content.safety_rules import rule_files
from shared.content.schemas.safety_rules import RuleFile
from shared.locale import Locale
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family
from shared.safety.needs import Need
from shared.safety.screening import END, ends_of

CRISIS = CrisisOutcome.CRISIS.severity
_FIXTURES = Path(__file__).parents[3] / "fixtures"


def _rows(name):
    return [json.loads(line) for line in (_FIXTURES / name).read_text(encoding="utf-8").splitlines()]


def _detect(text):
    return content().screening.screen(text).crisis


def test_nine_of_ten_messages_of_each_label_are_found_as_labelled():
    def found(text):
        finding = _detect(text)
        return CrisisOutcome.CONCERN if finding.hints else finding.outcome

    rows = [row for row in _rows("crisis_probe.jsonl") if row["label"] != "none"]
    right = Counter(row["label"] for row in rows if found(row["text"]) == row["label"])
    total = Counter(row["label"] for row in rows)
    for label, count in total.items():
        assert right[label] >= 0.9 * count, (label, right[label], count)


def test_an_idiom_or_a_substring_is_no_finding():
    texts = (
        *("배고파 죽겠다", "웃겨 죽겠네", "더워 죽겠다", "보고싶어 죽겠는데"),
        *("적금 말고 펀드에 투자해 볼까 봐", "언니가 같이 보자해서 봤어", "혈투신이 볼만해", "혼자살고 싶어"),
        *("기죽어 있지 마", "죽고싶냐", "맛이 죽인다", "I'm so hungry I could die", "this is to die for"),
    )
    assert {text: found for text in texts if (found := _detect(text)) != Finding()} == {}


def test_the_users_own_wish_to_die_is_distinguished_from_another_persons():
    assert _detect("영화 보고 왔어. 배고파 죽겠다. 그런데 요즘 자꾸 죽고 싶어.").outcome is CrisisOutcome.CRISIS
    assert _detect("친구가 죽고 싶대요").outcome is CrisisOutcome.THIRD_PARTY
    assert _detect("친구가 떠나서 죽고 싶어요").outcome is CrisisOutcome.CRISIS
    assert _detect("친구가 죽고 싶대요. 사실 저도 죽고 싶어요").outcome is CrisisOutcome.CRISIS


def test_the_most_pressing_finding_decides_and_every_rule_is_named():
    finding = _detect("죽고 싶어서 수면제를 사모았어요")
    assert finding.outcome is CrisisOutcome.IMMINENT
    assert len(finding.rule_ids) >= 2
    assert finding.outcomes >= {CrisisOutcome.IMMINENT, CrisisOutcome.CRISIS}


_NEAR_THE_RULES = list("죽고싶어자살해친구가약을먹 .?ㅈㅏㄱ\ud800i dkilmysef")


@given(st.one_of(st.text(alphabet=alphabet, max_size=300) for alphabet in (st.characters(), _NEAR_THE_RULES)))
def test_screening_any_text_raises_no_error(text):
    _detect(text)


_AROUND = (
    *("", "오늘은 날씨가 좋았어요. ", "회사에서 회의를 두 번 했습니다. "),
    *("I had lunch with my sister. ", "그냥 써 봐요\n"),
)
_CRISES = sorted(
    text
    for locale in Locale
    for path in rule_files(locale)
    if (written := load_yaml(path, RuleFile)).family is Family.CRISIS
    for rule in written.rules
    if rule.outcome == CrisisOutcome.CRISIS
    for text in rule.found
)


@given(st.sampled_from(_CRISES), st.sampled_from(_AROUND), st.sampled_from(_AROUND))
def test_a_crisis_is_found_between_sentences_about_something_else(text, before, after):
    assert _detect(f"{before}{text}. {after}").outcome.severity >= CrisisOutcome.CRISIS.severity


@given(st.sampled_from(_CRISES), st.data())
def test_unicode_forms_and_invisible_characters_do_not_hide_a_crisis(text, data):
    for form in ("NFC", "NFD"):
        assert _detect(unicodedata.normalize(form, text)) == _detect(text)
    at = data.draw(st.integers(0, len(text)))
    unseen = data.draw(st.sampled_from(["\u200b", "\u2060", "\ufeff", "\u00ad", "\ufe0f"]))
    assert _detect(text[:at] + unseen + text[at:]) == _detect(text)


def test_a_disguised_sign_adds_up_with_one_in_the_next_sentence():
    assert _detect("하늘나라는 어떨까").outcome is _detect("일기장을 전부 태웠어요").outcome is CrisisOutcome.NONE
    assert _detect("하1늘1나1라1는 어떨까. 일기장을 전부 태웠어요.").outcome is CrisisOutcome.CONCERN


def test_other_spellings_of_a_wish_to_die_are_read():
    texts = (
        *("wnrrh tlvek", "jukgo sipda", "ready to ctb", "I wnat to kil myslef", "su!c!dal all day"),
        *("죽구정 허다", "ㅈ ㅏ 살 하고 싶다"),
    )
    assert {text: _detect(text).outcome for text in texts} == dict.fromkeys(texts, CrisisOutcome.CRISIS)


@pytest.mark.parametrize(
    ("text", "outcome", "need"),
    [
        ("이제 정말 죽고 싶어요", CrisisOutcome.CRISIS, Need.LIFE),
        ("I want to kill myself", CrisisOutcome.CRISIS, Need.LIFE),
        ("남편이 때려서 지금 화장실에 숨어 있어요", CrisisOutcome.ABUSE_NOW, Need.VIOLENCE),
        ("남편이 매일 때려서 죽고 싶어요", CrisisOutcome.CRISIS, Need.VIOLENCE),
    ],
)
def test_a_danger_is_found_with_its_outcome_needs_and_rule_ids(text, outcome, need):
    message = content().screening.screen(text)
    assert (message.outcome, message.pressing) == (outcome, True)
    assert need in message.needs
    assert message.rule_ids
    assert text not in repr(message)


def test_only_the_two_ends_of_a_long_text_are_read():
    text = "가" * END + "나" * 50_000 + "다" * END
    assert ends_of(text) == f"{'가' * END}\n\n{'다' * END}"
    assert ends_of(text[: 2 * END]) == text[: 2 * END]


def test_ordinary_language_is_no_crisis_and_hardly_ever_a_concern():
    messages = json.loads((_FIXTURES / "safety/ordinary.json").read_text(encoding="utf-8"))
    outcomes = {message: _detect(message).outcome for message in messages}
    assert len(outcomes) == len(messages) > 1500
    assert [message for message, outcome in outcomes.items() if outcome.severity > CrisisOutcome.CONCERN.severity] == []
    assert sum(outcome is not CrisisOutcome.NONE for outcome in outcomes.values()) <= len(messages) / 100


@pytest.mark.parametrize("locale", Locale)
def test_crises_in_messages_by_independent_writers_are_found_with_few_false_alarms(locale):
    rows = _rows(f"safety/strangers_{locale.value}.jsonl")
    at_crisis = Counter(row["category"] for row in rows if _detect(row["text"]).outcome.severity >= CRISIS)
    total = Counter(row["category"] for row in rows)
    assert at_crisis["explicit"] >= 0.9 * total["explicit"]
    assert at_crisis["hard_negative"] <= 0.05 * total["hard_negative"]
    violence = [content().screening.screen(row["text"]).outcome for row in rows if row["category"] == "violence"]
    assert sum(outcome is not CrisisOutcome.NONE for outcome in violence) >= 0.85 * len(violence)


def test_of_ordinary_counselling_talk_at_most_one_turn_gets_the_protocol_and_four_are_noticed():
    """A message is noticed if a model, or without one the question about dying, has to do with its words."""
    rows = [row for row in _rows("safety/counselling_talk.jsonl") if row["label"] != "crisis"]
    read = [content().screening.screen(row["text"]) for row in rows]
    assert len(read) == 1212
    assert len([one.text for one in read if one.outcome.needs_protocol]) <= 1
    noticed = [one.text for one in read if one.outcome is not CrisisOutcome.NONE or one.crisis.hints]
    assert len(noticed) <= 4, noticed


@pytest.mark.parametrize(
    "text",
    [
        *(
            "저는 그렇게 생각합니다",
            "생활합니다",
            "인생에 감사합니다",
            "중요한 존재가 되고 싶어요",
            "맘 편히 푹 자고 싶어요",
        ),
        *("상태가 점점 나빠지는 것 같아서", "상태가 점점 나빠지는 것 같아서 좋은 방법을 찾고 싶어요"),
        *("오늘은 여기까지 할게요. 그만 끝낼래요", "이제 마무리하고 싶어요", "오늘은 여기서 끝내면 좋겠어요"),
        *("어디 숨어 버리고 싶었어요", "회사 생각을 내려놓고 싶어요", "서운하면 말을 안 하고 사라져 버려요"),
        *("저는 친구가 없거든요", "저는 할 말 없으니까 알아서 하세요", "내일 상담 못 할 것 같은데 취소할게요"),
        *("막막하고 절망적이었습니다", "남편이 죽고 나서는 언니한테 의지해요", "작년에 강아지를 떠나보냈어요"),
        *(
            "ok I'll do it",
            "ok I'll do it tonight",
            "fine, I'll do it today",
            "I did it myself",
            "I made a plan",
            "I said something stupid.",
            "Today was my last day there.",
        ),
        *(
            "I'd like to stop here",
            "I don't know what to say here",
            "I finally said goodbye to my ex",
            "one small step",
        ),
        *("할머니가 하늘에서 지켜보실 거예요", "없던 일로 됐으면 좋겠어요", "저도 곧 갈게요"),
        *("마지막으로 감사 인사를 드리고 싶어요", "두 번 시도했는데 실패했어요", "바다에 들어갈까 고민했어요"),
        *("I hope nothing is wrong", "a new car would be nice", "I keep thinking about the car accident"),
        *("I wish I lived closer to my sister", "if I walked into the room everyone would stare", "I hate being here"),
        *("I won't see my kids until Christmas", "I finally pulled the trigger and quit", "I wrote a note."),
        *("I was standing on the platform waiting for the train", "I want to put an end to this argument"),
    ],
)
def test_an_ordinary_sentence_raises_nothing(text):
    read = content().screening.screen(text)
    assert (read.outcome, read.crisis.hints) == (CrisisOutcome.NONE, ())


@pytest.mark.parametrize(
    "text",
    [
        *("힘들긴 한데 죽고 싶다 그런 건 아니고요", "자살하고 싶다 그런 건 아니고요", "죽고 싶은 정도까지는 아니고요"),
        *("예전에 죽고 싶었어요", "I was suicidal in college. I'm not now", "I don't want to die"),
    ],
)
def test_a_wish_to_die_that_is_denied_or_over_is_left_to_a_model(text):
    found = _detect(text)
    assert (found.outcome, bool(found.hints)) == (CrisisOutcome.NONE, True)


@pytest.mark.parametrize(
    "text", ["놀라지 마 괜찮아", "엄마가 걱정하지 말래요", "I wrote a letter to my daughter for later"]
)
def test_a_lone_weak_sign_is_left_to_a_model_and_two_kinds_are_a_concern(text):
    found = _detect(text)
    assert found.outcome is CrisisOutcome.NONE
    assert found.hints
    assert _detect(f"{text}. 저 하늘나라는 어떨까요").outcome is CrisisOutcome.CONCERN
