"""The conditions that the reader is asked about: every entry is whole, and a wrong file names its line."""

import pytest

from shared.content.conditions import MOST, Conditions, Each, Effect, State, load_conditions
from shared.content.loader import load_yaml
from shared.domain.errors import ContentError
from shared.locale import Locale

ALL = load_conditions().conditions
EFFECTS = "".join(f"  {effect}: what it does\n" for effect in Effect)
ENTRY = """  one:
    when: always
    effect: say_ai
    ko: 무엇인가를 말했다
    en: says something
    yes: [하나, one]
    no: [둘, two]
"""


def load(tmp_path, conditions, effects=EFFECTS):
    path = tmp_path / "conditions.yaml"
    path.write_text(f"conditions:\n{conditions}effects:\n{effects}", encoding="utf-8")
    return load_yaml(path, Conditions).conditions


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param("always", "sometimes", 3, id="state"),
        pytest.param("always", "[]", 3, id="no state"),
        pytest.param("say_ai", "say_it", 4, id="effect"),
        pytest.param("무엇인가를 말했다", "말", 5, id="no sentence"),
        pytest.param("says something", "s" * 201, 6, id="too long"),
        pytest.param("    en: says something\n", "", 2, id="missing"),
        pytest.param("    ko:", "    colour: red\n    ko:", 5, id="unknown"),
        pytest.param("    ko:", "    when: [task]\n    ko:", 5, id="twice"),
        pytest.param("[둘, two]", "[둘]", 2, id="an example too few"),
        pytest.param("one:", "Two words:", 2, id="no snake_case"),
        pytest.param("one:", '"told:name":', 2, id="a colon in the id"),
    ],
)
def test_the_error_of_a_wrong_condition_names_file_and_line(tmp_path, old, new, line):
    assert set(load(tmp_path, ENTRY)) == {"one"}
    with pytest.raises(ContentError) as caught:
        load(tmp_path, ENTRY.replace(old, new))
    assert (caught.value.file, caught.value.line) == ("conditions.yaml", line)


def test_an_effect_that_nobody_explained_is_an_error(tmp_path):
    with pytest.raises(ContentError, match="hear_first"):
        load(tmp_path, ENTRY, EFFECTS.replace("  hear_first: what it does\n", ""))


def test_there_are_few(tmp_path):
    many = "".join(ENTRY.replace("one:", f"c{number}:") for number in range(MOST + 1))
    with pytest.raises(ContentError, match=f"at most {MOST}"):
        load(tmp_path, many)


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
