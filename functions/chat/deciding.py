"""Room 12 of a turn: task, module, the one thing to ask, and what the reply is for.

`decide` is pure: the same session and reading give the same directive, so that a reply can be begun on a guess and kept
if the reading leads to the same one.
"""

from dataclasses import dataclass

from functions.chat.applying import Moment, Plain, Progress, asked_lately
from functions.chat.danger.questions import asks_the_helper, direct_question, offer_of_a_plan, step_ask, time_to_offer
from functions.chat.findings import Findings
from functions.chat.reading import OTHER, Heard
from functions.chat.wordings import unsaid
from shared.content.catalogue import Content
from shared.content.conditions import Effect
from shared.content.schemas.state_words import STRONG_RESISTANCE, StateWords
from shared.domain.conversation import Role
from shared.domain.counseling.directive import Ask, CarriedGist, Directive, EndCause, Heed, Stance
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY, agreed_to_close, last_chance, plan_covered_unseen
from shared.domain.counseling.module import CRISIS_MODULE, LISTENING, RESISTANCE_MODULE, ChoiceCause, Module
from shared.domain.counseling.readings import PERSISTING_WITHIN, before, newly_named, resisting
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.review import time_to_ask_for_the_end, time_to_offer_rest, time_to_propose
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanStepGiven
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import (
    MisreadTold,
    MoreWanted,
    ReplanAsked,
    StateFeedbackGiven,
    WentBack,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpPassed,
    WrapUpUnclear,
)
from shared.domain.counseling.short_answers import QUIET_AFTER, QUIET_AFTER_UNSURE
from shared.domain.counseling.state_feedback import StateKind, worth_telling
from shared.domain.counseling.task import CompletionRule, Part, Task, TaskKind, may_return, part_covered, rank, waits
from shared.domain.counseling.task_events import ModuleChanged, TaskCovered, TaskStarted
from shared.domain.counseling.user_state import STRONG_EMOTION, EmotionChange, Resistance, StateSignal, UserState
from shared.domain.ids import ModuleId
from shared.domain.slots import Slot, missing
from shared.engine.prose import excerpt
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.services.counseling.prompt_slots import declined_labels, in_words, slots_for_prompt

GUIDE_LENGTH = 300
"""Maximum characters of the stored guide to a task."""
QUESTIONS_REST = 3
"""Turns without a question of the counsellor's, counted from the turn in which the client had enough of them."""
HELD_AFTER_RESISTANCE = 3
"""The same, counted from strong resistance; what the client tells ends them early."""
REST_AFTER_ASKING = 3
"""Turns in which an unanswered slot is not asked for again."""
MOST_ASKS = 2
"""Maximum times that a slot is asked for, apart from a rejected value."""
LOW_SCORE, URGENT_SCORE = 7.0, 5.0
"""A supervision below the first goes into the prompt; below the second, the rubric's cap, it is emphasised."""
STALE_AFTER = 2 * SUPERVISE_EVERY
"""Turns after which a supervision no longer counts."""
MOST_REMARKS, LONGEST_REMARK = 3, 200
"""Maximum improvements in a prompt and maximum characters of each."""

_HEEDED = {
    CrisisOutcome.THIRD_PARTY: Heed.HELPER,
    CrisisOutcome.THIRD_PARTY_NOW: Heed.HELPER,
    CrisisOutcome.HARM_TO_OTHERS: Heed.HARM_TO_OTHERS,
    CrisisOutcome.ABUSE: Heed.ABUSE,
    CrisisOutcome.ABUSE_NOW: Heed.ABUSE,
}
_FREE = (Stance.WORK, Stance.GATHER, Stance.ACCOMPANY)
"""Stances without a question of their own: in them a safety plan may be offered, and a slot asked for."""
_ANSWERS_DANGER = frozenset({Effect.BELIEVE, Effect.DECLINE, Effect.ASK_END})
"""What answers or refuses the direct question whether the client wants to die: it is not asked again."""
_NOT_TOLD = frozenset(
    {
        *(Effect.COVER_TASK, Effect.ASK_END, Effect.PROPOSE_END, Effect.ASK_AGE),
        *(Effect.TAKE_AS_YES, Effect.TAKE_AS_NO, Effect.ANSWER_AGREEMENT, Effect.ANSWER_DOCUMENT, Effect.BOOK),
    }
)
"""What changes the directive, and is no notice of its own."""
_GO_FIRST = frozenset(
    {
        *(Effect.ANSWER_FIRST, Effect.SAY_LIMITS, Effect.SAY_AI, Effect.HAND_OVER, Effect.GIVE_STEP),
        *(Effect.APOLOGISE, Effect.OFFER_CHOICE, Effect.OFFER_GRIEF, Effect.CARE_EATING, Effect.RECEIVE_GOOD),
        *(Effect.BACK_TO_PERSON, Effect.DECLINE, Effect.MEET_RESISTANCE, Effect.STOP_ASKING, Effect.FOLLOW_TOPIC),
    }
)
"""What the reply meets in place of asking for a slot."""


