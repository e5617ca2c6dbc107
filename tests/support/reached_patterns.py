"""Reaches the lines that make a pattern of what is said in a conversation (compiled_patterns.py looks for them)."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from google.api_core.exceptions import AlreadyExists
from starlette.requests import Request

from functions.chat.http.api import PATH_PATTERNS
from shared.adapters.firestore import database
from shared.adapters.service_identity import invokers
from shared.content.catalogue import content
from shared.domain.agreement import citing
from shared.domain.errors import NotFound
from shared.lexicon import patterns
from shared.lexicon.lexicon_file import BilingualPhrases
from shared.locale import Locale
from shared.safety.protocol_questions import Topic
from shared.web.requests import path_id
from tests.builders.talk import Talk

_PEOPLE = "엄마 아빠 할머니 할아버지 남편 아내 친구 동생 언니 오빠 누나 형 아들 딸 남자친구 강아지"
TALKS = {
    Locale.KO: ("지훈이라고 불러 주세요", "팀장님 때문에 잠을 못 자요", "말하기 싫어요"),
    Locale.EN: ("I'm Sam", "My boss yells at me", "I'd rather not say"),
}


def reach() -> None:
    asyncio.run(_talk())
    known = content()
    known.lexicon.patterns._compile(frozenset())
    for name in patterns._QUESTIONS:
        known.lexicon.patterns.questions(name, "가a")
    known.lexicon.patterns.lead_in()
    for name in ("confirm", "confirm_filler", "backchannel", "ambiguous", "refuse"):
        known.lexicon.patterns.word(name)
    for service in known._claims:
        known.claim_of(service)
    _use_every_list()
    _read_answers_to_the_protocol()
    _compare_figures()
    _read_paths()


async def _talk() -> None:
    for locale, texts in TALKS.items():
        talk = Talk(locale=locale.value)
        for text in texts:
            await talk.say(text)


def _use_every_list() -> None:
    booking = content().booking_reader.answers
    booking.number("")
    booking.shift("")
    booking.claims("")
    questions = content().agreement_questions
    for name, _ in lists_of(questions.written):
        questions._pattern(name)


def _read_answers_to_the_protocol() -> None:
    answers = content().crisis_answers
    for topic in Topic:
        answers.told_by_answer(content().screening.screen("네"), topic, "?")
    answers.named_near(content().screening.screen("남편이 방 밖에 있어요"), "")
    answers._relatives_in(_PEOPLE)
    answers.lives(_PEOPLE, (_PEOPLE,))
    answers.died(_PEOPLE, ())
    answers.follows_the_dead("", ())


def _compare_figures() -> None:
    citing._counts("1", "")
    database.suspects(AlreadyExists(""), ())
    database._names(AlreadyExists(""), "a/1")
    invokers._compiled("https://*.example.com")


def _read_paths() -> None:
    for pattern in PATH_PATTERNS.values():
        request = Request({"type": "http", "path_params": {"id": ""}})
        with suppress(NotFound):
            path_id(request, "id", pattern)


def lists_of(words: object) -> Iterator[tuple[str, BilingualPhrases]]:
    """Yield the lists of a file of words."""
    return ((name, value) for name, value in vars(words).items() if isinstance(value, BilingualPhrases))


def every_joined_list() -> Iterator[tuple[str, str]]:
    """Yield a name and the pattern of every list of every file of words, used so far or not."""
    for words in gc.get_objects():
        join: Callable[[object, BilingualPhrases], str] | None = getattr(type(words), "join", None)
        if str(type(words).__module__).startswith("shared.") and join is not None and hasattr(words, "__dict__"):
            for name, phrases in lists_of(words):
                for source in _sources(phrases, partial(join, words)):
                    yield f"{type(words).__name__}.{name}", source


def _sources(phrases: BilingualPhrases, join: Callable[[BilingualPhrases], str]) -> list[str]:
    """Return a list as one pattern, or each entry where entries name the same group."""
    if "(?P<" not in join(phrases):
        return [join(phrases)]
    return [join(BilingualPhrases(ko=(one,))) for one in phrases.all]
