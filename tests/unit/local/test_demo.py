"""`make demo`: clients speak by their rules, and the pages of transcripts escape all texts."""

import pytest

from local.demo.answering import Answers, Situation
from local.demo.client import Client, clients
from local.demo.notes import Note
from local.demo.pages import index_page, session_page
from local.demo.transcript import Act, Said, Transcript
from shared.content.catalogue import content
from shared.contracts.chat import StateSnapshot
from shared.domain.conversation import Role
from shared.safety.levels import CrisisOutcome


def wrap_up(stage, aim):
    return {"stage": stage, "aim": aim}


class TestAnswers:
    def situation(self, heard="어떻게 지내세요?", turn=1, **state):
        fields = {"status": "active", "part": 1, "module": "trust_building", "progress": 0, "plan_status": "none"}
        fields |= {"task": {"id": "task_info_1", "title": "이름 나누기"}}
        fields |= {"wrap_up": None, "risk": {"level": "none", "resources": []}}
        return Situation(heard, StateSnapshot.model_validate(fields | state), turn)

    def answers(self, *rules):
        return Answers(Client.model_validate({"name": "a", "title": "가", "about": "나", "rules": list(rules)}))

    def test_the_first_fitting_rule_speaks_its_lines_in_order_before_the_next_rule(self):
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
    def test_a_rule_applies_only_if_all_its_conditions_are_met(self, when, fitting, unfitting):
        for state, said in ((fitting, "네"), (unfitting, None)):
            assert self.answers({"when": when, "say": ["네"]}).next(self.situation(**state)) == said


class TestClients:
    def test_every_client_is_valid_and_states_the_expectations_of_its_sessions(self):
        wanted = "open terse resistant circular topic_jumping ending_early asking_for_more follow_up crisis_then_safe"
        assert {client.name for client in clients()} >= set(wanted.split())
        for client in clients():
            assert all(visit.expects for visit in client.visits), client.name

    def test_only_the_client_in_danger_says_alarming_words(self):
        said = {
            line: client.name
            for client in clients()
            for visit in client.visits
            for rule in visit.rules
            for line in rule.say
            if content().screening.screen(line).crisis.outcome is not CrisisOutcome.NONE
        }
        assert set(said.values()) == {"crisis_then_safe"}, said


class TestTranscript:
    NASTY = "<script>alert(1)</script> & \"따옴표\" '작은'"
    ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;따옴표&#34; &#39;작은&#39;"

    def learned(self, value="수빈", *more):
        return Note("learned", {"label": "이름", "value": value}, *more)

    def transcript(self, entries=None, happened="Part 1→2", ending=(("세션 요약", "잠 이야기를 나눴다."),), **changes):
        counselor, user = Said(Role.COUNSELOR, "안녕하세요.\n무엇이 힘드세요?"), Said(Role.USER, "잠이 안 와요.")
        entries = entries or (counselor, user, self.learned())
        act = Act(heading="", happened=happened, entries=entries, turns=1, ending=ending)
        return Transcript(
            **{"name": "open", "title": "털어놓는 사람", "about": "끝까지 간다.", "acts": (act,)} | changes
        )

    def test_texts_of_users_and_models_are_escaped(self):
        nasty = self.NASTY
        for transcript in (
            *(
                self.transcript(title=nasty),
                self.transcript(about=nasty),
                self.transcript(failures=(nasty,)),
                self.transcript(happened=nasty),
            ),
            *(self.transcript((Said(Role.USER, nasty),)), self.transcript((self.learned(nasty),))),
            *(self.transcript((self.learned("수빈", (nasty,)),)), self.transcript(ending=(("요약", nasty),))),
        ):
            page = session_page(transcript)
            assert self.ESCAPED in page
            assert "<script" not in page
        index = index_page([self.transcript(title=nasty, about=nasty)])
        assert index.count(self.ESCAPED) == 2
        assert "<script" not in index