@dataclass(frozen=True)
class Decision:
    """The session after a turn's decisions, what led to it, and the plan of the reply."""

    session: Session
    found: Findings
    directive: Directive


def decide(moment: Moment, heard: Heard, session: Session, found: Findings, content: Content) -> Decision:
    """Choose task and module, the one thing to ask, and draw up the directive.

    Args:
        moment: The turn.
        heard: What counts of the reading.
        session: The session after `apply`.
        found: All findings of the turn so far.
        content: Modules and wordings.
    """
    progress = Progress(moment, session, found)
    _select_task(progress, heard)
    _ask_for_a_replan(progress, heard, content.state_words(session.locale))
    _select_module(progress, heard, content)
    directive = _directive(progress, heard, content)
    return Decision(progress.session, progress.found, directive)


def _select_task(progress: Progress, heard: Heard) -> None:
    """Take up the task that the reading names, if it may be taken up now; without one the rank decides.

    In Part 2 the reading may say that nothing fits: then no task is under way, and the planner is asked.
    """
    session = progress.session
    present = session.task_in_progress
    building = present is not None and present.completion_rule is CompletionRule.STEPS
    begun_now = progress.all_found.of(WentBack, MoreWanted, SafetyPlanBegun)
    if session.plan_status is PlanStatus.PLANNING or building or begun_now:
        return
    ranked = rank(session.tasks, session.current_part, wrapping_up=session.status is SessionStatus.WRAPPING_UP)
    closes = session.wrap_up is not None and session.wrap_up.stage is WrapUpStage.SUGGESTED
    unfit = session.user_state.distressed or closes  # to be told how counselling goes
    waiting = [task for task in ranked if waits(task) and not (unfit and task.kind is TaskKind.ORIENTATION)]
    named = next((task for task in ranked if task.id == heard.next_task), None)
    covered_now = {event.task_id for event in progress.all_found.of(TaskCovered)}
    if named is not None and (waits(named) or (may_return(named) and named.id not in covered_now)):
        chosen: Task | None = named
    elif _nothing_fits_now(heard, session) and waiting:
        _nothing_fits(progress, heard)
        return
    else:
        chosen = present or next(iter(waiting), None)
    if chosen is None:
        return
    guide = heard.guide[:GUIDE_LENGTH] if chosen.id == heard.next_task else ""
    if present is None or chosen.id != present.id:
        progress.add(TaskStarted(task_id=chosen.id, guide=guide))


def _nothing_fits_now(heard: Heard, session: Session) -> bool:
    """Return whether the reading leaves the plan of Part 2; words in circles, or about the end, leave nothing."""
    explores = session.current_part is Part.EXPLORATION
    leaves = {Effect.NAME_CIRCLE, Effect.PROPOSE_END, Effect.ASK_END}
    return heard.fits_none and explores and leaves.isdisjoint(heard.effects)


def _nothing_fits(progress: Progress, heard: Heard) -> None:
    if may_replan(progress.session) and not agreed_to_close(progress.session):
        reason = heard.task_reason or "no task fits what was said"
        _tell_planner(progress, FeedbackSource.TASK_SELECTOR, "no_fitting_task", reason)


