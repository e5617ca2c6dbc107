"""The planner's prompts as a real transition renders them, and what is marked in them as said about safety."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from functions.planner.infer_persona import INFERRER, PersonaInput
from functions.planner.material import material
from functions.planner.plan_part2 import DIALOGUE_CHARACTERS, PART1_TURNS
from functions.planner.proposal import NO_PLAN
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.persona import persona_of
from shared.domain.ids import MessageId
from shared.domain.turn import TurnRecord, TurnResult
from shared.locale import Locale, Register
from tests.builders.planning import PERSONAS, carried_out, covered_room
from tests.builders.plans import KEYWORDS, proposal, rating
from tests.builders.sessions import NOW, session, slot, task
from tests.support.tags import element, elements

SAID = ("발표만 앞두면 밤을 새워요", "남들은 괜찮다는데 저는 모자란 것 같아요", "완벽주의라는 말을 들어요")
SPEAKERS = {Locale.KO: ("내담자", "상담사"), Locale.EN: ("Client", "Counsellor")}
TEMPLATES = content().part2_templates
SUMMARY = "승진 발표 때문에 찾아왔다."
LONG = tuple(f"{number}번째로 드리는 긴 이야기예요. " + "그래서 잠을 못 잤어요. " * 70 for number in range(1, 16))


@pytest.fixture(params=Locale, ids=lambda locale: locale.value)
def locale(request):
    return request.param


async def asked(locale, said=SAID, type_id="Type_A", level=2, **fields):
    """Let a Part 1 of these words pass over into Part 2, and return what the planner was asked, and its text."""
    room = await covered_room(NO_PLAN, said, user_persona=persona_of(PERSONAS, type_id, level), locale=locale, **fields)
    await carried_out(room)
    request, *_ = room.model.asked("planner")
    return request, request.messages[0].text


async def test_all_that_was_said_in_part_1_in_order_by_whom_and_without_a_summary(locale):
    user, counselor = SPEAKERS[locale]
    _, text = await asked(locale, summary_text=SUMMARY)
    shown = element(text, "dialogue").splitlines()
    assert [line for line in shown if line.startswith(f"{user}: ")] == [f"{user}: {text}" for text in SAID]
    assert len([line for line in shown if line.startswith(f"{counselor}: ")]) >= len(SAID)
    assert elements(text, "summary") == []


@pytest.mark.parametrize(("type_id", "number"), [("Type_A", 8), ("Type_K", 8), (None, 4)])
async def test_the_type_in_words_and_every_keyword_of_the_persona(locale, type_id, number):
    _, text = await asked(locale, type_id=type_id)
    shown = elements(text, "persona")
    assert [PERSONAS.find(type_id).description(locale) in one for one in shown] == ([True] if type_id else [])
    keywords = [TEMPLATES.keyword(word, locale) for word in persona_of(PERSONAS, type_id).keywords]
    assert element(text, "keywords").split(", ") == keywords
    assert len(keywords) == number


@pytest.mark.parametrize("level", range(1, 6))
async def test_the_level_and_how_deep_it_goes(locale, level):
    _, text = await asked(locale, level=level)
    assert f'<depth level="{level}">' in text
    assert element(text, "depth") == TEMPLATES.depth(level, locale)


async def test_what_the_user_gave_every_technique_and_how_to_weigh_them(locale):
    known = task(status="sufficient", required_slots=(slot("name"),))
    request, text = await asked(locale, tasks=(known,), user_info={"name": "민지"})
    assert element(text, "known") == "- Name: 민지"
    techniques = [f"{one.id}: {one.name} — {one.description}" for one in content().modules(locale)]
    assert element(text, "techniques").splitlines() == techniques
    order = ("1. ratings:", "<keywords>", "2. goal:", "<depth>", "3. tasks:")
    steps = [request.system.index(step) for step in order]
    assert steps == sorted(steps), "keywords before the goal, and the goal before the tasks"
    told = request.system[steps[0] : steps[2]]
    assert all(each in told for each in ("<keywords>", "relevance", "quote", "0", "5", "10"))


async def test_of_a_long_part_1_the_summary_stands_before_the_newest_words(locale):
    _, text = await asked(locale, LONG, summary_text=SUMMARY)
    shown = element(text, "dialogue")
    assert LONG[-1].strip() in shown
    assert f": {LONG[0].strip()}" not in shown
    assert len(shown) < DIALOGUE_CHARACTERS + 1000
    assert element(text, "summary") == SUMMARY
    assert text.index("<summary>") < text.index("<dialogue>")


async def test_a_part_1_of_more_turns_than_are_read_has_its_summary_too(locale):
    short = tuple(f"이야기 {number}" for number in range(1, PART1_TURNS + 4))
    _, text = await asked(locale, short, summary_text=SUMMARY)
    assert (f"이야기 {PART1_TURNS + 3}" in text, "이야기 3\n" in text) == (True, False)
    assert element(text, "summary") == SUMMARY


async def test_quotes_from_the_whole_of_a_long_part_1_count(locale):
    given = proposal(ratings=(rating(KEYWORDS[4], 9, "1번째로 드리는 긴 이야기"),))
    room = await covered_room(given, LONG, locale=locale)
    await carried_out(room)
    assert (await room.session()).selected_keywords == (KEYWORDS[4],)


async def test_what_was_wished_for_and_noted_in_the_session_before(locale):
    goals, plan = ("발표 전날 일찍 자기", "<b>쉬기</b>"), "떨리던 순간 이어 보기"
    before = Carried(goals=goals, next_plan=plan, conversation_id="c0", ended_at=NOW)
    request, text = await asked(locale, carried=before)
    assert all(each in element(text, "carried") for each in ("발표 전날 일찍 자기", "‹b›쉬기‹/b›", plan))
    assert "<carried>" in request.system
    nothing = {Locale.KO: "함께 정한 것이 아닙니다", Locale.EN: "nothing in it was agreed"}
    assert nothing[locale] in request.system
    assert elements((await asked(locale))[1], "carried") == []


@pytest.mark.parametrize(("register", "told"), [(Register.CASUAL, "questions는 반말로"), (Register.FORMAL, "해요체로")])
async def test_questions_of_slots_are_asked_for_in_the_register_of_the_session(register, told):
    request, _ = await asked(Locale.KO, register=register)
    assert told in request.system


WORDS = {1: "빚이 생겨서 괴로워요", 2: "죽고 싶어요", 3: "아내가 옆방에 있어요", 4: "가게 이야기를 할게요"}


def record(seq):
    stance = "care" if seq == 3 else "work"
    directive = {"stance": stance, "part": 1, "module_id": "m", "module_name": "m", "module_summary": []}
    flags = ("crisis",) if seq == 2 else ()
    known = {"conversation_id": "c1", "message_id": f"m{seq}", "text": WORDS[seq], "text_digest": "", "seq": seq}
    times = {"received_at": NOW, "committed_at": NOW, "expire_at": NOW + timedelta(days=1)}
    result = TurnResult(message_id=MessageId(f"m{seq}"), seq=seq, reply="네", state_snapshot={}, flags=flags)
    said = {"directive": None if seq == 2 else directive, "result": result}
    return TurnRecord(flow="counseling", snapshot_version=1, **known, **times, **said)


class FourTurns:
    """Holds four turns, of which the second was answered by the protocol and the third followed it through."""

    asked = 0

    async def turn(self, _conversation_id, message_id):
        self.asked += 1
        return record(int(message_id[1:]))

    async def told(self, **fields):
        """Return the planner's material of a session of these turns."""

        async def turns(_session, _upto, _most):
            said = [
                (seq, role, text) for seq in WORDS for role, text in ((Role.USER, WORDS[seq]), (Role.COUNSELOR, "네"))
            ]
            return [
                Message(seq=seq, role=role, text=text, created_at=NOW, message_id=MessageId(f"m{seq}"))
                for seq, role, text in said
            ]

        return await material(SimpleNamespace(store=self, turns=turns), session(**fields), 4, 10)


class TestWhatWasSaidWhileACrisisWasFollowedThrough:
    async def test_is_marked_and_is_evidence_of_nothing_and_elsewhere_costs_no_further_reading(self):
        told = await FourTurns().told(protocol_replies=1)
        assert [line.text for line in told.lines(1000) if line.safety] == [WORDS[2], WORDS[3]]
        assert told.words == f"{WORDS[1]}\n{WORDS[4]}"
        calm = FourTurns()
        assert (await calm.told()).safety == frozenset()
        assert calm.asked == 0

    @pytest.mark.parametrize(("locale", "mark"), [(Locale.KO, "(안전 확인)"), (Locale.EN, "(safety check)")])
    async def test_is_told_of_in_a_prompt_only_where_it_stands(self, locale, mark):
        rendered, calm = [
            INFERRER.prompt.render(locale, PersonaInput(types=(), lines=told.lines(1000)))
            for told in (await FourTurns().told(protocol_replies=1), await FourTurns().told())
        ]
        dialogue = element(rendered.user, "dialogue")
        assert all(each in dialogue for each in (f": {mark} {WORDS[3]}", f": {WORDS[4]}"))
        assert (mark in rendered.system, mark in calm.system) == (True, False)
