"""The planner's prompts as a transition renders them, with the safety mark on messages of a crisis."""

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
from shared.locale import Locale
from tests.builders.planning import PERSONAS, carried_out, covered_room
from tests.builders.plans import KEYWORDS, proposal, rating
from tests.builders.sessions import NOW, session, slot, task
from tests.builders.turn_records import turn_record
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
    """Carry out the transition into Part 2 after these messages, and return the planner's request and its text."""
    room = await covered_room(NO_PLAN, said, user_persona=persona_of(PERSONAS, type_id, level), locale=locale, **fields)
    await carried_out(room)
    request, *_ = room.model.asked("planner")
    return request, request.messages[0].text


async def test_the_prompt_holds_the_whole_dialogue_of_part_1_with_speakers_and_without_a_summary(locale):
    user, counselor = SPEAKERS[locale]
    _, text = await asked(locale, summary_text=SUMMARY)
    shown = element(text, "dialogue").splitlines()
    assert [line for line in shown if line.startswith(f"{user}: ")] == [f"{user}: {text}" for text in SAID]
    assert len([line for line in shown if line.startswith(f"{counselor}: ")]) >= len(SAID)
    assert elements(text, "summary") == []


@pytest.mark.parametrize(("type_id", "number"), [("Type_A", 8), ("Type_K", 8), (None, 4)])
async def test_the_prompt_describes_the_persona_type_and_lists_all_its_keywords(locale, type_id, number):
    _, text = await asked(locale, type_id=type_id)
    shown = elements(text, "persona")
    assert [PERSONAS.find(type_id).description(locale) in one for one in shown] == ([True] if type_id else [])
    keywords = [TEMPLATES.keyword(word, locale) for word in persona_of(PERSONAS, type_id).keywords]
    assert element(text, "keywords").split(", ") == keywords
    assert len(keywords) == number


async def test_the_prompt_lists_known_values(locale):
    known = task(status="sufficient", required_slots=(slot("name"),))
    _, text = await asked(locale, tasks=(known,), user_info={"name": "민지"})
    assert element(text, "known") == "- Name: 민지"


@pytest.mark.parametrize(
    ("said", "newest", "oldest"),
    [
        (LONG, LONG[-1].strip(), f": {LONG[0].strip()}"),
        (tuple(f"이야기 {number}" for number in range(1, PART1_TURNS + 4)), f"이야기 {PART1_TURNS + 3}", "이야기 3\n"),
    ],
    ids=["long messages", "many turns"],
)
async def test_a_long_part_1_is_shown_as_summary_and_newest_messages(locale, said, newest, oldest):
    _, text = await asked(locale, said, summary_text=SUMMARY)
    shown = element(text, "dialogue")
    assert (newest in shown, oldest in shown) == (True, False)
    assert len(shown) < DIALOGUE_CHARACTERS + 1000
    assert element(text, "summary") == SUMMARY
    assert text.index("<summary>") < text.index("<dialogue>")


async def test_a_quote_from_the_start_of_a_long_part_1_supports_a_keyword(locale):
    given = proposal(ratings=(rating(KEYWORDS[4], 9, "1번째로 드리는 긴 이야기"),))
    room = await covered_room(given, LONG, locale=locale)
    await carried_out(room)
    assert (await room.session()).selected_keywords == (KEYWORDS[4],)


async def test_the_prompt_holds_goals_and_plan_of_the_previous_session(locale):
    goals, plan = ("발표 전날 일찍 자기", "<b>쉬기</b>"), "떨리던 순간 이어 보기"
    before = Carried(goals=goals, next_plan=plan, conversation_id="c0", ended_at=NOW)
    request, text = await asked(locale, carried=before)
    assert all(each in element(text, "carried") for each in ("발표 전날 일찍 자기", "‹b›쉬기‹/b›", plan))
    assert "<carried>" in request.system
    nothing = {Locale.KO: "함께 정한 것이 아닙니다", Locale.EN: "nothing in it was agreed"}
    assert nothing[locale] in request.system
    assert elements((await asked(locale))[1], "carried") == []


WORDS = {1: "빚이 생겨서 괴로워요", 2: "죽고 싶어요", 3: "아내가 옆방에 있어요", 4: "가게 이야기를 할게요"}


def record(seq):
    directive = {"stance": "care" if seq == 3 else "work", "part": 1, "module_id": "m", "module_name": "m"}
    found = turn_record("c1", seq, text=WORDS[seq], directive=None if seq == 2 else directive | {"module_summary": []})
    flags = ("crisis",) if seq == 2 else ()
    return found.model_copy(update={"result": found.result.model_copy(update={"flags": flags})})


class FourTurns:
    """Stores four turns: the crisis protocol answered the second, and the third is its follow-through."""

    asked = 0

    async def turn(self, _conversation_id, message_id):
        self.asked += 1
        return record(int(message_id[1:]))

    async def material(self, **fields):
        async def turns(_session, _upto, _most):
            return [
                Message(seq=seq, role=role, text=text, created_at=NOW, message_id=MessageId(f"m{seq}"))
                for seq, words in WORDS.items()
                for role, text in ((Role.USER, words), (Role.COUNSELOR, "네"))
            ]

        return await material(SimpleNamespace(store=self, turns=turns), session(**fields), 4, 10)


class TestMessagesOfACrisisFollowThrough:
    async def test_are_marked_and_are_no_evidence_and_a_calm_session_costs_no_extra_reads(self):
        found = await FourTurns().material(protocol_replies=1)
        assert [line.text for line in found.lines(1000) if line.safety] == [WORDS[2], WORDS[3]]
        assert found.words == f"{WORDS[1]}\n{WORDS[4]}"
        calm = FourTurns()
        assert (await calm.material()).safety == frozenset()
        assert calm.asked == 0

    @pytest.mark.parametrize(("locale", "mark"), [(Locale.KO, "(안전 확인)"), (Locale.EN, "(safety check)")])
    async def test_have_a_mark_that_is_explained_only_in_a_prompt_that_contains_it(self, locale, mark):
        rendered, calm = [
            INFERRER.prompt.render(locale, PersonaInput(reasons=(), types=(), lines=found.lines(1000)))
            for found in (await FourTurns().material(protocol_replies=1), await FourTurns().material())
        ]
        dialogue = element(rendered.user, "dialogue")
        assert all(each in dialogue for each in (f": {mark} {WORDS[3]}", f": {WORDS[4]}"))
        assert (mark in rendered.system, mark in calm.system) == (True, False)