def _tell_planner(progress: Progress, source: FeedbackSource, kind: str, reason: str) -> None:
    asked, moment = ReplanAsked(), progress.moment
    marked = asked.apply(progress.session, moment.now)
    record = feedback(marked, source, kind=kind, reason=reason, seq=moment.seq, at=moment.now)
    progress.add(asked, records=(record,))


def _ask_for_a_replan(progress: Progress, heard: Heard, words: StateWords) -> None:
    """Ask for a re-plan if the client's state calls for one; the Task Selector's own feedback goes first."""
    session, seq = progress.session, progress.moment.seq
    if progress.found.of(ReplanAsked):
        return
    kind = worth_telling(session, seq, served=heard.next_task is not None)
    if kind is None:
        return
    now, earlier = session.user_state, before(session.readings, seq)
    refused = kind is StateKind.RESISTANCE and now.resistance is Resistance.STRONG
    last = earlier[-1] if earlier else UserState()
    reason = words.feedback(
        STRONG_RESISTANCE if refused else kind,
        emotion=words.emotion(now.emotion),
        intensity=now.intensity,
        before=f"{words.emotion(last.emotion)} {last.intensity}/10",
        count=resisting(session.readings),
        within=min(PERSISTING_WITHIN, len(session.readings)),
    )
    _tell_planner(progress, FeedbackSource.USER_STATE, kind.value, reason)
    progress.add(StateFeedbackGiven(kind=kind.value, seq=seq))


def _select_module(progress: Progress, heard: Heard, content: Content) -> None:
    """Choose the technique: a danger and resistance decide; else the reading picks among those that may be used."""
    session, seq = progress.session, progress.moment.seq
    modules = {one.id: one for one in content.modules(session.locale)}
    chosen, cause, signal = _module(progress, heard, modules)
    code = cause.value if signal is None else f"{cause.value}:{signal.value}"
    reason = heard.module_reason if chosen == heard.module and heard.module_reason else ""
    reason = reason or content.state_words(session.locale).module_reason(code)
    if chosen != session.current_module or session.seq < seq:
        progress.add(ModuleChanged(module_id=chosen, reason=reason, code=code))


def _module(
    progress: Progress, heard: Heard, modules: dict[ModuleId, Module]
) -> tuple[ModuleId, ChoiceCause, StateSignal | None]:
    session, seq = progress.session, progress.moment.seq
    signals = session.user_state.signals()
    if session.risk.level >= RiskLevel.CRISIS or StateSignal.RISK in signals:
        return CRISIS_MODULE, ChoiceCause.RISK, StateSignal.RISK
    usable = {
        one.id
        for one in modules.values()
        if one.id != CRISIS_MODULE and one.applies(session.session_type, session.current_part)
    }
    if StateSignal.RESISTANCE in signals and RESISTANCE_MODULE in usable:
        return RESISTANCE_MODULE, ChoiceCause.STATE, StateSignal.RESISTANCE
    suggested, task = _suggested(session, seq), session.task_in_progress
    began = task is not None and session.current_task != progress.moment.before.current_task
    over = session.current_module == RESISTANCE_MODULE  # Resistance is, of which there is none now.
    stays = session.current_module in usable and not (over or began or _feels_anew(progress) or _calls_for_a_way(heard))
    if heard.module is not None and heard.module in usable and not stays:
        return heard.module, ChoiceCause.TASK if task else ChoiceCause.SUBJECT, None
    if suggested in usable and suggested is not None:
        return suggested, ChoiceCause.SUPERVISION, None
    if task is not None and task.module_id in usable and (began or session.current_module not in usable):
        return task.module_id, ChoiceCause.TASK, None
    return session.current_module if session.current_module in usable else LISTENING, ChoiceCause.CURRENT, None


def _calls_for_a_way(heard: Heard) -> bool:
    """Return whether the message asks for another manner of reply, so that the technique may change within a task."""
    return not heard.effects.isdisjoint(_GO_FIRST | {Effect.NAME_CIRCLE})


