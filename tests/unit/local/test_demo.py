"""`make demo`: its clients speak by their rules, and its transcripts show what happened and what did not."""

import ast
import inspect
from datetime import timedelta
from itertools import pairwise

import pytest

from functions.chat.flows.counseling.selectors import candidates, task_selector
from local.demo.answering import Answers, Situation
from local.demo.client import Client, Visit, chosen, clients, read_client
from local.demo.facts import facts, missing
from local.demo.notes import Note
from local.demo.pages import index_page, session_page
from local.demo.session import Played, Step
from local.demo.stored import Evidence, Stored
from local.demo.text import as_text
from local.demo.transcript import Act, Said, Transcript
from local.demo.words import words
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.writes import records
from shared.content.catalogue import content
from shared.contracts.chat import StateSnapshot
from shared.domain.conversation import Message, Role
from shared.domain.counseling.plans import PlanRecord
from shared.domain.counseling.records import FeedbackKind, FeedbackSource, PartTransition
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus
from shared.domain.counseling.task import Part
from shared.domain.counseling.user_state import Resistance, UserState
from shared.domain.errors import ConfigError, ContentError
from shared.domain.turn import TurnRecord, TurnResult
from shared.safety.levels import CrisisOutcome
from shared.services.counseling.policy import CounselingPolicy
from tests.fakes.counselling import NOW, session
from tests.fakes.memory_database import MemoryDocumentDatabase

LATER = NOW + timedelta(days=1)


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
            ({"task": "나누기$"}, {}, {"task": {"id": "task_goal_1", "title": "목표"}}),
            ({"part": 2}, {"part": 2}, {"part": 3}),
            ({"proposes": "end"}, {"wrap_up": wrap_up("proposed", "end")}, {"wrap_up": wrap_up("suggested", "end")}),
            (
                {"proposes": "wrap_up"},
                {"wrap_up": wrap_up("proposed", "wrap_up")},
                {"wrap_up": wrap_up("proposed", "end")},
            ),
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
    GOOD = 'name: quiet\ntitle: 조용한 사람\nabout: 말이 적다.\nrules:\n  - when: {part: 1}\n    say: ["네"]\n'

    def test_every_client_is_valid_and_says_what_its_sessions_are_to_show(self):
        wanted = "open terse resistant circular topic_jumping ending_early asking_for_more follow_up crisis_then_safe"
        assert {client.name for client in clients()} >= set(wanted.split())
        for client in clients():
            assert all(visit.expects for visit in client.visits), client.name

    def test_nobody_but_the_one_in_danger_says_what_sounds_like_it(self):
        said = {
            line: client.name
            for client in clients()
            for visit in client.visits
            for rule in visit.rules
            for line in rule.say
            if content().screening.screen(line).crisis.outcome is not CrisisOutcome.NONE
        }
        assert set(said.values()) == {"crisis_then_safe"}, said

    def test_an_unknown_name_is_refused_with_the_known_ones(self):
        with pytest.raises(ConfigError, match=r"'nobody'.*open"):
            chosen(clients(), ["nobody"])

    @pytest.mark.parametrize(
        ("changed", "to", "line", "field"),
        [
            *(("part: 1", "part: 4", 5, "rules.0.when.part"), ("part: 1", "prat: 1", 5, "rules.0.when.prat")),
            *(("part: 1", "hears: '['", 5, "rules.0.when.hears"), ('["네"]', "[]", 6, "rules.0.say")),
            *(('["네"]', '["네", " "]', 6, "rules.0.say"), ("title: 조용한 사람\n", "", 1, "title")),
            ("about: 말이 적다.", "about: 말이 적다.\nmost_turns: 0", 4, "most_turns"),
            ("about: 말이 적다.", "about: 말이 적다.\nexpects: [{replna: circular}]", 4, "expects.0.replna"),
            ("about: 말이 적다.", "about: 말이 적다.\nexpects: [{part: 1-2, risk: crisis}]", 4, "expects.0"),
            ("about: 말이 적다.", "about: 말이 적다.\nexpects: [{opens_with: '['}]", 4, "expects.0.opens_with"),
        ],
    )
    def test_a_wrong_file_names_file_line_and_field(self, tmp_path, changed, to, line, field):
        path = tmp_path / "quiet.yaml"
        path.write_text(self.GOOD, encoding="utf-8")
        assert read_client(path).rules[0].say == ("네",)
        path.write_text(self.GOOD.replace(changed, to), encoding="utf-8")
        with pytest.raises(ContentError) as refused:
            read_client(path)
        assert (refused.value.file, refused.value.line) == ("quiet.yaml", line)
        assert refused.value.problem.startswith(f"{field}:")


