"""The conditions that the reader is asked about: every entry is whole, and a wrong file names its line."""

import pytest

from shared.content.conditions import MOST, Conditions, Each, Effect, State, load_conditions
from shared.content.loader import load_yaml
from shared.domain.errors import ContentError
from shared.locale import Locale

ALL = load_conditions().conditions
WITHOUT_EXAMPLES = {"complete", "circular"}
"""What meets them hangs on the talk before."""
ENTRY = """one:
  when: [always]
  effect: cover_task
  ko: 무엇인가를 말했다
  en: says something
"""


def load(tmp_path, text):
    path = tmp_path / "conditions.yaml"
    path.write_text(text, encoding="utf-8")
    return load_yaml(path, Conditions).root


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param("[always]", "[sometimes]", 2, id="state"),
        pytest.param("[always]", "[]", 2, id="no state"),
        pytest.param("cover_task", "cover_tasks", 3, id="effect"),
        pytest.param("무엇인가를 말했다", "말", 4, id="no sentence"),
        pytest.param("says something", "s" * 201, 5, id="too long"),
        pytest.param("  en: says something\n", "", 1, id="missing"),
        pytest.param("  ko:", "  colour: red\n  ko:", 4, id="unknown"),
        pytest.param("  ko:", "  when: [task]\n  ko:", 4, id="twice"),
    ],
)
def test_the_error_of_a_wrong_condition_names_file_and_line(tmp_path, old, new, line):
    assert set(load(tmp_path, ENTRY)) == {"one"}
    with pytest.raises(ContentError) as caught:
        load(tmp_path, ENTRY.replace(old, new))
    assert (caught.value.file, caught.value.line) == ("conditions.yaml", line)


@pytest.mark.parametrize("name", ["Two words", "Upper", "told:name", "1st"])
def test_an_id_is_snake_case(tmp_path, name):
    with pytest.raises(ContentError, match="snake_case"):
        load(tmp_path, ENTRY.replace("one:", f'"{name}":'))


def test_there_are_few(tmp_path):
    many = "".join(ENTRY.replace("one:", f"c{number}:") for number in range(MOST + 1))
    with pytest.raises(ContentError, match=f"at most {MOST}"):
        load(tmp_path, many)
    assert len(ALL) <= MOST


def test_every_effect_and_state_is_used():
    assert {one.effect for one in ALL.values()} == set(Effect)
    assert {state for one in ALL.values() for state in one.when} == set(State)


def test_those_that_stand_for_one_of_each_fill_or_replace_a_slot():
    assert {one.each: one.effect for one in ALL.values() if one.each} == {
        Each.SLOTS: Effect.FILL_SLOT,
        Each.KNOWN: Effect.REPLACE_SLOT,
    }


@pytest.mark.parametrize("name", ALL)
def test_each_says_something_in_both_languages_and_has_messages_that_meet_it_and_that_nearly_do(name):
    one = ALL[name]
    hangul = [any("가" <= sign <= "힣" for sign in one.sentence(locale)) for locale in (Locale.KO, Locale.EN)]
    assert hangul == [True, False]
    least = 0 if name in WITHOUT_EXAMPLES else 2
    assert [len(texts) >= least for texts in (one.yes, one.no)] == [True, True]
    assert not set(one.yes) & set(one.no)
    for text in (*one.yes, *one.no):
        assert text.count(" | ") <= 1
        assert all(part.strip() for part in text.split(" | ")), text


def test_only_conditions_of_a_present_state_are_shown():
    shown = load_conditions().shown({State.ALWAYS})
    assert shown
    assert all(State.ALWAYS in one.when for one in shown.values())
    assert load_conditions().shown(()) == {}
    assert load_conditions().shown(State) == ALL