def _suggested(state: Session, seq: int) -> ModuleId | None:
    """Return the supervisor's suggestion if it is recent; how to meet resistance only while there is some."""
    newest = state.supervision_log[-1] if state.supervision_log else None
    if newest is None or seq - newest.seq > SUPERVISE_EVERY:
        return None
    suggestion = newest.data.get("suggested_module")
    over = suggestion == RESISTANCE_MODULE and state.user_state.resistance is Resistance.NONE
    return ModuleId(suggestion) if isinstance(suggestion, str) and not over else None


# The directive


@dataclass(frozen=True)
class _Aim:
    stance: Stance
    task: Task | None
    concern: bool
    heed: Heed | None
    end_cause: EndCause | None

    @property
    def proposes(self) -> WrapUpAim | None:
        if self.stance is Stance.CONFIRM_END:
            return WrapUpAim.END
        return WrapUpAim.WRAP_UP if self.stance is Stance.PROPOSE_WRAP_UP else None


def _directive(progress: Progress, heard: Heard, content: Content) -> Directive:
    state, moment = progress.session, progress.moment
    aim = _aim(progress, heard)
    offers_plan = aim.stance in _FREE and not _answers_something(heard) and time_to_offer(moment.seq, state)
    if offers_plan:
        aim = _Aim(Stance.ACCOMPANY, None, aim.concern, aim.heed, None)
    ask = None if offers_plan else _ask(progress, heard, aim, content)
    step = ask is not None and aim.task is not None and aim.task.completion_rule is CompletionRule.STEPS
    follows = ask.question if ask is not None and step else _follows(aim, state, content, offers_plan=offers_plan)
    module = next((one for one in content.modules(state.locale) if one.id == state.current_module), None)
    if module is None:
        module = next(one for one in content.modules(state.locale) if one.id == LISTENING)
    task = aim.task
    remarks, urgent = _supervision(state, moment.seq)
    misread = {Effect.APOLOGISE} if progress.all_found.of(MisreadTold) else frozenset[Effect]()
    # Where no other service may answer, a question about this one is the Counselor's.
    asks = {Effect.ANSWER_FIRST} if Effect.ANSWER_AGREEMENT in heard.effects else frozenset[Effect]()
    is_ai, question = (heard.words_for(effect) or "" for effect in (Effect.SAY_AI, Effect.ANSWER_FIRST))
    answered = {Effect.ANSWER_FIRST} if is_ai and (question in is_ai or is_ai in question) else frozenset[Effect]()
    effects = tuple(effect for effect in Effect if effect in (heard.effects | misread | asks) - answered)
    facts = content.facts(state.locale)
    safety_first = aim.concern or aim.heed is not None or aim.stance is Stance.CARE
    parse_error = not follows and aim.heed is None and _unclear(moment, state, aim)
    return Directive(
        stance=aim.stance,
        part=state.current_part,
        task_id=task.id if task else None,
        task_title=task.title if task else None,
        task_target=task.target if task else None,
        restrictions=task.restrictions if task and Effect.GIVE_STEP not in effects else None,
        execution_guide=heard.guide or "" if task and task.id == heard.next_task else "",
        module_id=module.id,
        module_name=module.name,
        module_summary=module.summary,
        module_examples=() if safety_first else module.examples.get(state.register_, ()),
        module_changed=moment.before.seq > 0 and state.current_module != moment.before.current_module,
        module_change_reason=content.state_words(state.locale).module_change(state.module_change_code or ""),
        ask=ask,
        quiet=_quiet(progress, heard, aim) and not follows,
        notices=tuple(effect.value for effect in effects if effect not in _NOT_TOLD),
        facts=tuple(fact for effect in effects if _has_facts(effect, heard) for fact in facts.get(effect.value, ())),
        corrected=_corrected(progress, heard, content),
        follows=follows,
        known=slots_for_prompt(state, content.messages(state.locale, state.register_), tuple(moment.before.user_info)),
        declined=declined_labels(state),
        part_changed=state.current_part != state.announced_part
        and not (safety_first or offers_plan or parse_error or asked_lately(state, moment.seq)),
        part2_goal=state.part2_goal if state.current_part is Part.EXPLORATION else None,
        persona=_persona_hint(content, state),
        supervision=remarks,
        supervision_urgent=urgent,
        concern=aim.concern,
        heed=aim.heed,
        parse_error=parse_error,
        offers_plan=offers_plan,
        proposes=aim.proposes,
        end_cause=aim.end_cause,
        carried=_gist_carried(state),
    )


