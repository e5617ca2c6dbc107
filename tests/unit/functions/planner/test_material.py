"""What was said while a crisis was followed through is marked for the planner's models, and is evidence of nothing."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from functions.planner.infer_persona import INFERRER, PersonaInput
from functions.planner.material import material
from shared.domain.conversation import Message, Role
from shared.domain.ids import MessageId
from shared.domain.turn import TurnRecord, TurnResult
from shared.locale import Locale
from tests.fakes.counselling import NOW, session
from tests.support.tags import element

SAID = {1: "빚이 생겨서 괴로워요", 2: "죽고 싶어요", 3: "아내가 옆방에 있어요", 4: "가게 이야기를 할게요"}


def record(seq: int) -> TurnRecord:
    stance = "care" if seq == 3 else "work"
    directive = {"stance": stance, "part": 1, "module_id": "m", "module_name": "m", "module_summary": []}
    flags = ("crisis",) if seq == 2 else ()
    result = TurnResult(message_id=MessageId(f"m{seq}"), seq=seq, reply="네", state_snapshot={}, flags=flags)
    return TurnRecord(
        conversation_id="c1",
        message_id=f"m{seq}",
        text=SAID[seq],
        text_digest="",
        received_at=NOW,
        committed_at=NOW,
        seq=seq,
        flow="counseling",
        snapshot_version=1,
        directive=None if seq == 2 else directive,
        result=result,
        expire_at=NOW + timedelta(days=1),
    )


class Store:
    """Holds four turns, of which the second was answered by the protocol and the third followed it through."""

    asked = 0

    async def turn(self, _conversation_id, message_id):
        self.asked += 1
        return record(int(message_id[1:]))


def context(store):
    def message(seq, role, text):
        return Message(seq=seq, role=role, text=text, created_at=NOW, message_id=MessageId(f"m{seq}"))

    async def turns(_session, _upto, _most):
        return [
            one
            for seq, text in SAID.items()
            for one in (message(seq, Role.USER, text), message(seq, Role.COUNSELOR, "네"))
        ]

    return SimpleNamespace(store=store, turns=turns)


async def test_answers_about_safety_are_marked_and_are_no_evidence():
    told = await material(context(Store()), session(protocol_replies=1), 4, 10)
    assert [line.text for line in told.lines(1000) if line.safety] == [SAID[2], SAID[3]]
    assert told.words == f"{SAID[1]}\n{SAID[4]}"


async def test_who_was_never_in_a_crisis_costs_no_further_reading():
    store = Store()
    told = await material(context(store), session(), 4, 10)
    assert (store.asked, told.safety) == (0, frozenset())


@pytest.mark.parametrize(("locale", "mark"), [(Locale.KO, "(안전 확인)"), (Locale.EN, "(safety check)")])
async def test_a_prompt_tells_what_the_mark_means_only_where_it_stands(locale, mark):
    told = await material(context(Store()), session(protocol_replies=1), 4, 10)
    rendered = INFERRER.prompt.render(locale, PersonaInput(types=(), lines=told.lines(1000)))
    assert f": {mark} {SAID[3]}" in element(rendered.user, "dialogue")
    assert f": {SAID[4]}" in element(rendered.user, "dialogue")
    assert mark in rendered.system
    calm = await material(context(Store()), session(), 4, 10)
    assert mark not in INFERRER.prompt.render(locale, PersonaInput(types=(), lines=calm.lines(1000))).system
