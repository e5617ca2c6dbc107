from local.demo.notes import Note
from local.demo.pages import index_page, session_page
from local.demo.text import as_text
from local.demo.transcript import Act, Said, Transcript
from shared.domain.conversation import Role

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


def test_the_text_holds_speakers_notes_and_the_ending():
    lines = as_text(told(failures=("fell silent",))).splitlines()
    assert "상담사  안녕하세요." in lines
    assert "        무엇이 힘드세요?" in lines
    assert "내담자  잠이 안 와요." in lines
    assert "        · [알게 됨] 이름: 수빈" in lines
    assert "  세션 요약: 잠 이야기를 나눴다." in lines
    assert "  !! fell silent" in lines
