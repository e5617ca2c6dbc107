from shared.content.catalogue import content
from shared.contracts.chat import AskView, StateSnapshot
from shared.contracts.tasks import JobKind
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import SessionStatus, WrapUp
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need
from shared.services.counseling.policy import PREVIEW, CounselingPolicy
from tests.fakes.counselling import NOW, session, slot, task


def risk(level):
    outcome = CrisisOutcome.IMMINENT if level is RiskLevel.IMMINENT else CrisisOutcome.CONCERN
    return Risk(level=level, outcome=outcome, since_seq=1, last_seq=1)


def said(text):
    return Message(seq=1, role=Role.COUNSELOR, text=text, created_at=NOW)


class TestTheView:
    def test_shows_what_a_list_of_conversations_needs(self):
        state = session(
            task("a", status="sufficient"), task("b"), title="첫 만남", recent=(said("안녕"),), status="wrapping_up"
        )
        view = CounselingPolicy(content().crisis_replies).view(state)
        assert (view.conversation_id, view.user_id, view.title, view.status) == ("c1", "u1", "첫 만남", "wrapping_up")
        assert (view.part, view.progress, view.last_message) == (1, 0.167, "안녕")
        assert StateSnapshot.model_validate(view.state_snapshot) == CounselingPolicy(content().crisis_replies).snapshot(
            state
        )

    def test_a_long_message_is_cut_with_a_mark(self):
        policy = CounselingPolicy(content().crisis_replies)
        assert policy.view(session(recent=(said("가" * PREVIEW),))).last_message == "가" * PREVIEW
        assert policy.view(session(recent=(said("가" * (PREVIEW + 1)),))).last_message == "가" * (PREVIEW - 1) + "…"

    def test_before_any_word_there_is_no_last_message(self):
        assert CounselingPolicy(content().crisis_replies).view(session()).last_message == ""


class TestTheSnapshot:
    def test_names_the_current_task_and_module(self):
        shown = CounselingPolicy(content().crisis_replies).snapshot(
            session(task("a", status="in_progress"), current_task="a")
        )
        assert (shown.task.id, shown.task.title, shown.module) == ("a", "title of a", "rapport_building")
        assert CounselingPolicy(content().crisis_replies).snapshot(session()).task is None

    def test_shows_a_proposal_to_close(self):
        shown = CounselingPolicy(content().crisis_replies).snapshot(
            session(wrap_up=WrapUp(stage="proposed", aim="end", seq=3), seq=3)
        )
        assert (shown.wrap_up.stage, shown.wrap_up.aim) == ("proposed", "end")
        assert CounselingPolicy(content().crisis_replies).snapshot(session()).wrap_up is None

    def test_shows_no_proposal_that_a_later_turn_passed_over(self):
        assert (
            CounselingPolicy(content().crisis_replies)
            .snapshot(session(wrap_up=WrapUp(stage="proposed", aim="end", seq=3), seq=4))
            .wrap_up
            is None
        )

    def test_help_lines_are_shown_from_a_concern_on(self, subtests):
        cases = [
            (RiskLevel.NONE, "none", False),
            (RiskLevel.CONCERN, "concern", True),
            (RiskLevel.CRISIS, "crisis", True),
            (RiskLevel.IMMINENT, "imminent", True),
        ]
        for level, name, shown in cases:
            with subtests.test(name=name):
                found = CounselingPolicy(content().crisis_replies).snapshot(session(risk=risk(level))).risk
                assert found.level == name
                assert bool(found.resources) is shown
                if shown:
                    assert "109" in {line.number for line in found.resources}

    def test_emergency_numbers_are_for_danger_at_hand(self):
        def numbers(level):
            return {
                line.number
                for line in CounselingPolicy(content().crisis_replies)
                .snapshot(session(risk=risk(level)))
                .risk.resources
            }

        assert numbers(RiskLevel.IMMINENT) > numbers(RiskLevel.CRISIS)

    def test_what_several_findings_call_for_is_shown_together(self):
        both = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, needs=(Need.LIFE, Need.VIOLENCE))
        numbers = [
            line.number
            for line in CounselingPolicy(content().crisis_replies).snapshot(session(risk=both)).risk.resources
        ]
        assert numbers == ["109", "1577-0199", "1366"]

    def test_a_minor_is_shown_the_lines_for_minors_too(self):
        minor = session(risk=risk(RiskLevel.CRISIS), age_band="14_18")
        adult = session(risk=risk(RiskLevel.CRISIS))
        assert len(CounselingPolicy(content().crisis_replies).snapshot(minor).risk.resources) > len(
            CounselingPolicy(content().crisis_replies).snapshot(adult).risk.resources
        )


class TestDueWork:
    def test_becomes_tasks_of_the_turn_at_which_it_fell_due_and_of_this_version(self):
        state = session(message_count=6, seq=6, state_version=9)
        due = CounselingPolicy(content().crisis_replies).due(state)
        assert {payload.kind for payload in due} == {JobKind.SUPERVISE, JobKind.REVIEW, JobKind.SUMMARIZE}
        assert {(payload.conversation_id, payload.state_version) for payload in due} == {("c1", 9)}
        assert {payload.name for payload in due} == {"c1-supervise-6", "c1-review-5", "c1-summarize-6"}

    def test_is_queued_once_a_period_however_many_turns_it_waits(self):
        names = {
            payload.name
            for turn in range(1, 13)
            for payload in CounselingPolicy(content().crisis_replies).due(
                session(message_count=turn, seq=turn, state_version=turn)
            )
        }
        assert names == {
            *(f"c1-supervise-{seq}" for seq in (3, 6, 9, 12)),
            *(f"c1-review-{seq}" for seq in (5, 10)),
            *(f"c1-summarize-{seq}" for seq in (6, 12)),
        }

    def test_of_an_ended_session_is_one_closing_for_good(self):
        ended = [session(status="completed", message_count=turn, seq=turn) for turn in (1, 5, 6)]
        names = {payload.name for state in ended for payload in CounselingPolicy(content().crisis_replies).due(state)}
        assert names == {"c1-close-0"}

    def test_of_an_ended_session_with_its_closing_or_without_a_word_is_none(self):
        closed = session(status="completed", message_count=5, seq=5, closing_made=True)
        assert CounselingPolicy(content().crisis_replies).due(closed) == ()
        assert CounselingPolicy(content().crisis_replies).due(session(status="completed")) == ()

    def test_is_none_after_the_first_words(self):
        assert CounselingPolicy(content().crisis_replies).due(session(message_count=1, seq=1)) == ()


class TestWhatIsAsked:
    asking = session(task("a", required_slots=(slot("name", label="이름"),)), last_asked="name")

    def test_is_what_the_newest_reply_asked_for(self):
        assert CounselingPolicy(content().crisis_replies).snapshot(self.asking).asks == AskView(
            slot="name", label="이름"
        )

    def test_is_nothing_where_there_is_nothing_to_decline(self):
        cases = [
            {"last_asked": None},
            {"user_info": {"name": "하늘"}},
            {"declined_slots": ("name",)},
            {"status": SessionStatus.COMPLETED},
            {"risk": risk(RiskLevel.IMMINENT)},
        ]
        assert [
            (fields, got)
            for fields in cases
            if (got := CounselingPolicy(content().crisis_replies).snapshot(self.asking.model_copy(update=fields)).asks)
            is not None
        ] == []
