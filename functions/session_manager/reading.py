"""What of the model's review counts: each contradiction is resolved by a rule, and each correction is named."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from functions.session_manager.findings import GoalFinding, SessionReview
from shared.content.crisis_rules import alarming
from shared.domain.conversation import Message
from shared.domain.counseling.lifecycle import REVIEW_EVERY
from shared.domain.counseling.review import Evidence, SessionGoal, in_mid_emotion, part2_begun
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part
from shared.domain.safety.levels import RiskLevel
from shared.services.counseling.quotes import said
from shared.services.counseling.workbench import users_words


class Correction(StrEnum):
    """What code put right in a review."""

    UNKNOWN_GOAL = "unknown_goal"
    """No goal of this type of session: dropped."""
    GOAL_TWICE = "goal_twice"
    """Two findings of one goal: merged, and the one that holds counts."""
    GOAL_MISSING = "goal_missing"
    """Nothing was said of a goal: it is not met."""
    EVIDENCE_NOT_SAID = "evidence_not_said"
    """Called met by words that nobody said, or that are no evidence of it: it is not met."""
    COMPLETED_OUTSIDE_PART2 = "completed_outside_part2"
    """Part 2 called complete before or after it: it is not this review's to say."""
    COMPLETED_WITH_NOTHING_COVERED = "completed_with_nothing_covered"
    """Part 2 called complete before a single task of it was covered: it is not."""
    COMPLETED_WITH_FEEDBACK = "completed_with_feedback"
    """Complete and out of reach at once: what is reached needs no other plan, and the feedback is dropped."""
    FEEDBACK_OUTSIDE_PART2 = "feedback_outside_part2"
    """Another plan is wanted where there is none: dropped."""
    FEEDBACK_TOO_SOON = "feedback_too_soon"
    """The plan has only just been changed: it gets a review's length to show itself, and the feedback is dropped."""
    WRAP_UP_IN_RISK = "wrap_up_in_risk"
    """Closing advised while there are words of danger: dropped."""
    WRAP_UP_IN_MID_EMOTION = "wrap_up_in_mid_emotion"
    """Closing advised in strong emotion or at a new topic: dropped."""


@dataclass(frozen=True)
class GoalsRead:
    """The goals that are met, by id, with the words that show it (none for one met before)."""

    met: dict[str, str]
    corrected: tuple[Correction, ...]


@dataclass(frozen=True)
class Reading:
    """The rest of the review as it counts in a session."""

    part2_completed: bool
    wrap_up_advised: bool
    feedback: str
    corrected: tuple[Correction, ...]


def read_goals(
    answer: SessionReview, goals: Sequence[SessionGoal], messages: Sequence[Message], met_before: Collection[str]
) -> GoalsRead:
    """Return the goals that are met.

    A goal counts with words that were really said: the user's, or where it is about what was explained, the
    counsellor's too. One met before needs no new words; they may have left the window. A wish to die is no wish.
    """
    by_user = users_words(messages)
    words = {Evidence.USER: by_user, Evidence.BOTH: "\n".join(message.text for message in messages)}
    known = {goal.id for goal in goals}
    corrected = [Correction.UNKNOWN_GOAL for finding in answer.goals if finding.goal not in known]
    met: dict[str, str] = {}
    for goal in goals:
        findings = [finding for finding in answer.goals if finding.goal == goal.id]
        if len(findings) != 1:
            corrected.append(Correction.GOAL_TWICE if findings else Correction.GOAL_MISSING)
        claimed = [finding for finding in findings if finding.met]
        shown = next((finding for finding in claimed if _shows(finding, goal, words[goal.evidence])), None)
        if shown is not None:
            met[goal.id] = shown.evidence.strip()
        elif claimed and goal.id in met_before:
            met[goal.id] = ""
        elif claimed:
            corrected.append(Correction.EVIDENCE_NOT_SAID)
    return GoalsRead(met=met, corrected=tuple(corrected))


def _shows(finding: GoalFinding, goal: SessionGoal, words: str) -> bool:
    return said(finding.evidence, words) and not (goal.wish and alarming(finding.evidence))


def read_course(answer: SessionReview, session: Session) -> Reading:
    """Return what the review says of the session's course, as far as it can be true of the session as it is now."""
    completed, corrected = answer.part2_completed, list[Correction]()
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
    return Reading(completed, advised, feedback, tuple(corrected))


def _not_complete(session: Session) -> Correction | None:
    if session.current_part is not Part.EXPLORATION:
        return Correction.COMPLETED_OUTSIDE_PART2
    return None if part2_begun(session) else Correction.COMPLETED_WITH_NOTHING_COVERED


def _no_feedback(session: Session, *, completed: bool) -> Correction | None:
    if completed:
        return Correction.COMPLETED_WITH_FEEDBACK
    if session.current_part is not Part.EXPLORATION:
        return Correction.FEEDBACK_OUTSIDE_PART2
    changed = session.replanned_seq
    return Correction.FEEDBACK_TOO_SOON if changed is not None and session.seq - changed < REVIEW_EVERY else None


def _no_wrap_up(session: Session) -> Correction | None:
    if session.risk.follow_through or session.user_state.risk >= RiskLevel.CONCERN:
        return Correction.WRAP_UP_IN_RISK
    return Correction.WRAP_UP_IN_MID_EMOTION if in_mid_emotion(session) else None
