"""The shipped word lists and patterns, checked with their own examples and with other sentences."""

import unicodedata
from functools import partial
from itertools import product

import pytest

from shared.content.catalogue import content
from shared.content.word_files import load_answers, load_words
from shared.domain.counseling.user_state import CLEAR_EMOTION, STRONG_EMOTION, EmotionLabel, Resistance
from shared.domain.slots import SlotKind
from shared.lexicon.asking import asks_of
from shared.lexicon.lexicon_file import LexiconFile
from shared.lexicon.session_words import without_questions
from shared.lexicon.words import Answer
from shared.locale import Locale, Register
from tests.builders.sentences import sentences

LEXICON, WORDS = content().lexicon, content().session_words
ANSWERS, NAMES, STATES, TOPICS, SESSION = (
    sentences(f"lexicon/{name}") for name in ("answers", "names", "states", "topics", "session_words")
)
HUMAN = sentences("asks_if_human")
ASKING, NOT_ASKING = ([text for texts in HUMAN[part].values() for text in texts] for part in ("asking", "not_asking"))
FILE, BARE, LISTS = WORDS.written, load_answers(), load_words("lexicon.yaml", LexiconFile)
FEELING = LISTS.emotion
WISHES = (
    "wants_more",
    "wants_to_stay",
    "says_misread",
    "says_of_a_work",
    "says_goodbye",
    "asks_about_safety",
    "opens_up",
)
OF_THE_SESSION = {name: getattr(WORDS, name) for name in WISHES} | {
    "declines": partial(WORDS.declines, kind=SlotKind.TEXT),
    "declines_name": partial(WORDS.declines, kind=SlotKind.NAME),
}

PLAIN = {name: getattr(content().answers, name) for name in ("says_yes", "says_no", "says_none")} | {
    "agrees": partial(content().answers.says_yes, proposed=True)
}


def read(name):
    """Return a function that reads this attribute of a text."""
    return lambda text: getattr(LEXICON.read(text), name)


