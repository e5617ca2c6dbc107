from shared.content.catalogue import content
from shared.contracts.chat import AskView
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import SessionStatus, WrapUp
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need
from shared.services.counseling.policy import PREVIEW, CounselingPolicy
from tests.builders.sessions import NOW, session, slot, task

POLICY = CounselingPolicy(content())


def risk(level):
    outcome = CrisisOutcome.IMMINENT if level is RiskLevel.IMMINENT else CrisisOutcome.CONCERN
    return Risk(level=level, outcome=outcome, since_seq=1, last_seq=1)


def test_the_view_cuts_a_long_last_message_with_an_ellipsis():
    def shown(*texts):
        recent = [Message(seq=1, role=Role.COUNSELOR, text=text, created_at=NOW) for text in texts]
        return POLICY.view(session(recent=recent)).last_message

    assert shown("가" * PREVIEW) == "가" * PREVIEW
    assert shown("가" * (PREVIEW + 1)) == "가" * (PREVIEW - 1) + "…"
    assert shown() == ""


class TestTheTitle:
    def title(self, **fields):
        return POLICY.view(session(title="마음 나누기", **fields)).title

    def test_is_the_first_sentence_of_the_closing_cut_between_words(self):
        closed = {"status": SessionStatus.COMPLETED, "closing_made": True}
        assert self.title(**closed, summary_text="발표가 걱정돼요. 잠도 못 자요.") == "발표가 걱정돼요"
        quoted = "‘잠이 안 와요.’라는 말을 꺼내 주셨어요. 고마워요."
        assert self.title(**closed, summary_text=quoted) == "‘잠이 안 와요.’라는 말을 꺼내 주셨어요"
        long = "회사에서 발표를 앞두고 실수할까 봐 밤마다 잠을 이루지 못하는 마음을 나눴어요."
        assert self.title(**closed, summary_text=long) == "회사에서 발표를 앞두고 실수할까 봐 밤마다 잠을 이루지…"
        by_rule = {**closed, "closing_by_rule": True, "summary_text": "모델 없이 정리했어요.\n이름: 지우"}
        assert self.title(**by_rule, goals=("덜 떨고 싶어요",)) == "덜 떨고 싶어요"

    def test_is_empty_without_a_closing_and_after_a_danger_and_the_name_of_another_service(self):
        assert self.title() == self.title(summary_text="요약이에요.") == ""
        over = Risk(found=(CrisisOutcome.CRISIS,), over_seq=3)
        assert self.title(closing_made=True, summary_text="힘든 밤을 나눴어요.", risk=over) == ""
        assert self.title(flow="booking") == "마음 나누기"


class TestTheSnapshot:
    def test_shows_a_proposal_to_close_only_in_its_own_turn(self):
        proposed = WrapUp(stage="proposed", aim="end", seq=3)
        shown = POLICY.snapshot(session(wrap_up=proposed, seq=3)).wrap_up
        assert (shown.stage, shown.aim) == ("proposed", "end")
        assert POLICY.snapshot(session(wrap_up=proposed, seq=4)).wrap_up is None
        assert POLICY.snapshot(session()).wrap_up is None

    def test_shows_help_lines_from_a_concern_on(self):
        def numbers(risk, **more):
            return {line.number for line in POLICY.snapshot(session(risk=risk, **more)).risk.resources}

        assert [POLICY.snapshot(session(risk=risk(level))).risk.level for level in RiskLevel] == [
            level.name.lower() for level in RiskLevel
        ]
        none, concern, crisis, imminent = (numbers(risk(level)) for level in sorted(RiskLevel))
        assert ("109" in concern & crisis & imminent, none) == (True, set())
        assert imminent > crisis, "emergency numbers are for imminent danger"
        assert numbers(risk(RiskLevel.CRISIS), age_band="14_18") > crisis, "a minor is shown those for minors, too"
        both = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, needs=(Need.LIFE, Need.VIOLENCE))
        shown = [line.number for line in POLICY.snapshot(session(risk=both)).risk.resources]
        assert shown == ["109", "1577-0199", "1366"], "the lines of several findings are shown together"

    def test_names_the_slot_that_the_newest_reply_asked_for_while_the_user_may_decline_it(self):
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


def test_due_work_has_one_task_name_a_period():
    sessions = [session(message_count=turn, seq=turn, state_version=turn + 3) for turn in range(1, 13)]
    due = [POLICY.due(state) for state in sessions]
    periods = {"supervise": (3, 6, 9, 12), "review": (5, 10), "summarize": (6, 12)}
    names = [f"c1-{work}-{seq}" for work, turns in periods.items() for seq in turns]
    assert {task.name for tasks in due for task in tasks} == set(names)
    assert {(task.conversation_id, task.state_version) for task in due[5]} == {("c1", 9)}
    assert due[0] == ()
