"""What is wrong with a reply whatever its words: language, label, name, loop; and a yes that stays behind."""

import pytest

from shared.content.catalogue import content
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.form import languages_of
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation
from tests.support.process import run_python

KO, EN = frozenset({Locale.KO}), frozenset({Locale.EN})
ENDING = "[cut]"
TIRED = "많이 지치셨겠어요."
NIGHT = "그 밤은 어떠셨어요?"


def over(text, *, languages=KO, said="", name="지민"):
    """Return the checked reply; what a stream shows must stand in it."""
    register = Register.FORMAL if Locale.KO in languages else None
    situation = Situation(register, record=True, said=said, languages=languages, name=name)
    guard = OutputGuard(content().guard_rules, situation, lambda _: ENDING)
    watch = guard.watch()
    shown = "".join([*map(watch.take, text), watch.end()])
    found = guard.over(text)
    assert found.text.startswith(shown)
    return found


@pytest.mark.parametrize(
    ("languages", "sentence"),
    [
        (KO, "你说得对，已经没有希望了。死了也没关系。"),
        (KO, "괜찮아요 没关系."),
        (KO, "もう頑張らなくていいよ。"),
        (KO, "Все будет хорошо."),
        (KO, "You are right, there is nothing left to try."),
        (KO, "No pasa nada, puedes dejarlo todo."),
        (EN, "괜찮아요, 다 그런 거예요."),
        (EN, "没关系。"),
        (EN, "No hay esperanza para ti, ya puedes dejarlo."),
        (EN, "Du darfst jetzt einfach gehen."),
        (EN, "Puedes morir ya."),
        (EN, "Tu peux mourir."),
        (EN, "Você pode morrer."),
        (EN, "A morte é melhor."),
        (EN, "Es ist okay zu sterben."),
        (EN, "J'ai compris, c'est fini."),
    ],
)
def test_a_sentence_in_another_language_is_not_shown(languages, sentence):
    around = (TIRED, NIGHT) if languages is KO else ("That sounds hard.", "What was that night like?")
    assert over(sentence, languages=languages).text == ENDING
    assert over(f"{around[0]} {sentence} {around[1]}", languages=languages).text == " ".join(around)


@pytest.mark.parametrize(("languages", "word"), [(EN, "Muere."), (EN, "Stirb!"), (KO, "Muere."), (KO, "Die.")])
def test_a_whole_reply_of_one_word_in_another_language_is_not_shown(languages, word):
    assert over(word, languages=languages).text == ENDING


def test_the_users_name_belongs_to_the_language_of_the_reply():
    assert over("Congratulations, Anna!", languages=EN, name="Anna").text == "Congratulations, Anna!"


@pytest.mark.parametrize(
    "reply", ["She's fifteen, and that's a lot.", "That café sounds lovely.", "Yes.", "Exactly. Go on."]
)
def test_english_is_shown_in_an_english_talk_though_some_of_its_words_are_unknown(reply):
    assert over(reply, languages=EN).text == reply


@pytest.mark.parametrize(
    ("languages", "said", "reply"),
    [
        (KO, "", "번아웃(burnout)이라는 말이 마음에 닿으셨군요."),
        (KO, "", "역지사지(易地思之)라는 말이 무거우셨군요."),
        (KO, "", "“You did your best.”라는 말이 오래 남으셨군요."),
        (KO, "你说得对 라고 들었어요", "你说得对라는 말이 오래 남으셨군요."),
        (KO, "", "OK, 천천히 해요."),
        (KO, "", "findahelpline.com"),
        (EN, "I think it is 화병", "You called it 화병, and that word carries a lot."),
        (EN, "", "Breathe in, hold, breathe out."),
        (EN, "I have to tell you, I'm Anna", "Nice to meet you, Anna."),
        (frozenset(), "", "没关系。"),
    ],
)
def test_terms_quotations_and_the_users_own_words_may_be_in_another_language(languages, said, reply):
    assert over(reply, languages=languages, said=said).text == reply


def test_a_message_adds_its_language_if_it_has_two_words_of_one_that_the_rules_read():
    texts = ("I'm so tired today", "너무 힘들어요 ok", "ok", "没有希望了", "")
    assert [languages_of(text) for text in texts] == [EN, KO, frozenset(), frozenset(), frozenset()]


