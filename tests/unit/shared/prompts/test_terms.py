"""One term for the user in each prompt: the analysts' is 내담자 and client, the Counselor's 상대 and the person.

Where agreements are read, which name a client themselves, it is 질문자 and the asker.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.chat.flows.agreement.agents import EVALUATOR, TOOL_PLANNER, TRIAGE
from shared.content.catalogue import content
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.domain.counseling.session import SessionType
from shared.engine.runner import REASK
from shared.locale import Locale, Register
from shared.prompts.catalogue import Prompt
from tests.builders.every_agent import every_speaker
from tests.builders.prompt_inputs import counselor, filled

NOT_WORDS = re.compile(r"\{\{.*?\}\}|\{%(?! set words).*?%\}|<[^<>\n]*>", re.DOTALL)
"""Of a template: variables, statements other than those that set words, tags."""
COUNSELORS = tuple(speaker.prompt for speaker in every_speaker())
READERS = (TRIAGE.prompt, TOOL_PLANNER.prompt, EVALUATOR.prompt)
OTHERS = {
    "analyst": {
        Locale.KO: re.compile("상대|사용자|이용자|고객|유저"),
        Locale.EN: re.compile(r"\busers?\b|\bthe person\b|\bcustomer", re.IGNORECASE),
    },
    "reader": {
        Locale.KO: re.compile("내담자|상대|사용자|이용자|고객|유저"),
        Locale.EN: re.compile(r"\busers?\b|\bclients?\b|\bthe person\b|\bcustomer", re.IGNORECASE),
    },
    "counselor": {
        Locale.KO: re.compile("내담자|사용자|이용자|고객|유저"),
        Locale.EN: re.compile(r"\busers?\b|\bclients?\b|\bcustomer", re.IGNORECASE),
    },
}
OWN = {
    "analyst": {Locale.KO: "내담자", Locale.EN: "client"},
    "reader": {Locale.KO: "질문자", Locale.EN: "asker"},
    "counselor": {Locale.KO: "상대", Locale.EN: "person"},
}


def current() -> Iterator[tuple[str, Prompt]]:
    prompts = {(prompt.folder, prompt.agent): prompt for prompt, _ in filled(str) if prompt is not REASK}
    for prompt in prompts.values():
        yield "counselor" if prompt in COUNSELORS else "reader" if prompt in READERS else "analyst", prompt


@pytest.mark.parametrize("locale", Locale)
def test_a_prompt_file_has_its_readers_term_and_no_other(locale: Locale) -> None:
    mixed, without = {}, []
    for reader, prompt in current():
        words = NOT_WORDS.sub(" ", prompt.source(locale))
        if found := OTHERS[reader][locale].findall(words):
            mixed[prompt.name(locale)] = found
        if OWN[reader][locale] not in words:
            without.append(prompt.name(locale))
    assert (mixed, without) == ({}, [])


def test_every_current_prompt_is_among_them() -> None:
    folders = {path.parent.name for path in Path(__file__).parents[4].glob("functions/**/prompts/*/*.j2")}
    assert folders == {prompt.agent for _, prompt in current()}


def read_by_analysts(locale: Locale) -> Iterator[str]:
    for kind in SessionType:
        for register in Register:
            for task in content().templates(kind.value, locale, register):
                yield from filter(None, (task.title, task.description, task.target, task.completion_criteria))
        for goal in content().goals(kind, locale):
            yield f"{goal.title} {goal.description}"
    for module in content().modules(locale):
        yield module.description


@pytest.mark.parametrize("locale", Locale)
def test_content_that_analysts_read_has_their_term(locale: Locale) -> None:
    other = re.compile({Locale.KO: "사용자|이용자|상대(?!방)", Locale.EN: r"\b[Uu]sers?\b"}[locale])
    assert [text for text in read_by_analysts(locale) if other.search(text)] == []


@pytest.mark.parametrize("locale", Locale)
def test_the_analysts_term_in_content_and_models_words_is_the_counselors_in_its_prompt(locale: Locale) -> None:
    said = {Locale.KO: "내담자가 먼저 말하게 하세요", Locale.EN: "Let the client speak first"}[locale]
    filler = {"task_target", "restrictions", "execution_guide", "remark", "another_remark", "module_change_reason"}
    for module in content().modules(locale):
        shown = {"module_id": module.id, "module_name": module.name, "module_summary": module.summary, "concern": False}
        ask = {} if module.id != RESISTANCE_MODULE else {"ask": None}
        prompt, given = counselor(lambda name: said if name in filler else "-", **shown, **ask)
        found = OTHERS["counselor"][locale].findall(NOT_WORDS.sub(" ", prompt.render(locale, given).system))
        assert found == [], module.id
