"""Corrects the model's review: each contradiction is resolved by a rule, and each correction is named."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from functions.session_manager.provenance import SHORTEST_QUOTE
from functions.session_manager.review_schema import GoalFinding, SessionReview
from shared.domain.conversation import Message, Role
from shared.domain.counseling.directive import counselors
from shared.domain.counseling.lifecycle import REVIEW_EVERY
from shared.domain.counseling.review import Evidence, SessionGoal, in_mid_emotion, part2_begun
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Task, TaskKind
from shared.domain.turn import TurnRecord
from shared.safety.levels import RiskLevel
from shared.safety.text_rules import TextRules
from shared.services.counseling.evidence import is_verbatim_quote, plain
from shared.services.counseling.fixed_replies import by_rule
from shared.services.counseling.job_context import users_words


class ReviewCorrection(StrEnum):
    """A correction of the model's review."""

    UNKNOWN_GOAL = "unknown_goal"
    """Not a goal of this type of session: dropped."""
    GOAL_TWICE = "goal_twice"
    """Several findings of one goal: merged; a valid one counts."""
    GOAL_MISSING = "goal_missing"
    """No finding of a goal: it stays as it was."""
    EVIDENCE_NOT_SAID = "evidence_not_said"
    """Marked met, but the quote is absent or shows another: reset to not met."""
    GOAL_UNMET = "goal_unmet"
    """Met in the last review, but not in this one: reset to not met."""
    COMPLETED_OUTSIDE_PART2 = "completed_outside_part2"
    """Part 2 called complete before or after it: ignored."""
    COMPLETED_WITH_NOTHING_COVERED = "completed_with_nothing_covered"
    """Part 2 called complete before any of its tasks was covered: ignored."""
    COMPLETED_WITH_FEEDBACK = "completed_with_feedback"
    """Part 2 called complete, and feedback on its plan: the feedback is dropped."""
    FEEDBACK_OUTSIDE_PART2 = "feedback_outside_part2"
    """Feedback outside Part 2, where there is no plan: dropped."""
    FEEDBACK_TOO_SOON = "feedback_too_soon"
    """Feedback less than a review period after a re-plan: dropped."""
    FEEDBACK_AT_WRAP_UP = "feedback_at_wrap_up"
    """Closing suggested, and feedback on the plan: the feedback is dropped."""
    WRAP_UP_IN_RISK = "wrap_up_in_risk"
    """Closing advised in danger: dropped."""
    WRAP_UP_IN_MID_EMOTION = "wrap_up_in_mid_emotion"
    """Closing advised in strong emotion or at a new topic: dropped."""


@dataclass(frozen=True)
class GoalsRead:
    """Met goals by id, with their evidence; a goal met only before keeps its earlier evidence."""

    met: dict[str, str]
    corrected: tuple[ReviewCorrection, ...]


@dataclass(frozen=True)
class ReviewAsCounted:
    """The rest of the review, corrected."""

    part2_completed: bool
    wrap_up_advised: bool
    feedback: str
    corrected: tuple[ReviewCorrection, ...]


def read_goals(
    answer: SessionReview,
    goals: Sequence[SessionGoal],
    spoken: "Spoken",
    met_before: Mapping[str, str],
) -> GoalsRead:
    """Return the goals that are met; words that show one show no other, and a wish is looked for first.

    A goal needs the user's own words as evidence. A goal about an explanation may have the counsellor's words, if the
    user's answer is quoted too; if it is told in a task, only words of that task's reply count, and only a later answer
    of a user who agreed. Words of turns about a danger are no evidence of a wish.
    `met_before` holds the evidence of the last review, whose messages may have left the window. What was told in a task
    and agreed to stays so.
    """
    known = {goal.id for goal in goals}
    corrected = [ReviewCorrection.UNKNOWN_GOAL for finding in answer.goals if finding.goal not in known]
    found = {goal.id: [finding for finding in answer.goals if finding.goal == goal.id] for goal in goals}
    met: dict[str, str] = {}
    for goal in sorted(goals, key=lambda one: not one.wish):
        findings = found[goal.id]
        new = (one for one in findings if one.met and not _shows_another(one.evidence, met.values()))
        shown = next((finding for finding in new if spoken.shows(finding, goal)), None)
        if shown is not None:
            met[goal.id] = shown.evidence.strip()
        elif goal.id in met_before and (goal.told_in or not findings or any(finding.met for finding in findings)):
            met[goal.id] = met_before[goal.id]
    for goal in goals:
        corrected.extend(_corrections(found[goal.id], held=goal.id in met, before=goal.id in met_before))
    return GoalsRead(met={goal.id: met[goal.id] for goal in goals if goal.id in met}, corrected=tuple(corrected))


def _shows_another(evidence: str, used: Iterable[str]) -> bool:
    words = plain(evidence)
    others = [sorted((words, plain(one)), key=len) for one in used]
    return any(short in long and len(short) * 2 >= len(long) for short, long in others)


def _corrections(findings: Sequence[GoalFinding], *, held: bool, before: bool) -> Iterator[ReviewCorrection]:
    if len(findings) != 1:
        yield ReviewCorrection.GOAL_TWICE if findings else ReviewCorrection.GOAL_MISSING
    if held:
        return
    if any(finding.met for finding in findings):
        yield ReviewCorrection.EVIDENCE_NOT_SAID
    elif before:
        yield ReviewCorrection.GOAL_UNMET