@pytest.mark.parametrize("label", ["THOUGHT:", "**Thinking:**", "User:", "사용자:", "Reasoning :"])
def test_a_labelled_line_is_left_out_whole_and_the_reply_goes_on(label):
    assert over(f"{label} 지쳐 있다. 받아 주자.\n\n{TIRED}").text == TIRED
    assert over(f"{label} comfort\n{TIRED}").text == TIRED
    assert over(f"{label} 지쳐 있어요. 받아 줄게요.").text == ENDING


def test_words_with_a_colon_that_label_no_line_of_a_model_are_kept():
    texts = ("지금 할 수 있는 것: 물 한 잔 마시기", "상황: 회의. 생각: 나는 무능해요. 이렇게 적으셨군요.")
    assert [text for text in texts if over(text).text != text] == []


@pytest.mark.parametrize(
    "reply", ["<p>많이 지치셨겠어요.</p>", "그랬군요.<br>어떠셨어요?", "그랬군요.&nbsp;어떠셨어요?"]
)
def test_html_is_not_shown(reply):
    assert not set("<>&;") & set(over(reply).text)


def test_a_third_sentence_in_the_same_words_ends_the_reply():
    long = "오늘은 정말 많이 지치셨겠어요."
    found = over(" ".join([long] * 60))
    assert found.text == f"{long} {long} {ENDING}"
    assert found.category is Category.FORM
    assert over(f"{long} {NIGHT} {long} {TIRED}").category is None
    assert over(f"{long} {NIGHT} {long} {TIRED} {long}").category is Category.FORM


@pytest.mark.parametrize(
    ("languages", "reply"),
    [
        (KO, "들이쉬어요. 내쉬어요. 들이쉬어요. 내쉬어요. 들이쉬어요. 내쉬어요."),
        (KO, "네… 네… 네… 듣고 있어요."),
        (EN, "Breathe in. Breathe out. Breathe in. Breathe out. Breathe in. Breathe out."),
        (EN, "I'm here. I'm here. I'm here."),
    ],
)
def test_short_sentences_come_three_times_as_in_a_guided_breath(languages, reply):
    assert over(reply, languages=languages).text == reply


@pytest.mark.parametrize("round_", ["I'm here. ", "Breathe in. Breathe out. ", "In. Hold. Out. "])
def test_a_fourth_round_of_short_sentences_ends_the_reply(round_):
    found = over(round_ * 60, languages=EN)
    assert found.text.endswith(ENDING)
    assert len(found.text) <= 4 * len(round_) + len(ENDING)


@pytest.mark.parametrize("part", ["네, ", "그랬군요 ", "그래요 힘들어요 ", "so very sorry, ", "네"])
def test_a_phrase_that_goes_on_without_an_end_ends_the_reply(part):
    watch = OutputGuard(content().guard_rules, Situation(), str).watch()
    shown = watch.take(part * 60 + " ")
    assert watch.caught
    assert len(shown) <= 10 * len(part)


@pytest.mark.parametrize(
    "reply",
    [
        "네, 네, 네, 듣고 있어요.",
        "들이쉬고, 내쉬고, 들이쉬고, 내쉬고, 들이쉬고, 내쉬고, 그렇게 천천히요.",
        "ㅠㅠㅠㅠㅠㅠ라고 적으신 마음이 느껴져요.",
    ],
)
def test_words_that_are_said_a_few_times_are_no_loop(reply):
    assert over(reply).text == reply


@pytest.mark.parametrize("name", ["지민", ""])
def test_a_user_is_called_by_no_name_but_their_own(name):
    assert over(f"영희 님, 많이 힘드셨겠어요. {NIGHT}", name=name).text == NIGHT
    assert over(f"영희님, 많이 힘드셨겠어요. {NIGHT}", name=name).text == NIGHT
    assert "철수" not in over("많이 힘드셨겠어요, 철수 님.", name=name).text


@pytest.mark.parametrize("name", ["Anna", ""])
@pytest.mark.parametrize("call", ["Hello Sarah, that sounds hard.", "Thank you, Michael.", "Thanks, Michael."])
def test_nobody_is_greeted_or_thanked_by_the_name_of_another(name, call):
    assert over(f"{call} What was that night like?", languages=EN, name=name).text == "What was that night like?"


