"""The rules of the output guard: their own examples, our own sentences, and whole replies in whatever pieces."""

import random
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from shared.content.catalogue import content
from shared.content.guard_rules import PREDICATES, GuardWords, guard_files
from shared.content.loader import load_yaml
from shared.content.safety_rules import RULES, predicates
from shared.content.schemas.guard import GuardFile
from shared.content.schemas.safety_rules import PredicateFile
from shared.domain.counseling.session import SessionType
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.rules import GuardRules, Told
from shared.safety.output_guard.sentence import folded_letter
from shared.safety.output_guard.situation import Situation, When
from shared.safety.predicates import Makes

SITUATIONS = {
    When.ALWAYS: Situation(record=True),
    When.FORMAL: Situation(Register.FORMAL, record=True),
    When.CASUAL: Situation(Register.CASUAL, record=True),
    When.NO_RECORD: Situation(),
    When.NOTICED: Situation(record=True, noticed=True),
    When.IN_DANGER: Situation(record=True, in_danger=True),
    When.HURT: Situation(record=True, hurt=True),
}
FILES = [path for locale in Locale for path in guard_files(locale)]
COMPILED = {rule.id: rule for rule in content().guard_rules.rules}
VOICES = [(Locale.KO, Register.FORMAL), (Locale.KO, Register.CASUAL), (Locale.EN, Register.FORMAL)]


def guarded(text, situation, rules=None):
    return OutputGuard(rules or content().guard_rules, situation, str).over(text)


def spoken_in(locale, register):
    return Situation(register if locale is Locale.KO else None)


def written(path):
    return load_yaml(path, GuardFile).rules


def test_each_rule_of_a_file_finds_what_it_says_and_no_rule_what_it_denies():
    missed, mistaken = [], []
    for rule in (rule for path in FILES for rule in written(path)):
        alone = GuardRules((COMPILED[rule.id],))
        for text in rule.found:
            found = guarded(text, SITUATIONS[rule.when], alone)
            missed += [] if found.rule == rule.id or found.left_out else [(rule.id, text)]
        for text in rule.not_found:
            found = guarded(text, SITUATIONS[rule.when])
            mistaken += [(rule.id, text, found.rule)] if found.rule or found.left_out else []
    assert (missed, mistaken) == ([], [])


@pytest.mark.parametrize("locale", Locale)
def test_each_predicate_holds_of_the_sentences_it_names_and_makes_nothing_of_a_hit(locale):
    known = predicates(locale, GuardWords(locale).vocabulary, PREDICATES)
    wrong = []
    for entry in load_yaml(RULES / locale / f"{PREDICATES}.yaml", PredicateFile).predicates:
        assert entry.makes is Makes.NOTHING
        for line, expected in [*((line, True) for line in entry.holds), *((line, False) for line in entry.not_holds)]:
            folded = "".join(map(folded_letter, line))
            span = folded.index("["), folded.index("]") - 1
            reading = Told(re.sub(r"[\[\]]", "", folded))
            wrong += [] if known[entry.id].holds(reading, span) is expected else [(entry.id, line)]
    assert wrong == []


def test_every_category_has_a_rule_in_both_languages_where_it_is_about_words():
    assert {rule.category for rule in COMPILED.values()} == set(Category)
    by_language = {"ko": set(), "en": set()}
    for rule in COMPILED.values():
        by_language[rule.id[:2]].add(rule.category)
    both = set(Category) - {Category.REGISTER, Category.NUMBER, Category.LINK, Category.REPEATED}
    assert both <= by_language["ko"] & by_language["en"]


def test_no_pattern_goes_on_without_a_bound():
    sources = [(rule.id, source) for rule in COMPILED.values() for source in rule.looks_for.sources]
    unbounded = re.compile(r"(?:\.|\[\^[^\]]*\])[*+]|\{\d+,\}")
    assert [(rule_id, source) for rule_id, source in sources if unbounded.search(source)] == []


def test_it_knows_who_tells_of_others():
    others = ["친구가 작년에 투신했어요", "엄마가 죽고 싶대요", "my best friend died last year"]
    texts = [*others, "죽고 싶어요", "친구랑 싸웠어요", "my job is killing me"]
    assert [text for text in texts if content().text_rules.tells_of_others(text)] == others


