"""The figures of a demo session: counted from turn records and replies, with the turn of what must not happen."""

import pytest

from cases.story import load_stories
from local.demo.facts import facts
from local.demo.figures import broken, figures
from local.demo.session import Played, Step
from local.demo.stored import Evidence
from shared.contracts.agreement import CITATIONS
from shared.domain.counseling.directive import Ask, Directive, EndCause, Stance
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.session import SessionStatus, WrapUpAim
from shared.domain.counseling.task import Part
from shared.domain.counseling.user_state import EmotionLabel, UserState
from shared.domain.turn import Hook
from tests.builders.sessions import session, slot, task
from tests.builders.turn_records import turn_record

STORY = load_stories()[0]
REASON = slot("reason", questions=("무엇 때문에 오셨어요?",))
CALM, SAD = UserState(), UserState(emotion=EmotionLabel.SADNESS, intensity=5)


class Session:
    """A session that is played turn by turn."""

    def __init__(self):
        self.state = session(task("task_a", required_slots=(REASON,)), task("task_b"))
        self.steps, self.records = [], []

    def turn(
        self,
        reply,
        read=CALM,
        *,
        events=(),
        flags=(),
        flow="counseling",
        hooks=(),
        changed=None,
        said="네",
        **directive,
    ):
        before, seq = self.state, self.state.seq + 1
        readings = before.readings if read is None else (*before.readings, StateReading.of(read, seq))
        self.state = before.model_copy(
            update={"seq": seq, "readings": readings, "user_state": read or before.user_state, **(changed or {})}
        )
        self.steps.append(Step(seq, said, reply, before, self.state))
        plain = {"stance": Stance.WORK, "part": Part.OPENING, "module_id": "m", "module_name": "", "module_summary": ()}
        spoke = not flags and flow == "counseling"
        told = Directive.model_validate(plain | directive).for_record() if spoke else None
        record = turn_record("c1", seq, directive=told, events=events, flow=flow)
        result = record.result.model_copy(update={"reply": reply, "flags": flags, "hooks": tuple(hooks)})
        self.records.append(record.model_copy(update={"result": result}))

    def whole(self):
        evidence = Evidence(tuple(self.records), (), (), (), (), (), (), None)
        return Played(STORY, "어떻게 불러 드릴까요?", session(), tuple(self.steps), self.state, evidence, None)

    def figures(self):
        return figures(self.whole())


@pytest.fixture
def played():
    return Session()


def test_a_question_in_the_same_words_is_named_with_its_turn_wherever_in_the_session_it_was_asked(played):
    for reply in ("그랬군요. 언제였어요?", "네, 언제쯤이었어요?", "아, 그래요.\n언제였어요?", "어떻게 불러 드릴까요?"):
        played.turn(reply)
    assert list(broken(played.figures())) == [
        "asked twice in the same words, in turn 3: 언제였어요?",
        "asked twice in the same words, in turn 4: 어떻게 불러 드릴까요?",
    ]


@pytest.mark.parametrize(
    ("reply", "ask", "read", "named"),
    [
        ("그랬군요.", Ask(slot="reason", question="?"), SAD, [2]),
        ("무엇 때문에 오셨어요?", None, SAD, [2]),
        ("무엇 때문에 오셨어요?", Ask(slot="reason", question="?"), CALM, []),
        ("그 마음은 어땠어요?", None, SAD, []),
        ("무엇 때문에 오셨어요?", None, None, []),
    ],
)
def test_a_slot_asked_for_in_the_turn_of_a_new_feeling_is_named_with_its_turn(played, reply, ask, read, named):
    played.turn("안녕하세요.")
    played.turn(reply, read, ask=ask)
    assert [one.seq for one in played.figures().intake_after_feeling] == named


@pytest.mark.parametrize(
    ("reply", "named"),
    [("여기서 마칠까요?", [1]), ("많이 나누셨어요. 여기서 마칠까요?", []), ("“끝?” 여기서 마칠까요?", [])],
)
def test_a_proposal_to_close_with_nothing_before_it_is_named_with_its_turn(played, reply, named):
    played.turn(reply, stance=Stance.CONFIRM_END, proposes=WrapUpAim.END, end_cause=EndCause.COVERED)
    assert [one.seq for one in played.figures().bare] == named


@pytest.mark.parametrize(("cause", "ended"), [(EndCause.ASKED, "asked"), (EndCause.COVERED, "agreed")])
def test_a_session_was_ended_by_whom_the_record_of_the_last_proposal_names(played, cause, ended):
    for one in (EndCause.SHORT_ANSWERS, cause):
        played.turn("여기서 마칠까요?", stance=Stance.CONFIRM_END, proposes=WrapUpAim.END, end_cause=one)
    played.turn("안녕히 가세요.", flags=("ended",), changed={"status": SessionStatus.COMPLETED})
    assert facts(played.whole())["ended_by"] == (ended,)


def test_a_feeling_that_goes_on_is_not_new(played):
    played.turn("많이 슬프셨군요.", SAD)
    played.turn("무엇 때문에 오셨어요?", SAD)
    assert list(broken(played.figures())) == []


def test_the_services_are_counted_and_what_one_of_them_changes_of_the_counselling_is_named(played):
    played.turn("그랬군요. 언제였어요?")
    for changed in ({}, {"current_task": "task_b", "last_asked": "reason"}):
        played.turn("제17조에 있어요.", None, flow="agreement", changed=changed)
    found = played.figures()
    assert found.services == (("counseling", 1), ("agreement", 2))
    assert list(broken(found)) == [
        f"another service's answer changed the counselling's {name}, in turn 3"
        for name in ("current_task", "last_asked")
    ]


@pytest.mark.parametrize(
    ("passage", "title", "label", "named"),
    [
        ("article-17", "상담 내용을 볼 수 있는 사람", "제17조", []),
        ("article-99", "상담 내용을 볼 수 있는 사람", "제17조", ["제17조"]),
        ("article-17", "비밀보장", "제17조", ["제17조"]),
        ("article-17", "상담 내용을 볼 수 있는 사람", "제18조", ["제18조"]),
    ],
)
def test_a_citation_that_no_reader_can_follow_is_named(played, passage, title, label, named):
    cited = {"document_id": "service", "passage_id": passage, "label": label, "title": title}
    played.turn(
        "담당자만 봐요 [제17조].", None, flow="agreement", hooks=[Hook(type=CITATIONS, data={"citations": [cited]})]
    )
    assert [one.words for one in played.figures().unwritten] == named
