"""Whom the crisis protocol sends people to: the lines of each danger in their order, and no number without a source."""

import re
from pathlib import Path

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice, sourced
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need, needs_of
from tests.support.phone_numbers import listed_numbers, numbers_in

_ROOT = Path(__file__).parents[4]
_KO, _EN = (Voice(locale=locale, register_=Register.FORMAL) for locale in (Locale.KO, Locale.EN))
_VOICES = [_KO, _KO.model_copy(update={"register_": Register.CASUAL}), _EN]


def _numbers(text):
    return re.findall(r"(?m)^· .* (\S+) \(", text)


def _strings(node):
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict | list | tuple):
        for below in node.values() if isinstance(node, dict) else node:
            yield from _strings(below)


def test_every_number_in_a_text_is_one_of_the_hotlines():
    shown = {
        *("replies", "for_minors", "for_hurt_minors", "for_harming_minors", "care", "ask_directly"),
        *("leave", "goodbye", "farewell", "block"),
    }
    numbers = {
        number
        for text in _strings(content().crisis_replies.written.model_dump(include=shown))
        for number in numbers_in(text)
    }
    assert {"119", "112", "1388", "911"} <= numbers
    assert numbers <= listed_numbers()


def test_a_number_is_sourced_only_as_a_whole():
    known = ["119", "112", "988", "911", "1577-0199", "116 123"]
    numbers = [*known, "11", "0199", "116", "123"]
    assert [number for number in numbers if sourced(number, content().hotlines)] == known


def test_each_outcome_shows_its_own_lines():
    talking, coming = ["109", "1577-0199"], ["119", "112", "109", "1577-0199"]
    lines = {
        CrisisOutcome.CONCERN: talking,
        CrisisOutcome.THIRD_PARTY: talking,
        CrisisOutcome.CRISIS: talking,
        CrisisOutcome.HARM_TO_OTHERS: ["112", "119", *talking],
        CrisisOutcome.IMMINENT: coming,
        CrisisOutcome.ATTEMPTED: coming,
        CrisisOutcome.THIRD_PARTY_NOW: coming,
        CrisisOutcome.ABUSE: ["112"],
        CrisisOutcome.ABUSE_NOW: ["112", "119"],
    }
    shown = {
        outcome: content().crisis_replies.resources(Locale.KO, needs_of(outcome), minor=False) for outcome in lines
    }
    assert {outcome: [one.number for one in ones] for outcome, ones in shown.items()} == lines


@pytest.mark.parametrize(
    ("outcome", "needs", "numbers"),
    [
        (CrisisOutcome.CRISIS, (Need.VIOLENCE, Need.POLICE), ["109", "1577-0199", "1366", "112"]),
        (CrisisOutcome.ABUSE_NOW, (Need.VIOLENCE, Need.LIFE), ["112", "119", "1366", "109", "1577-0199"]),
        (CrisisOutcome.IMMINENT, (Need.POLICE, Need.VIOLENCE), ["119", "112", "109", "1577-0199", "1366"]),
        (CrisisOutcome.CRISIS, (Need.EMERGENCY,), ["119", "112", "109", "1577-0199"]),
        (CrisisOutcome.ABUSE, (Need.SCHOOL, Need.MIND), ["117", "1577-0199", "112"]),
        (CrisisOutcome.ABUSE, (Need.ELDER, Need.VIOLENCE), ["1577-1389", "1366", "112"]),
    ],
)
def test_lines_of_several_findings_add_up_and_who_comes_at_once_stands_first_where_a_life_is_in_danger(
    outcome, needs, numbers
):
    assert _numbers(content().crisis_replies.reply(outcome, _KO, 0, needs=needs)) == numbers


def test_english_lines_stand_by_country_the_emergency_number_first_and_no_line_has_two_colons():
    lines = [
        line
        for line in content().crisis_replies.reply(CrisisOutcome.IMMINENT, _EN, 0).splitlines()
        if line.startswith("·")
    ]
    assert _numbers("\n".join(lines))[:2] == ["911", "988"]
    assert [line.split(": ")[1].split(" (")[0] for line in lines] == [
        *("911", "988", "999", "116 123", "119", "112", "109", "1577-0199"),
        "https://findahelpline.com",
    ]
    assert all(line.count(": ") == 1 for line in lines)


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
def test_the_blocks_that_code_appends_hold_every_resource(voice):
    needs = tuple(Need)
    for block in (
        content().crisis_replies.resource_block(voice, needs),
        content().crisis_replies.farewell_block(voice, needs),
    ):
        assert all(one.number in block for one in content().crisis_replies.resources(voice.locale, needs, minor=True))


def test_a_retired_number_is_shown_nowhere():
    # Korea's former suicide line, replaced by 109 on 2024-01-01 (hotlines.json). The guard names it to stop it.
    kinds = {".yaml", ".json", ".py", ".j2", ".md", ".html", ".js", ".css"}
    folders = [_ROOT / name for name in ("shared", "functions", "local", "web", "docs")]
    read = [path for folder in folders for path in folder.rglob("*") if path.suffix in kinds and path.is_file()]
    assert any(path.name == "crisis_protocol.yaml" for path in read)
    for path in (*(path for path in read if path.stem != "guard_contacts"), _ROOT / "README.md"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.-])1[- ]?3[- ]?9[- ]?3(?![\w-])", text), path
