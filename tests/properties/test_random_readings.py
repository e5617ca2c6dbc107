"""Random readings over the rooms of code: whatever a model hears, what a turn decides keeps its promises.

A normal run walks the same few sessions; `CBOT_PROPERTY_EXAMPLES=500` walks as many as it says.
"""

import os
import random

import pytest

from functions.chat.applying import ASKED_LATELY, Plain
from functions.chat.flows.counseling.opening import open_session
from functions.chat.reading import CHOICE, Heard, Told, asked_last, known_slots, reader_input, states_of, wanted_slots
from functions.chat.speaking import asked_for
from shared.content.catalogue import content
from shared.content.conditions import Effect, load_conditions
from shared.contracts.chat import CreateConversation
from shared.domain.conversation import Message, Role, remember
from shared.domain.counseling.background_events import ClosingStarted, PlanMade, PlanRevised, Reviewed, WrapUpSuggested
from shared.domain.counseling.lifecycle import Work, due_work, leaving_for_closing
from shared.domain.counseling.review import Recommendation, closing_tasks, recommend
from shared.domain.counseling.session import PlanStatus, Session, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part, Task
from shared.domain.counseling.user_state import EmotionLabel
from shared.domain.event import apply_all
from shared.domain.ids import ConversationId, UserId
from shared.domain.slots import Slot, SlotKind, SlotValue
from tests.builders.heard import WORDS, Decided, after_hearing, feels, hears
from tests.builders.sessions import NOW, slot, task
from tests.support.chat_client import CONSENTS

SEEDS = range(int(os.environ.get("CBOT_PROPERTY_EXAMPLES", "0")) or 40)
TURNS = 40
ENDS = {Effect.TAKE_AS_YES, Effect.ASK_END}
COUNTED = ("complete", "agrees", "refuses", "said_all", "declines", "wants_to_stop")
"""Signs that move a session on, drawn more often than the others."""


def opened() -> Session:
    wanted = CreateConversation.model_validate({"age_band": "adult", "consents": CONSENTS})
    state, _ = open_session(content(), ConversationId("c1"), UserId("u1"), wanted, NOW)
    return state


def value_of(drawn: random.Random, wanted: Slot) -> SlotValue:
    match wanted.kind:
        case SlotKind.BOOLEAN:
            return drawn.random() < 0.5
        case SlotKind.INTEGER:
            return wanted.minimum or 20
        case SlotKind.CHOICE:
            return drawn.choice(wanted.choices)
        case _:
            return f"told {drawn.randrange(9)}"


def drawn_heard(drawn: random.Random, state: Session) -> Heard:
    """Return what a model may have heard: only what it was asked, and anything of it."""
    given = reader_input(state, "", content().modules(state.locale), booking_offered=True)
    shown = load_conditions().shown(states_of(state, booking_offered=True))
    single = [name for name, one in shown.items() if one.each is None]
    counted = COUNTED if asked_last(state) else [one for one in COUNTED if one != "refuses"]
    likely = [name for name in single if name in counted and drawn.random() < 0.3]
    rare = drawn.sample(single, k=drawn.choice((0, 0, 0, 1, 2)))
    told = {one.name: value_of(drawn, one) for one in wanted_slots(state) if drawn.random() < 0.3}
    changed = {one.name: Told(value=value_of(drawn, one), quote=WORDS) for one in known_slots(state)[:1]}
    named = drawn.choice([None, *(one.id for one in given.tasks)])
    return hears(
        *likely,
        *rare,
        values=told,
        corrections=changed if drawn.random() < 0.1 else {},
        feeling=feels(drawn.choice(tuple(EmotionLabel)).value, drawn.randrange(11)) if drawn.random() < 0.4 else None,
        next_task=named,
        fits_none=named is None and drawn.random() < 0.5,
        module=drawn.choice([None, *(one.id for one in given.modules)]),
    )


def drawn_turn(drawn: random.Random, state: Session) -> tuple[Heard, Plain | None, Decided]:
    """Hear a plain answer, where code asked for one, or a reading."""
    asked = {WrapUpAim.WRAP_UP.value, WrapUpAim.END.value, CHOICE} & set(asked_last(state))
    plain = drawn.choice((Plain.YES, Plain.NO, Plain.STOP)) if asked and drawn.random() < 0.3 else None
    heard = hears() if plain else drawn_heard(drawn, state)
    unread = plain is None and drawn.random() < 0.05
    heard = hears() if unread else heard
    answers, short = plain is not None or drawn.random() < 0.9, drawn.random() < 0.3
    return heard, plain, after_hearing(state, heard, plain=plain, answers=answers, short=short, unread=unread)


