"""`make explain`: which rule found what, in words a clinician reads."""

import io

from local.explain import explanation, main


def _told(text):
    return "\n".join(explanation(text))


def test_it_names_the_rule_its_words_and_its_ground():
    told = _told("요즘은 그냥 죽고 싶어요")
    assert "outcome   crisis: ideation or self-harm" in told
    assert '- ko-want-to-die found "죽고 싶' in told
    assert "Ground: C-SSRS 1" in told


def test_it_tells_of_signs_violence_and_ages():
    assert "weak sign of" in _told("그동안 정말 고마웠어요")
    assert "abuse, domestic" in _told("남편이 저를 때려요")
    assert "age       under_14" in _told("저는 13살이에요")


def test_the_command_reads_an_argument_or_standard_input(capsys, monkeypatch):
    assert main(["죽고 싶어요"]) == 0
    given = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("죽고 싶어요\n"))
    assert main([]) == 0
    assert capsys.readouterr().out == given