RECOGNISED = {
    "a request to end": (read("asks_to_end"), ANSWERS["ends"], ANSWERS["no_end"]),
    "a finished task": (read("says_task_done"), ANSWERS["done"] + ANSWERS["all_said"], ANSWERS["not_done"]),
    "that everything is said": (read("says_all_is_said"), ANSWERS["all_said"], ANSWERS["not_all_said"]),
    "that nothing is left": (read("has_nothing_to_say"), ANSWERS["nothing_left"], ANSWERS["something_left"]),
    "a backchannel": (read("is_backchannel"), NAMES["backchannels"], ["  ", *NAMES["words"]]),
    "an answer that the user does not have": (read("is_unsure"), BARE.not_known.examples, BARE.not_known.others),
    "a feeling": (lambda text: read("emotion")(text).intensity >= CLEAR_EMOTION, FEELING.examples, FEELING.others),
    "a change of topic": (read("changes_topic"), TOPICS["changes"], TOPICS["stays"]),
    "a question whether the service is human": (read("asks_if_human"), ASKING, NOT_ASKING),
    **{
        f"{name}, as an answer": (heard, getattr(BARE, name).examples, getattr(BARE, name).others)
        for name, heard in PLAIN.items()
    },
    **{
        f"{name}, by the file": (heard, written.examples, written.others)
        for name, heard in OF_THE_SESSION.items()
        for written in [getattr(BARE if name.startswith("declines") else FILE, name)]
    },
    **{
        f"{name}, in other words": (heard, SESSION["paraphrases"].get(name, []), SESSION["look_alike"].get(name, []))
        for name, heard in OF_THE_SESSION.items()
    },
}
READ = {
    **{("answer", answer): ANSWERS[answer.value] for answer in Answer},
    **{("resistance", kind): STATES["resistance"][kind.value] for kind in Resistance},
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_each_meaning_is_recognised_in_its_sentences_and_not_in_look_alikes(name):
    heard, meant, not_meant = RECOGNISED[name]
    assert meant or not_meant
    assert [text for text in meant if not heard(text)] == []
    assert [text for text in ("", *not_meant) if heard(text)] == []


@pytest.mark.parametrize(("reading", "wanted"), READ)
def test_each_kind_of_answer_and_of_resistance_is_read(reading, wanted):
    found = {text: getattr(LEXICON.read(text), reading) for text in READ[reading, wanted]}
    assert {text: one for text, one in found.items() if one is not wanted} == {}


def test_a_yes_with_further_content_is_no_confirmation():
    assert [text for text in ANSWERS["no_confirm"] if LEXICON.read(text).answer is Answer.CONFIRM] == []
    assert LEXICON.read("").answer is Answer.UNCLEAR


def test_a_named_emotion_is_read_and_a_denied_or_another_persons_is_not():
    named = {text: EmotionLabel(label) for label, texts in STATES["emotions"].items() for text in texts}
    assert {text: LEXICON.read(text).emotion.label for text in named} == named
    assert [text for text in named if LEXICON.read(text).emotion.intensity < CLEAR_EMOTION] == []
    found = {text: LEXICON.read(text).emotion for text in STATES["no_emotion"]}
    assert {text: emotion for text, emotion in found.items() if emotion != (EmotionLabel.NEUTRAL, 0)} == {}


def test_adverbs_change_the_intensity_and_the_strongest_emotion_counts():
    plain, *changed = [
        LEXICON.read(f"{word}외로워요").emotion.intensity for word in ("", "너무 ", "미칠 듯이 ", "조금 ")
    ]
    assert changed == [plain + 1, plain + 2, plain - 1]
    assert LEXICON.read("피곤하기도 하고 절망스러워요").emotion.label is EmotionLabel.SADNESS
    assert LEXICON.read("미칠 듯이 행복해요").emotion.intensity < STRONG_EMOTION, "a great joy asks for no regulation"


@pytest.mark.parametrize(
    "written",
    [
        str.upper,
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: f"  {text.replace(' ', '  ')}  ㅋㅋㅋ",
        lambda text: f"오늘 좀 힘들었어요. {text}" if len(text) > 8 else text,
        lambda text: f"{text} 궁금해서요." if len(text) > 8 else text,
    ],
    ids=["capitals", "decomposed", "blanks_and_laughter", "after_a_sentence", "before_a_sentence"],
)
def test_a_question_whether_the_service_is_human_is_found_in_any_spelling(written):
    questions = [f"{text.rstrip('?')}?" for text in ASKING]
    assert [text for text in questions if not LEXICON.read(written(text)).asks_if_human] == []


def test_content_words_ignore_particles_endings_and_order_but_keep_nouns_whole():
    alike = {
        "팀장님이 저를 무시해서 화가 나요": "화나요, 팀장님이 또 무시했어요",
        "밤에 혼자 있으면 외로워요": "혼자 있는 밤은 외롭고요",
        "힘들어요, 일이 많아서": "일은 많고 힘든 것 같아요",
        "나한테는 엄마가": "저는 엄마를",
        "My boss ignores me.": "I feel my boss is ignoring me",
    }
    unlike = {"회의가 길어요": "회사가 멀어요", "아이가 울어요": "제가 울어요", "휴가를 갔어요": "나이가 들었어요"}
    words = read("content_words")
    assert [one for one, other in (alike | unlike).items() if words(one) == words(other)] == list(alike)


def test_fillers_and_quotations_have_no_content_words():
    fillers = ("네 네", "그냥 그래요", "음… 그래서요", "있잖아요", "yes, I do", "")
    assert {text: words for text in fillers if (words := LEXICON.read(text).content_words)} == {}
    plain, quoted = LEXICON.read("제가 편지에 썼어요").content_words, ('"{}"', "“{}”", "‘{}’", "'{}'")
    texts = [f"제가 {marks.format('엄마가 밉다')}고 편지에 썼어요" for marks in quoted]
    assert [text for text in texts if LEXICON.read(text).content_words != plain] == []
    assert LEXICON.read("I don't trust her, can't sleep").content_words >= frozenset({"trust", "sleep"})


@pytest.mark.parametrize("voice", [*product(Locale, Register)])
def test_the_services_own_questions_about_the_end_ask_one_thing(voice):
    messages = content().messages(*voice)
    keys = ("confirm_end", "rest_or_end", "stay_or_end", "propose_wrap_up")
    assert {len(asks_of(text)) for key in keys for text in messages.variants(key)} == {1}
    kinds = ("", "_feeling", "_good", "_hard", "_short", "_leaving")
    assert [text for kind in kinds for text in messages.variants(f"received{kind}") if asks_of(text)] == []


def test_removing_the_questions_of_a_reply_keeps_its_statements():
    left = {
        "많이 힘드셨겠어요. 그 마음이 지금도 남아 있나요?": "많이 힘드셨겠어요.",
        "그 마음이 지금도 남아 있나요?": "",
        "네. 언제부터 그러셨어요? 천천히 말해도 돼요.": "네. 천천히 말해도 돼요.",
        "“왜 나만?” 하는 마음이셨군요. 지금도 그런가요?": "“왜 나만?” 하는 마음이셨군요.",
        "첫 줄이에요.\n정말 그랬어요?\n끝 줄이에요.": "첫 줄이에요.\n\n끝 줄이에요.",
        "그러셨군요.": "그러셨군요.",
    }
    assert {reply: without_questions(reply) for reply in left} == left


def test_that_much_was_said_beside_a_no_leaves_nothing_to_say():
    nothing = ("아니요, 없어요. 많이 했어요.", "없어, 실컷 얘기했어", "아니요 많이 말했네요")
    something = ("많이 힘들었어요", "아니요, 운동을 많이 했어요", "없어요. 엄마가 많이 말했어요")
    assert [text for text in nothing if not LEXICON.read(text).has_nothing_to_say] == []
    assert [text for text in something if LEXICON.read(text).has_nothing_to_say] == []