def committed(state: Session, turn: Decided, *, asks: bool = True) -> Session:
    """Commit a turn with the events of its reply, as the engine does."""
    seq, found, follows = state.seq + 1, turn.applied.events, ""
    if turn.decision is not None:
        follows = turn.decision.directive.follows
        found += turn.decision.found.events + tuple(asked_for(seq, turn.decision.directive, asks=asks, whole=True))
    said = ((Role.USER, WORDS), (Role.COUNSELOR, f"reply {seq} {follows}"))
    spoken = (Message(seq=seq, role=role, text=text, created_at=NOW) for role, text in said)
    return apply_all(remember(state, *spoken), found, NOW)


def planned(name: str, state: Session) -> tuple[Task, ...]:
    wanted = slot(f"since_{name}_{state.seq}")
    judged, told = f"{name}_{state.seq}_judged", f"{name}_{state.seq}_told"
    return (task(judged, Part.EXPLORATION, min_turns=2), task(told, Part.EXPLORATION, required_slots=(wanted,)))


def with_background_work(drawn: random.Random, state: Session) -> Session:
    """Do what planner and session manager may have done by the next message."""
    if state.ended or drawn.random() < 0.4:
        return state
    words = {"goal": "a goal", "keywords": ()}
    if leaving_for_closing(state):
        templates = content().templates(state.session_type.value, state.locale, state.register_)
        return apply_all(state, (ClosingStarted(tasks=closing_tasks(templates)),), NOW)
    if state.plan_status is PlanStatus.PLANNING:
        return apply_all(state, (PlanMade(tasks=planned("plan", state), **words),), NOW)
    if state.replans and state.current_part is Part.EXPLORATION:
        revised = PlanRevised(tasks=planned("again", state), answered=state.replans, **words)
        return apply_all(state, (revised,), NOW)
    if Work.REVIEW not in due_work(state):
        return state
    reviewed = Reviewed(seq=state.seq, upto=state.message_count, gist={})
    closes = recommend(state, advised=True) is Recommendation.WRAP_UP
    return apply_all(state, (reviewed, *((WrapUpSuggested(reason="goals"),) if closes else ())), NOW)


def asked_to_end(proposal: WrapUp | None, state: Session) -> bool:
    """Return whether the newest reply asked whether to end."""
    asked = proposal is not None and proposal.stage is WrapUpStage.PROPOSED and proposal.seq == state.seq
    return asked and proposal is not None and proposal.aim is WrapUpAim.END


def asked_lately(proposal: WrapUp | None, state: Session) -> bool:
    return proposal is not None and proposal.aim is WrapUpAim.END and state.seq + 1 - proposal.seq <= ASKED_LATELY


def walk(seed: int):
    """Yield the turns of a session: the session before, what was heard, the plain answer, and what was decided."""
    drawn, state = random.Random(seed), opened()
    for _ in range(TURNS):
        heard, plain, turn = drawn_turn(drawn, state)
        yield state, heard, plain, turn
        state = with_background_work(drawn, committed(state, turn, asks=drawn.random() < 0.8))
        if state.ended:
            return


@pytest.mark.parametrize("seed", SEEDS)
def test_a_session_ends_only_on_the_clients_own_word_to_the_question_whether_to_end(seed: int) -> None:
    for state, heard, plain, turn in walk(seed):
        if turn.session.ended:
            quoted = any(heard.words_for(effect) for effect in ENDS)
            assert plain in (Plain.YES, Plain.STOP) or quoted
            again = plain is Plain.STOP or heard.words_for(Effect.ASK_END)
            assert asked_to_end(state.wrap_up, state) or (again and asked_lately(state.wrap_up, state))


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_asked_for_that_is_told_or_declined_or_beside_a_question_of_code(seed: int) -> None:
    for _, heard, _, turn in walk(seed):
        if turn.decision is None or turn.decision.directive.ask is None:
            continue
        directive, after = turn.decision.directive, turn.decision.session
        assert directive.ask.slot not in (*after.user_info, *after.declined_slots, *heard.values)
        assert not directive.follows
        assert directive.proposes is None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_proposal_always_brings_its_fixed_question_which_is_not_the_newest_reply_s(seed: int) -> None:
    for state, _, _, turn in walk(seed):
        directive = turn.decision.directive if turn.decision else None
        if directive is not None and directive.proposes:
            assert directive.follows
            assert directive.follows not in state.recent[-1].text


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_reading_of_the_same_session_is_decided_in_the_same_way(seed: int) -> None:
    drawn, again = walk(seed), walk(seed)
    assert all(one == other for one, other in zip(drawn, again, strict=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_from_any_state_a_wish_to_stop_and_a_yes_end_the_session(seed: int) -> None:
    for state, _, _, _ in walk(seed):
        wished = after_hearing(state, hears("wants_to_stop"))
        after = committed(state, wished)
        assert after.ended or after_hearing(after, plain=Plain.YES).session.ended


def test_the_walks_reach_every_part_and_some_end() -> None:
    seen = [state for seed in SEEDS for state, *_ in walk(seed)]
    assert {state.current_part for state in seen} == set(Part)
    assert any(turn.session.ended for seed in SEEDS for *_, turn in walk(seed))
