import re

import pytest

from local.demo.notes import Note
from local.demo.pages import index_page, session_page, write_pages
from local.demo.text import as_text
from local.demo.transcript import Said, Transcript
from local.demo.words import words
from shared.domain.conversation import Role
from shared.domain.errors import ConfigError

NASTY = "<script>alert(1)</script> & \"따옴표\" '작은'"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;따옴표&#34; &#39;작은&#39;"


def told(**changes):
    fields = {
        "name": "open",
        "title": "털어놓는 사람",
        "about": "끝까지 간다.",
        "entries": (
            Said(Role.COUNSELOR, "안녕하세요.\n무엇이 힘드세요?"),
            Said(Role.USER, "잠이 안 와요."),
            Note("learned", {"label": "이름", "value": "수빈"}),
        ),
        "turns": 1,
        "ending": (("세션 요약", "잠 이야기를 나눴다."),),
        "problem": None,
        **changes,
    }
    return Transcript(**fields)


@pytest.mark.parametrize(
    "changes",
    [
        {"title": NASTY},
        {"about": NASTY},
        {"entries": (Said(Role.USER, NASTY),)},
        {"entries": (Note("learned", {"label": "이름", "value": NASTY}),)},
        {"ending": (("요약", NASTY),)},
        {"problem": NASTY},
    ],
)
def test_what_people_and_models_say_is_escaped(changes):
    page = session_page(told(**changes))
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
    page = index_page([told(problem="nothing left to say")])
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
    lines = as_text(told(problem="fell silent")).splitlines()
    assert "상담사  안녕하세요." in lines
    assert "        무엇이 힘드세요?" in lines
    assert "내담자  잠이 안 와요." in lines
    assert "        · [알게 됨] 이름: 수빈" in lines
    assert "  세션 요약: 잠 이야기를 나눴다." in lines
    assert "  !! fell silent" in lines


def test_no_line_of_text_is_too_long():
    text = as_text(told(entries=(Said(Role.USER, "말이 아주 길어요. " * 40),)))
    assert max(map(len, text.splitlines())) <= 64
