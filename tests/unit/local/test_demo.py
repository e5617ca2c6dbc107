"""`make demo`: its transcripts show what happened and what did not."""

from functions.session_manager.review_checks import ReviewCorrection
from functions.supervisor.supervise import JudgementCorrection
from local.demo.figures import over_all
from local.demo.notes import Note
from local.demo.pages import index_page, session_page
from local.demo.transcript import Act, Said, Transcript
from local.demo.words import words
from shared.domain.conversation import Role


class TestTranscript:
    def test_every_correction_of_an_answer_has_a_korean_name(self):
        assert words().names["corrected"].keys() >= {*ReviewCorrection, *JudgementCorrection}

    NASTY = "<script>alert(1)</script> & \"따옴표\" '작은'"
    ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;따옴표&#34; &#39;작은&#39;"

    def learned(self, value="수빈", *more):
        return Note("learned", {"label": "이름", "value": value}, *more)

    def told(self, entries=None, happened="Part 1→2", ending=(("세션 요약", "잠 이야기를 나눴다."),), **changes):
        counselor, user = Said(Role.COUNSELOR, "안녕하세요.\n무엇이 힘드세요?"), Said(Role.USER, "잠이 안 와요.")
        entries = entries or (counselor, user, self.learned())
        act = Act(heading="", happened=happened, entries=entries, turns=1, ending=ending, figures=over_all([]))
        return Transcript(
            **{"name": "open", "title": "털어놓는 사람", "about": "끝까지 간다.", "acts": (act,)} | changes
        )

    def test_what_people_and_models_say_is_escaped(self):
        nasty = self.NASTY
        for transcript in (
            *(self.told(title=nasty), self.told(about=nasty), self.told(failures=(nasty,)), self.told(happened=nasty)),
            *(self.told((Said(Role.USER, nasty),)), self.told((self.learned(nasty),))),
            *(self.told((self.learned("수빈", (nasty,)),)), self.told(ending=(("요약", nasty),))),
        ):
            page = session_page(transcript)
            assert self.ESCAPED in page
            assert "<script" not in page
        index = index_page([self.told(title=nasty, about=nasty)])
        assert index.count(self.ESCAPED) == 2
        assert "<script" not in index
