"""`make explain`: which rule found what, in words a clinician reads."""

import io

import pytest

from local.explain import explanation, main


def _told(text):
    return "\n".join(explanation(text))


def test_it_names_the_rule_its_words_and_its_ground():
    told = _told("요즘은 그냥 죽고 싶어요")
    assert "outcome   crisis: ideation or self-harm" in told
    assert '- ko-want-to-die found "죽고 싶' in told
    assert "Ground: C-SSRS 1" in told


def test_it_says_what_took_a_finding_down():
    told = _told("친구가 죽고 싶대요")
    assert "outcome   third_party" in told
    assert "(said of somebody else) → third_party" in told


def test_it_tells_of_signs_violence_and_ages():
    assert "weak sign of" in _told("그동안 정말 고마웠어요")
    assert "abuse, domestic" in _told("남편이 저를 때려요")
    assert "age       under_14" in _told("저는 13살이에요")


def test_it_says_when_nothing_was_found():
    assert _told("오늘 날씨가 좋네요").endswith("no rule found anything")


def test_the_command_reads_an_argument_or_standard_input(capsys, monkeypatch):
    assert main(["죽고 싶어요"]) == 0
    given = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("죽고 싶어요\n"))
    assert main([]) == 0
    assert capsys.readouterr().out == given


@pytest.mark.parametrize("written", ["", "  \n"])
def test_without_a_message_it_says_what_to_do(capsys, monkeypatch, written):
    monkeypatch.setattr("sys.stdin", io.StringIO(written))
    assert main([]) == 2
    assert "make explain TEXT=" in capsys.readouterr().err