@pytest.mark.parametrize("voice", VOICES)
def test_an_ending_is_clean_itself_asks_nothing_and_differs_from_the_next(voice):
    endings = {
        category: [content().safe_endings.ending(category, *voice, variant) for variant in (0, 1)]
        for category in Category
    }
    of_others = [content().safe_endings.ending(Category.MEANS, *voice, variant, others=True) for variant in (0, 1)]
    assert len({*endings[Category.MEANS], *of_others}) == 4, "where somebody else is in danger it has other words"
    assert {category: both for category, both in endings.items() if both[0] == both[1]} == {}
    texts = [text for both in (*endings.values(), of_others) for text in both]
    assert {text: found for text in texts if (found := guarded(text, spoken_in(*voice)).category)} == {}
    assert [text for text in texts if set("?？") & set(text)] == []


@pytest.mark.parametrize("voice", VOICES)
def test_our_own_questions_and_notices_are_clean(voice):
    messages = content().messages(*voice)
    texts = [messages.text(key) for key in ("greeting", "ai_notice", "ai_reminder", "break_reminder", "confirm_end")]
    texts += messages.variants("degraded_reply")
    tasks = [task for kind in SessionType for task in content().templates(kind, *voice)]
    texts += [question for task in tasks for slot in task.slots for question in slot.questions]
    cut = {text: guarded(text, spoken_in(*voice)).rule for text in texts}
    assert {text: rule for text, rule in cut.items() if rule} == {}


_FIXTURES = Path(__file__).parents[3] / "fixtures" / "guard"
_REGISTERS = {"ko": Register.FORMAL, "ko_casual": Register.CASUAL, "en": None}
_BEFORE = {
    "ko": "그러셨군요. 말씀해 주셔서 고마워요. ",
    "ko_casual": "그랬구나. 말해 줘서 고마워. ",
    "en": "I hear you. Thank you for telling me. ",
}
MOST_FALSE_HITS = {"tuning": 0.0, "held_out": 0.01}
"""Of the good replies. Own thresholds: a wrong hit costs somebody half an answer, and staff a look at the talk."""
LEAST_CUT = {"tuning": 0.9, "held_out": 0.7}
"""Of the bad replies of each category; the held-out ones are few, five to eight of each."""
LEAST_CUT_OF = {"means": 0.95, "encouraging": 0.95}
"""Of those that cost most when shown, in both parts."""
LEAST_CUT_IN_ALL = {"tuning": 0.95, "held_out": 0.88}


def _corpus(name):
    return yaml.safe_load((_FIXTURES / f"{name}.yaml").read_text(encoding="utf-8"))


GOOD, BAD = _corpus("good"), _corpus("bad")


def _replies(block):
    for line in block.strip().splitlines():
        reply, _, said = line.partition("<<")
        yield reply.strip(), said.strip()


def _category(voice, reply, said="", *, pressing=False):
    """Stream a reply in random pieces and return what was wrong with it; what was shown must stand."""
    guard = OutputGuard(
        content().guard_rules, Situation(_REGISTERS[voice], said=said, in_danger=pressing, hurt=pressing), str
    )
    rng = random.Random(reply)
    watch, shown, place = guard.watch(), "", 0
    while place < len(reply) and not watch.caught:
        size = rng.randint(1, 20)
        shown += watch.take(reply[place : place + size])
        place += size
    final = guard.over(reply)
    assert final.text.startswith(shown), (reply, shown, final.text)
    return final.category


@pytest.mark.parametrize("part", ["tuning", "held_out"])
def test_good_replies_are_left_alone_first_and_later_in_an_answer(part):
    replies = [(voice, *one) for voice, block in GOOD[part].items() for one in _replies(block)]
    cut = [
        (voice, before + reply, found)
        for voice, reply, said in replies
        for before in ("", _BEFORE[voice])
        if (found := _category(voice, before + reply, said, pressing=True))
    ]
    assert len(cut) <= 2 * len(replies) * MOST_FALSE_HITS[part], cut


@pytest.mark.parametrize("part", ["tuning", "held_out"])
def test_bad_replies_are_cut(part):
    cut, every, missed = Counter(), Counter(), []
    for category, voices in BAD[part].items():
        for voice, block in voices.items():
            for reply, said in _replies(block):
                every[category] += 1
                found = _category(voice, _BEFORE[voice] + reply, said)
                cut[category] += found is not None
                missed += [] if found else [(category, reply)]
    least = {category: max(LEAST_CUT[part], LEAST_CUT_OF.get(category, 0)) for category in every}
    weak = [category for category, count in every.items() if cut[category] < count * least[category]]
    assert not weak, missed
    assert cut.total() >= every.total() * LEAST_CUT_IN_ALL[part], missed
