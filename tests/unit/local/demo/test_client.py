from pathlib import Path

import pytest

from local.demo.client import chosen, clients, read_client
from shared.content.catalogue import content
from shared.domain.errors import ConfigError, ContentError
from shared.safety.levels import CrisisOutcome

WANTED = {
    "open", "terse", "resistant", "circular", "topic_jumping", "ending_early", "asking_for_more", "follow_up",
    "crisis_then_safe",
}  # fmt: skip
GOOD = """\
name: quiet
title: 조용한 사람
about: 말이 적다.
rules:
  - when: {part: 1}
    say: ["네"]
"""


def written(folder: Path, text: str, name: str = "quiet") -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_client_of_the_demo_is_valid():
    assert {client.name for client in clients()} >= WANTED


def test_a_file_that_fits_is_read(tmp_path):
    client = read_client(written(tmp_path, GOOD))
    assert (client.name, client.rules[0].when.part, client.rules[0].say) == ("quiet", 1, ("네",))


def test_a_wrong_file_names_file_line_and_field(tmp_path, subtests):
    cases = [
        ("part: 1", "part: 4", 5, "rules.0.when.part"),
        ("part: 1", "prat: 1", 5, "rules.0.when.prat"),
        ("part: 1", "hears: '['", 5, "rules.0.when.hears"),
        ('["네"]', "[]", 6, "rules.0.say"),
        ('["네"]', '["네", " "]', 6, "rules.0.say"),
        ("title: 조용한 사람\n", "", 1, "title"),
        ("about: 말이 적다.", "about: 말이 적다.\nmost_turns: 0", 4, "most_turns"),
        ("about: 말이 적다.", "about: 말이 적다.\nexpects: [{replna: circular}]", 4, "expects.0.replna"),
        ("about: 말이 적다.", "about: 말이 적다.\nexpects: [{part: 1-2, risk: crisis}]", 4, "expects.0"),
        ("about: 말이 적다.", "about: 말이 적다.\nexpects: [{opens_with: '['}]", 4, "expects.0.opens_with"),
    ]
    for changed, to, line, field in cases:
        with subtests.test(to=to):
            path = written(tmp_path, GOOD.replace(changed, to))
            with pytest.raises(ContentError) as refused:
                read_client(path)
            assert (refused.value.file, refused.value.line) == ("quiet.yaml", line)
            assert refused.value.problem.startswith(f"{field}:")


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"'nobody'.*open"):
        chosen(clients(), ["nobody"])


def test_every_client_says_what_its_sessions_are_to_show():
    for client in clients():
        assert all(visit.expects for visit in client.visits), client.name


def test_nobody_but_the_one_in_danger_says_what_sounds_like_it():
    said = {
        line: client.name
        for client in clients()
        for visit in client.visits
        for rule in visit.rules
        for line in rule.say
        if content().screening.screen(line).crisis.outcome is not CrisisOutcome.NONE
    }
    assert set(said.values()) == {"crisis_then_safe"}, said