@dataclass(frozen=True)
class Spoken:
    """The words that may be evidence.

    Attributes:
        messages: The dialogue.
        explained: The Counselor's own words by turn.
        told: Of these the turns that explained something, by the kind of the task in which they did.
        aside: Turns whose words are no evidence of a wish.
        rules: They find instructions to a model, which are no evidence.
    """

    messages: Sequence[Message]
    explained: Mapping[int, str]
    told: Mapping[int, TaskKind]
    aside: Collection[int]
    rules: TextRules

    @classmethod
    def of(
        cls, messages: Sequence[Message], session: Session, turns: Mapping[int, TurnRecord], rules: TextRules
    ) -> "Spoken":
        """Collect the words; `turns` are the records by turn, of which some hold a fixed reply."""
        fixed = {seq for seq, record in turns.items() if by_rule(record)}
        replies = [each for each in messages if each.role is Role.COUNSELOR and each.seq > 0 and each.seq not in fixed]
        asked = {seq: _explains(session, record) for seq, record in turns.items() if seq not in fixed}
        told = {seq: task.kind for seq, task in asked.items() if task is not None}
        return cls(messages, {each.seq: each.own_words for each in replies}, told, session.set_aside, rules)

    def shows(self, finding: GoalFinding, goal: SessionGoal) -> bool:
        """Return whether the evidence of a finding was said."""
        if len(plain(finding.evidence)) < SHORTEST_QUOTE or self.rules.instructive(finding.evidence):
            return False
        if goal.told_in is not None:
            kinds = self.told.items()
            return any(self._taken_in(finding, seq) for seq, kind in kinds if kind is goal.told_in)
        own = [each for each in self.messages if not (goal.wish and each.seq in self.aside)]
        if is_verbatim_quote(finding.evidence, users_words(own)):
            return True
        explained = is_verbatim_quote(finding.evidence, "\n".join(self.explained.values()))
        both = goal.evidence is Evidence.BOTH and explained
        return both and is_verbatim_quote(finding.answer, users_words(self.messages))

    def _taken_in(self, finding: GoalFinding, seq: int) -> bool:
        """Return whether the reply of a turn holds the evidence, and a later message the answer to it."""
        later = users_words([message for message in self.messages if message.seq > seq])
        explained = is_verbatim_quote(finding.evidence, self.explained.get(seq, ""))
        return explained and is_verbatim_quote(finding.answer, later)


def _explains(session: Session, record: TurnRecord) -> Task | None:
    """Return the task whose slot a reply asked for, unless the user did not agree; None if there is none."""
    directive = counselors(record.directive)
    task = session.task(directive.task_id) if directive else None
    asked = directive.ask.slot if directive and directive.ask else None
    if task is None or all(slot.name != asked for slot in task.slots):
        return None
    return task if all(session.user_info.get(slot.name) is True for slot in task.slots if slot.agrees) else None


def without_feedback(reading: ReviewAsCounted) -> ReviewAsCounted:
    """Return the reading without feedback, because a closing is suggested first."""
    if not reading.feedback:
        return reading
    return replace(reading, feedback="", corrected=(*reading.corrected, ReviewCorrection.FEEDBACK_AT_WRAP_UP))


def read_course(answer: SessionReview, session: Session) -> ReviewAsCounted:
    """Return the rest of the review, corrected by the state of the session."""
    completed, corrected = answer.part2_completed, list[ReviewCorrection]()
    feedback, advised = answer.feedback_to_task_planner.strip(), answer.wrap_up_advised
    if completed and (wrong := _not_complete(session)):
        completed = False
        corrected.append(wrong)
    if feedback and (wrong := _no_feedback(session, completed=completed)):
        feedback = ""
        corrected.append(wrong)
    if advised and (wrong := _no_wrap_up(session)):
        advised = False
        corrected.append(wrong)
    return ReviewAsCounted(completed, advised, feedback, tuple(corrected))


def _not_complete(session: Session) -> ReviewCorrection | None:
    if session.current_part is not Part.EXPLORATION:
        return ReviewCorrection.COMPLETED_OUTSIDE_PART2
    return None if part2_begun(session) else ReviewCorrection.COMPLETED_WITH_NOTHING_COVERED


def _no_feedback(session: Session, *, completed: bool) -> ReviewCorrection | None:
    if completed:
        return ReviewCorrection.COMPLETED_WITH_FEEDBACK
    if session.current_part is not Part.EXPLORATION:
        return ReviewCorrection.FEEDBACK_OUTSIDE_PART2
    changed = session.replanned_seq
    return ReviewCorrection.FEEDBACK_TOO_SOON if changed is not None and session.seq - changed < REVIEW_EVERY else None


def _no_wrap_up(session: Session) -> ReviewCorrection | None:
    if session.risk.follow_through or session.user_state.risk >= RiskLevel.CONCERN:
        return ReviewCorrection.WRAP_UP_IN_RISK
    return ReviewCorrection.WRAP_UP_IN_MID_EMOTION if in_mid_emotion(session) else None