def _aim(progress: Progress, heard: Heard) -> _Aim:
    state, seq = progress.session, progress.moment.seq
    risk = state.risk
    evades = progress.moment.evades and _ANSWERS_DANGER.isdisjoint(heard.effects)
    concern = risk.level is RiskLevel.CONCERN and (risk.last_seq == seq or evades)
    said_all = Effect.PROPOSE_END in heard.effects
    end_cause = None if concern else _end_cause(progress, heard)
    may_be_near = risk.outcome is CrisisOutcome.CONCERN or progress.moment.may_need_help
    unread = progress.moment.unread and progress.moment.plain is not Plain.STOP
    cares = risk.follow_through or (unread and may_be_near and not concern)
    stance = Stance.CARE if cares else _stance(state, seq, end_cause, concern=concern, said_all=said_all)
    begun = state.safety_plan.stage is PlanStage.BUILDING and bool(progress.all_found.of(SafetyPlanBegun))
    if begun and stance is Stance.ACCOMPANY:
        stance = Stance.WORK
    return _Aim(
        stance=stance,
        task=state.task_in_progress if stance is Stance.WORK else None,
        concern=concern,
        heed=None if concern else _heed(progress),
        end_cause=end_cause if stance is Stance.CONFIRM_END else None,
    )


def _stance(state: Session, seq: int, end_cause: EndCause | None, *, concern: bool, said_all: bool) -> Stance:
    """Return what the reply is for. A question about danger is asked alone, so that a "yes" is unambiguous."""
    if concern:
        return Stance.ACCOMPANY
    if end_cause is not None:
        return Stance.CONFIRM_END
    if state.risk.attended or state.risk.just_over(seq):
        return Stance.ACCOMPANY
    if state.plan_status is PlanStatus.PLANNING or (agreed_to_close(state) and state.current_part is not Part.CLOSING):
        return Stance.BRIDGE
    if time_to_propose(state, seq, said_all=said_all):
        return Stance.PROPOSE_WRAP_UP
    if state.task_in_progress is not None:
        return Stance.WORK
    return Stance.GATHER if plan_covered_unseen(state) else Stance.ACCOMPANY


def _end_cause(progress: Progress, heard: Heard) -> EndCause | None:
    """Return why to ask whether the client wants to end; their own wish goes first."""
    state, seq = progress.session, progress.moment.seq
    answered = progress.all_found.of(WrapUpAgreed, WrapUpDeclined, WrapUpPassed, WrapUpUnclear, WentBack)
    covered = state.current_part is Part.CLOSING and part_covered(state.tasks, Part.CLOSING)
    if not answered:
        wishes = Effect.ASK_END in heard.effects or progress.moment.plain is Plain.STOP
        wishes = wishes or state.stop_wished_seq is not None
        if wishes or (covered and Effect.PROPOSE_END in heard.effects):
            return EndCause.ASKED
        if time_to_offer_rest(state, seq):
            return EndCause.SHORT_ANSWERS
    if not time_to_ask_for_the_end(state, seq):
        return None
    return EndCause.COVERED if covered else EndCause.ASKED


def _heed(progress: Progress) -> Heed | None:
    """Return a risk other than the danger to the client's life."""
    risk = progress.session.risk
    if (risk.follow_through or risk.attended) and risk.outcome in _HEEDED:
        return _HEEDED[risk.outcome]
    told = any(event.outcome is CrisisOutcome.ABUSE_TOLD for event in progress.all_found.of(RiskRaised))
    return Heed.ABUSE_TOLD if told else None


