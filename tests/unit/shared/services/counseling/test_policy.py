from shared.content.catalogue import content
from shared.contracts.chat import AskView
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import SessionStatus, WrapUp
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need
from shared.services.counseling.policy import PREVIEW, CounselingPolicy
from tests.builders.sessions import NOW, session, slot, task

POLICY = CounselingPolicy(content().crisis_replies)


def risk(level):
    outcome = CrisisOutcome.IMMINENT if level is RiskLevel.IMMINENT else CrisisOutcome.CONCERN
    return Risk(level=level, outcome=outcome, since_seq=1, last_seq=1)


def said(text):
    return Message(seq=1, role=Role.COUNSELOR, text=text, created_at=NOW)


class TestTheView:
    def test_cuts_a_long_message_with_a_mark_and_has_none_before_any_word(self):
        view = POLICY.view
        assert view(session(recent=(said("가" * PREVIEW),))).last_message == "가" * PREVIEW
        assert view(session(recent=(said("가" * (PREVIEW + 1)),))).last_message == "가" * (PREVIEW - 1) + "…"
        assert view(session()).last_message == ""


class TestTheSnapshot:
    def test_shows_a_proposal_to_close_that_no_later_turn_passed_over(self):
        proposed = WrapUp(stage="proposed", aim="end", seq=3)
        shown = POLICY.snapshot(session(wrap_up=proposed, seq=3)).wrap_up
        assert (shown.stage, shown.aim) == ("proposed", "end")
        assert POLICY.snapshot(session(wrap_up=proposed, seq=4)).wrap_up is None
        assert POLICY.snapshot(session()).wrap_up is None

    def test_shows_the_lines_of_a_danger_from_a_concern_on(self):
        def numbers(risk, **more):
            return {line.number for line in POLICY.snapshot(session(risk=risk, **more)).risk.resources}

        assert [POLICY.snapshot(session(risk=risk(level))).risk.level for level in RiskLevel] == [
            level.name.lower() for level in RiskLevel
        ]
        none, concern, crisis, imminent = (numbers(risk(level)) for level in sorted(RiskLevel))
        assert ("109" in concern & crisis & imminent, none) == (True, set())
        assert imminent > crisis, "emergency numbers are for danger at hand"
        assert numbers(risk(RiskLevel.CRISIS), age_band="14_18") > crisis, "a minor is shown those for minors, too"
        both = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, needs=(Need.LIFE, Need.VIOLENCE))
        shown = [line.number for line in POLICY.snapshot(session(risk=both)).risk.resources]
        assert shown == ["109", "1577-0199", "1366"], "what several findings call for is shown together"

    def test_asks_for_what_the_newest_reply_asked_for_unless_there_is_nothing_to_decline(self):
        asking = session(task("a", required_slots=(slot("name", label="이름"),)), last_asked="name")
        assert POLICY.snapshot(asking).asks == AskView(slot="name", label="이름")
        for fields in (
            {"last_asked": None},
            {"user_info": {"name": "하늘"}},
            {"declined_slots": ("name",)},
            {"status": SessionStatus.COMPLETED},
            {"risk": risk(RiskLevel.IMMINENT)},
        ):
            assert POLICY.snapshot(asking.model_copy(update=fields)).asks is None, fields


class TestDueWork:
    def test_is_queued_once_a_period_however_many_turns_it_waits(self):
        sessions = [session(message_count=turn, seq=turn, state_version=turn + 3) for turn in range(1, 13)]
        due = [POLICY.due(state) for state in sessions]
        assert {task.name for tasks in due for task in tasks} == {
            *(f"c1-supervise-{seq}" for seq in (3, 6, 9, 12)),
            *(f"c1-review-{seq}" for seq in (5, 10)),
            *(f"c1-summarize-{seq}" for seq in (6, 12)),
        }
        assert {(task.conversation_id, task.state_version) for task in due[5]} == {("c1", 9)}
        assert due[0] == ()