class TestFacts:
    def turn(self, seq, text, *events, **directive):
        module = {"module_id": "rapport_building", "module_name": "라포", "module_summary": []}
        told = {"stance": "work", "part": 1, **module, **directive} if directive else None
        names = {"conversation_id": "c1", "message_id": f"m{seq}", "seq": seq, "text": text, "text_digest": ""}
        times = {"received_at": NOW, "committed_at": NOW, "expire_at": LATER}
        result = TurnResult(message_id=f"m{seq}", seq=seq, reply="네", state_snapshot={})
        more = {"flow": "counseling", "snapshot_version": 1, "directive": told, "events": events, "result": result}
        return TurnRecord.model_validate(names | times | more)

    def played(self, *turns, states=(), expects=(), plans=()):
        states = [session(), *(states or [session()] * len(turns))]
        both = zip(turns, pairwise(states), strict=True)
        steps = tuple(Step(one.seq, one.text, "네", before, after) for one, (before, after) in both)
        names = ("transitions", "feedback", "completions", "supervisions", "reviews")
        found = Evidence(turns=turns, plans=plans, closing=None, **dict.fromkeys(names, ()))
        visit = Visit.model_validate({"rules": [{"say": ["네"]}], "expects": expects})
        return Played(visit, "안녕하세요. 지난번에 걷기로 했어요.", states[0], steps, states[-1], found, None)

    def plan(self, *kinds):
        answered = [{"id": kind, "source": "user_state", "kind": kind, "reason": "까닭"} for kind in kinds]
        record = {"created_at": NOW, "expire_at": LATER, "record_id": "1", "number": 1, "seq": 1, "origin": "model"}
        plan = {"level": 1, "goal": "목표", "keywords": (), "tasks": (), "feedback": answered}
        return PlanRecord.model_validate(record | plan)

    @pytest.mark.parametrize(
        ("expectation", "lacks"),
        [
            *(({"reading": "resistance"}, ()), ({"module": "resistance_handling"}, ()), ({"replan": "resistance"}, ())),
            ({"replan": "circular"}, ("did not show replan: circular; it showed resistance",)),
            ({"part": "1-2"}, ("did not show part: 1-2; it showed none",)),
        ],
    )
    def test_what_was_not_seen_is_named_with_what_was(self, expectation, lacks):
        resisting = session(user_state=UserState(resistance=Resistance.STRONG), current_module="resistance_handling")
        plans = (self.plan("resistance"),)
        one = self.played(self.turn(1, "싫어요"), states=[resisting], plans=plans, expects=[expectation])
        assert missing(one.visit, facts(one)) == lacks

    @pytest.mark.parametrize(("said", "by"), [("오늘은 여기까지 할게요.", "asked"), ("아니요, 다 말했어요.", "agreed")])
    def test_an_end_is_the_clients_own_when_they_asked_for_it(self, said, by):
        turns = (self.turn(1, said, proposes="end", stance="confirm_end"), self.turn(2, "네", "SessionClosed"))
        found = facts(self.played(*turns, states=[session(), session(status=SessionStatus.COMPLETED)]))
        assert (found["ended_by"], found["answered"]) == ((by,), ("agreed",))


class TestStored:
    async def at_rest(self, state, *written):
        async def no_work():
            return False

        database = MemoryDocumentDatabase()
        greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕", created_at=NOW)
        store = DocumentConversationStore(database, Session)
        await store.create(state, greeting, CounselingPolicy(content().crisis_replies).view(state))
        if written:
            await database.commit(list(records(state.conversation_id, written)))
        return await Stored(database, no_work).at_rest(state.conversation_id)

    async def test_a_session_is_at_rest_when_it_waits_for_nothing(self):
        ready = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY}
        assert await self.at_rest(session(**ready))
        for waiting in (
            session(message_count=3, seq=3),
            session(plan_status=PlanStatus.PLANNING, planning_seq=1, seq=1),
            session(**ready, replans=1),
            session(status=SessionStatus.COMPLETED, ended_at=NOW, message_count=1, seq=1),
        ):
            assert not await self.at_rest(waiting)
        # a transition that is written is waited for until the session has made it
        told = {"record_id": "2-3", "created_at": NOW, "expire_at": LATER, "seq": 9, "reason": "done"}
        move = PartTransition(from_part=Part.EXPLORATION, to_part=Part.CLOSING, **told)
        assert not await self.at_rest(session(**ready, leaving_seq=0), move)
        made = ready | {"current_part": Part.CLOSING, "status": SessionStatus.WRAPPING_UP}
        assert await self.at_rest(session(**made, leaving_seq=0), move)


class TestTranscript:
    NASTY = "<script>alert(1)</script> & \"따옴표\" '작은'"
    ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;따옴표&#34; &#39;작은&#39;"

    def learned(self, value="수빈", *more):
        return Note("learned", {"label": "이름", "value": value}, *more)

    def told(self, entries=None, happened="Part 1→2", ending=(("세션 요약", "잠 이야기를 나눴다."),), **changes):
        counselor, user = Said(Role.COUNSELOR, "안녕하세요.\n무엇이 힘드세요?"), Said(Role.USER, "잠이 안 와요.")
        entries = entries or (counselor, user, self.learned())
        act = Act(heading="", happened=happened, entries=entries, turns=1, ending=ending)
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

    def test_the_text_holds_speakers_notes_and_the_ending(self):
        lines = as_text(self.told(failures=("fell silent",))).splitlines()
        assert "상담사  안녕하세요." in lines
        assert "        무엇이 힘드세요?" in lines
        assert "내담자  잠이 안 와요." in lines
        assert "        · [알게 됨] 이름: 수빈" in lines
        assert "  세션 요약: 잠 이야기를 나눴다." in lines
        assert "  !! fell silent" in lines

    def reasons(self, module):
        """Return the texts that a module gives to `ledger.ruled` as reasons: what these functions return."""
        for function in ast.parse(inspect.getsource(module)).body:
            if isinstance(function, ast.FunctionDef) and function.name in ("settled", "_clear"):
                returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]
                for one in (inner for value in returned for inner in ast.walk(value)):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str):
                        yield one.value

    def test_every_reason_for_a_task_or_another_plan_is_told_in_korean(self):
        names = words().names
        for module in (candidates, task_selector):
            found = set(self.reasons(module))
            assert found
            assert found <= names["selection"].keys()
        assert {kind.value for kind in FeedbackKind} <= names["replan"].keys()
        assert {source.value for source in FeedbackSource} <= names["source"].keys()