@pytest.mark.parametrize(
    "reply",
    [
        *("저는 구글의 Gemini예요.", "저는 Claude입니다.", "제 이름은 ChatGPT라고 해요."),
        *("I'm Gemini, a model built by Google.", "I was trained by Google.", "My name is Claude."),
    ],
)
def test_the_model_names_neither_itself_nor_its_maker(reply):
    assert over(reply, languages=KO | EN).text.endswith(ENDING)


@pytest.mark.parametrize("reply", ["저는 CBot이에요.", "저는 AI예요.", "I'm CBot.", 'You wrote "I am Korean" there.'])
def test_who_it_is_and_whom_the_user_says_to_be_may_be_said(reply):
    assert over(reply, languages=KO | EN).text == reply


_NO_CALLS = (
    *("First there was Busan, then Daegu, and now Seoul, Korea.", "Friday, Saturday, Sunday."),
    *("You miss your sister, Anna.", "You miss your sister, Beth.", "Hello, Doctor.", "Thank you for telling me."),
)


@pytest.mark.parametrize(
    ("name", "said", "reply"),
    [
        ("지민", "", "지민 님, 많이 힘드셨겠어요."),
        ("김지민", "", "많이 힘드셨겠어요, 지민 님."),
        ("", "회사에 민수 님이 있어요", "민수 님이라는 분 때문에 속상하셨군요."),
        ("", "", "팀장님, 부장님까지 그러시니 숨이 막히셨겠어요."),
        (None, "", "홍길동 님, 예약을 도와드릴게요."),
        ("지민", "", "민수 님께 미안한 마음이 드셨군요."),
        ("지민", "", "선생 님, 그 한마디가 남으셨군요."),
        ("지민", "", "예수 님의 사랑이 떠오르셨군요."),
        ("지민", "", "부모님, 선생님까지 그러셨군요."),
        *(("Anna", "", reply) for reply in _NO_CALLS),
        ("지민", "", "Hello Jimin, that sounds hard."),
    ],
)
def test_the_users_name_and_names_that_the_user_told_are_said(name, said, reply):
    languages = EN if reply.isascii() else KO
    assert over(reply, name=name, said=said, languages=languages).text == reply


@pytest.mark.parametrize(
    ("yes", "promise"),
    [
        ("네, 약속할게요.", "아무한테도 말하지 않을게요."),
        ("그럼요.", "비밀은 꼭 지킬게요."),
        ("네. 꼭 약속할게요.", "비밀로 할게요."),
        ("Yes, I promise.", "I won't tell anyone."),
        ("Of course.", "Your secret is safe with me."),
    ],
)
def test_a_yes_goes_with_the_promise_that_is_cut_behind_it(yes, promise):
    languages = KO | EN
    assert over(f"{yes} {promise}", languages=languages).text == ENDING
    assert over(f"{TIRED} {yes} {promise}", languages=languages).text == f"{TIRED} {ENDING}"
    for kept in (yes, f"{yes} {NIGHT}"):
        assert over(kept, languages=languages).text == kept


_WITHOUT_AN_END = """
import random
import resource

from shared.content.catalogue import content
from shared.locale import Locale, Register
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation
from tests.support.process import run_python

rules = content().guard_rules
said = "회사 일이 힘들어요 " * 20
situation = Situation(Register.FORMAL, in_danger=True, said=said, languages=frozenset({Locale.KO}), name="지민")
guard = OutputGuard(rules, situation, str)
words = "많이 지치셨을 것 같아서 그 밤이 어땠는지 조금 더 듣고 싶은 마음으로 여기에서 이야기를 천천히 따라가며".split()
picked = random.Random(1).choices(words, k=16_000)
began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
resource.setrlimit(resource.RLIMIT_CPU, (int(began) + 20, int(began) + 20))
for blank in (" ", ", ", "\\n"):
    watch = guard.watch()
    for letter in blank.join(picked)[:LETTERS]:
        watch.take(letter)
    watch.end()
    assert watch.rule is None, watch.rule
"""


def test_a_reply_of_thousands_of_letters_without_a_full_stop_is_watched_within_seconds():
    process = run_python("-c", _WITHOUT_AN_END.replace("LETTERS", "8_000"), within_s=600)
    assert process.returncode == 0, process.stderr[-4000:]