def _follows(aim: _Aim, state: Session, content: Content, *, offers_plan: bool) -> str:
    """Return code's own question, which stands last in the reply; empty if none is due."""
    messages = content.messages(state.locale, state.register_)
    if aim.concern:
        return direct_question(state, content)
    if aim.end_cause is EndCause.SHORT_ANSWERS:
        rest = messages.variants("rest_or_end")
        offered = any(one.role is Role.COUNSELOR and wording in one.text for one in state.recent for wording in rest)
        return unsaid(messages.variants("stay_or_end") if offered else rest, state)
    if aim.proposes is not None:
        key = "confirm_end" if aim.proposes is WrapUpAim.END else "propose_wrap_up"
        return unsaid(messages.variants(key), state)
    if offers_plan:
        return offer_of_a_plan(state, content)
    return asks_the_helper(state, aim.heed, aim.stance, content)


def _answers_something(heard: Heard) -> bool:
    return not {Effect.ANSWER_FIRST, Effect.SAY_LIMITS, Effect.SAY_AI, Effect.HAND_OVER}.isdisjoint(heard.effects)


def _ask(progress: Progress, heard: Heard, aim: _Aim, content: Content) -> Ask | None:
    """Return the one thing to ask, if nothing goes before it."""
    state, moment, task = progress.session, progress.moment, aim.task
    if task is None or aim.concern or aim.heed is not None:
        return None
    if task.completion_rule is CompletionRule.STEPS:
        given = progress.all_found.of(SafetyPlanBegun, SafetyPlanStepGiven)  # A warning sign is no new feeling.
        received = _feels_anew(progress) or not {Effect.APOLOGISE, Effect.STOP_ASKING}.isdisjoint(heard.effects)
        return None if received and not given else step_ask(state, task, content)
    if _unclear(moment, state, aim):
        last = moment.before.last_asked
        return _next_ask(state, task, moment.seq, only=last) if last else None
    leaving = progress.all_found.of(WrapUpPassed, WrapUpUnclear, WrapUpDeclined)
    told_to_go_on = moment.short and heard.asked == OTHER  # "Yes" to the Counselor's own question: they go on telling.
    waits_for_words = not _GO_FIRST.isdisjoint(heard.effects) or leaving or told_to_go_on
    rests = state.risk.just_over(moment.seq) or StateSignal.RISK in state.user_state.signals()
    intake = task.part is Part.OPENING and task.kind is not TaskKind.ORIENTATION
    rests = (
        rests or (intake and state.risk.intake_rests(moment.seq)) or moment.before.risk.asked_seq == moment.before.seq
    )
    now_or_never = last_chance(state, task)
    if waits_for_words or rests or _quiet(progress, heard, aim) or (_feels_anew(progress) and not now_or_never):
        return None
    return _next_ask(state, task, moment.seq)


def _has_facts(effect: Effect, heard: Heard) -> bool:
    """Return whether a reply has an effect's facts; a question beside a strong feeling is not about the service."""
    if Effect.ANSWER_AGREEMENT in heard.effects:
        return True
    felt = heard.feeling is not None and heard.feeling.intensity >= STRONG_EMOTION
    beside = felt or not {Effect.GIVE_STEP, Effect.OFFER_GRIEF, Effect.APOLOGISE}.isdisjoint(heard.effects)
    return not (effect is Effect.ANSWER_FIRST and beside)


def _feels_anew(progress: Progress) -> bool:
    """Return whether the message brings a new painful feeling, or a strong or rising one: the reply receives it."""
    now, earlier = progress.session.user_state, before(progress.session.readings, progress.moment.seq)
    risen = now.emotion_change in (EmotionChange.RISE, EmotionChange.TURNED)
    return now.distressed or risen or newly_named(now, earlier)


def _next_ask(state: Session, task: Task, seq: int, *, only: str | None = None) -> Ask | None:
    """Return the first missing slot that may be asked for now, in a new wording each time.

    `only` is the slot that the newest reply asked for; its answer could not be read, so that it may be asked at once.
    """
    for slot in missing(task.required_slots, state.user_info, state.declined_slots):
        if slot.name != only and (only is not None or not _rested(state, slot, seq)):
            continue
        question = slot.question(state.asked.get(slot.name, 0))
        if question is not None:
            return Ask(slot=slot.name, question=question, error=state.slot_errors.get(slot.name))
    return None


