import re

import pytest

from local.demo.notes import Note
from local.demo.pages import index_page, session_page, write_pages
from local.demo.text import as_text
from local.demo.transcript import Act, Said, Transcript
from local.demo.words import words
from shared.domain.conversation import Role
from shared.domain.errors import ConfigError

NASTY = "<script>alert(1)</script> & \"따옴표\" '작은'"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;따옴표&#34; &#39;작은&#39;"


LEARNED = Note("learned", {"label": "이름", "value": "수빈"})


def act(**changes):
    fields = {
        "heading": "",
        "happened": "Part 1→2",
        "entries": (
            Said(Role.COUNSELOR, "안녕하세요.\n무엇이 힘드세요?"),
            Said(Role.USER, "잠이 안 와요."),
            LEARNED,
        ),
        "turns": 1,
        "ending": (("세션 요약", "잠 이야기를 나눴다."),),
        **changes,
    }
    return Act(**fields)


def told(*acts, **changes):
    return Transcript(
        **{"name": "open", "title": "털어놓는 사람", "about": "끝까지 간다.", "acts": acts or (act(),), **changes}
    )


def test_what_people_and_models_say_is_escaped(subtests):
    cases = [
        told(title=NASTY),
        told(about=NASTY),
        told(failures=(NASTY,)),
        told(act(entries=(Said(Role.USER, NASTY),))),
        told(act(entries=(Note("learned", {"label": "이름", "value": NASTY}),))),
        told(act(entries=(Note("learned", {"label": "이름", "value": "수빈"}, (NASTY,)),))),
        told(act(ending=(("요약", NASTY),))),
        told(act(happened=NASTY)),
    ]
    for transcript in cases:
        with subtests.test(transcript=transcript):
            page = session_page(transcript)
            assert ESCAPED in page
            assert "<script" not in page


def test_the_index_escapes_too():
    page = index_page([told(title=NASTY, about=NASTY)])
    assert page.count(ESCAPED) == 2
    assert "<script" not in page


def test_a_page_needs_nothing_but_itself():
    for page in (session_page(told()), index_page([told()])):
        assert not re.search(r"https?:|src=|@import|url\(", page)
        assert 'name="viewport"' in page
        assert "prefers-color-scheme: dark" in page
        assert '<html lang="ko">' in page


def test_a_session_that_did_not_end_is_marked():
    page = index_page([told(failures=("nothing left to say",))])
    assert words().pages.failed in page
    assert words().pages.ended not in page


def test_the_index_leads_to_every_session(tmp_path):
    index = write_pages([told(), told(name="terse")], tmp_path / "new" / "folder")
    links = re.findall(r'href="([^"]+)"', index.read_text(encoding="utf-8"))
    assert links == ["open.html", "terse.html"]
    assert all((index.parent / link).exists() for link in links)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(ConfigError, match="taken"):
        write_pages([told()], tmp_path / "taken")


def test_the_text_holds_speakers_notes_and_the_ending():
    lines = as_text(told(failures=("fell silent",))).splitlines()
    assert "상담사  안녕하세요." in lines
    assert "        무엇이 힘드세요?" in lines
    assert "내담자  잠이 안 와요." in lines
    assert "        · [알게 됨] 이름: 수빈" in lines
    assert "  세션 요약: 잠 이야기를 나눴다." in lines
    assert "  !! fell silent" in lines


def test_no_line_of_text_is_too_long():
    long = "말이 아주 길어요. " * 40
    text = as_text(told(act(entries=(Said(Role.USER, long), Note("ended", {}, (long,))))))
    assert max(map(len, text.splitlines())) <= 64


def test_causes_stand_below_their_note_and_apart_from_what_was_said():
    noted = told(act(entries=(Note("ended", {}, ("까닭: 다 말함", "과제 둘을 닫음")),)))
    lines, page = as_text(noted).splitlines(), session_page(noted)
    place = next(at for at, line in enumerate(lines) if "[세션 종료]" in line)
    assert [line.strip() for line in lines[place + 1 : place + 3]] == ["↳ 까닭: 다 말함", "↳ 과제 둘을 닫음"]
    assert '<li class="note ended">' in page
    assert "<li>까닭: 다 말함</li>" in page


def test_sessions_of_one_client_are_told_one_after_another():
    both = told(act(heading="1. 첫 상담"), act(heading="2. 이어 하는 상담", happened="다시 옴"))
    text, page = as_text(both), session_page(both)
    assert text.index("── 1. 첫 상담") < text.index("── 2. 이어 하는 상담") < text.index("다시 옴")
    assert page.count("<h2>") == 2
    assert "다시 옴" in index_page([both])
    assert both.turns == 2
