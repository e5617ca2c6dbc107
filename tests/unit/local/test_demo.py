"""`make demo`: its clients speak by their rules, and its transcripts show what happened and what did not."""

import pytest

from functions.session_manager.review_checks import ReviewCorrection
from functions.supervisor.supervise import JudgementCorrection
from local.demo.answering import Answers, Situation
from local.demo.client import Client, clients
from local.demo.figures import over_all
from local.demo.notes import Note
from local.demo.pages import index_page, session_page
from local.demo.transcript import Act, Said, Transcript
from local.demo.words import words
from shared.content.catalogue import content
from shared.contracts.chat import StateSnapshot
from shared.domain.conversation import Role
from shared.locale import Locale


def wrap_up(stage, aim):
    return {"stage": stage, "aim": aim}


class TestAnswers:
    def situation(self, heard="어떻게 지내세요?", turn=1, **state):
        fields = {
            "status": "active",
            "part": 1,
            "task": {"id": "task_info_1", "title": "이름 나누기"},
            "module": "trust_building",
            "progress": 0,
            "plan_status": "none",
            "wrap_up": None,
            "risk": {"level": "none", "resources": []},
        }
        return Situation(heard, StateSnapshot.model_validate(fields | state), turn)

    def answers(self, *rules):
        return Answers(Client.model_validate({"name": "a", "title": "가", "about": "나", "rules": list(rules)}))

    def test_the_first_rule_that_fits_speaks_its_lines_in_order_and_then_the_next(self):
        talk = self.answers({"when": {"hears": "이름"}, "say": ["이름이요"]}, {"say": ["하나", "둘"]}, {"say": ["셋"]})
        assert [talk.next(self.situation()) for _ in range(4)] == ["하나", "둘", "셋", None]

    @pytest.mark.parametrize(
        ("when", "fitting", "unfitting"),
        [
            ({"hears": "이름|성함"}, {"heard": "성함이 어떻게 되세요?"}, {"heard": "어떠세요?"}),
            ({"task": "task_info"}, {}, {"task": None}),
            ({"proposes": "end"}, {"wrap_up": wrap_up("proposed", "end")}, {"wrap_up": wrap_up("suggested", "end")}),
            ({"in_crisis": True}, {"risk": {"level": "imminent"}}, {"risk": {"level": "concern"}}),
            ({"in_crisis": False}, {}, {"risk": {"level": "crisis"}}),
            ({"from_turn": 3}, {"turn": 3}, {"turn": 2}),
            ({"part": 2, "hears": "어떻"}, {"part": 2}, {"part": 2, "heard": "네"}),
        ],
    )
    def test_a_moment_holds_when_everything_it_asks_for_does(self, when, fitting, unfitting):
        for state, said in ((fitting, "네"), (unfitting, None)):
            assert self.answers({"when": when, "say": ["네"]}).next(self.situation(**state)) == said


class TestClients:
    def test_every_client_is_valid_and_says_what_its_sessions_are_to_show(self):
        assert len(clients()) > 10
        for client in clients():
            assert all(visit.expects for visit in client.visits), client.name

    def test_every_module_is_demanded_by_a_client(self):
        visits = [visit for client in clients() for visit in client.visits]
        demanded = {each.module for visit in visits for each in visit.expects if each.module}
        assert demanded >= {module.id for module in content().modules(Locale.KO)}


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