def _rested(state: Session, slot: Slot, seq: int) -> bool:
    if slot.name in state.slot_errors:
        return True
    last = state.asked_seq.get(slot.name)
    return state.asked.get(slot.name, 0) < MOST_ASKS and (last is None or seq - last > REST_AFTER_ASKING)


def _quiet(progress: Progress, heard: Heard, aim: _Aim) -> bool:
    """Return whether the reply asks nothing: the client had enough of questions, resists, declines or says little."""
    state, moment, effects = progress.session, progress.moment, heard.effects
    if aim.stance is Stance.CARE or aim.heed is not None or aim.concern:
        return False
    rest = state.questions_rest_seq
    if rest is not None and moment.seq - rest < QUESTIONS_REST:
        return True
    if {Effect.DECLINE, Effect.STOP_ASKING} & effects or state.current_module == RESISTANCE_MODULE:
        return Effect.ANSWER_FIRST not in effects
    quiet_after = QUIET_AFTER_UNSURE if Effect.OFFER_CHOICE in effects else QUIET_AFTER
    return state.short_answers >= quiet_after or _after_resistance(state, moment.seq, heard)


def _after_resistance(state: Session, seq: int, heard: Heard) -> bool:
    strong = [one.seq for one in state.readings if one.resistance is Resistance.STRONG]
    if not strong or seq - strong[-1] >= HELD_AFTER_RESISTANCE:
        return False
    told = any(one.intensity for one in state.readings if one.seq > strong[-1])
    return not (told or heard.values or heard.corrections)


def _unclear(moment: Moment, state: Session, aim: _Aim) -> bool:
    """Return whether the reply says that the message was not read.

    Never twice in a row, nor beside a slot's error or a danger, nor what the provider will not let a model read.
    """
    if not moment.unread or aim.stance not in _FREE or state.repeat_asked_seq == moment.before.seq:
        return False
    safety_first = aim.concern or aim.heed is not None
    return not (moment.refused or safety_first or state.slot_errors)


def _corrected(progress: Progress, heard: Heard, content: Content) -> dict[str, str]:
    messages = content.messages(progress.session.locale, progress.session.register_)
    labels = {slot.name: slot.label for task in progress.session.tasks for slot in task.slots}
    return {labels.get(name, name): in_words(told.value, messages) for name, told in heard.corrections.items()}


def _supervision(state: Session, seq: int) -> tuple[tuple[str, ...], bool]:
    """Return the supervisor's newest improvements, and whether they are urgent: for the one reply after them."""
    newest = state.supervision_log[-1] if state.supervision_log else None
    if newest is None or seq - newest.seq > STALE_AFTER:
        return (), False
    if any(one.role is Role.USER and one.created_at > newest.at for one in state.recent):
        return (), False
    gist = newest.data
    total = gist.get("total")
    score = float(total) if isinstance(total, int | float) else 10.0
    if score >= LOW_SCORE and not gist.get("needs_improvement"):
        return (), False
    improvements = gist.get("improvements")
    texts = [excerpt(str(text), LONGEST_REMARK) for text in improvements] if isinstance(improvements, list) else []
    return tuple(texts[:MOST_REMARKS]), score < URGENT_SCORE


def _gist_carried(state: Session) -> CarriedGist | None:
    """Return summary, goals and next plan in Part 1, only the goals in Part 3, None in Part 2."""
    carried = state.carried
    if carried is None or state.current_part is Part.EXPLORATION:
        return None
    if state.current_part is Part.CLOSING:
        return CarriedGist(goals=carried.goals) if carried.goals else None
    return CarriedGist(summary=carried.summary, goals=carried.goals, next_plan=carried.next_plan)


def _persona_hint(content: Content, state: Session) -> str | None:
    """Return the style and how to talk with it; None while the type is unset."""
    persona = content.personas.find(state.user_persona.type) if state.user_persona.type else None
    if persona is None:
        return None
    return " ".join((f"{persona.description(state.locale)}.", *persona.how_to_talk(state.locale)))
