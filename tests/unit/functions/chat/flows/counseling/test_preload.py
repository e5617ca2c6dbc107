"""Behaviour of what is loaded ahead of and beside the first turns."""

import asyncio

from functions.chat.flows.counseling.preload import compile_ahead
from shared.safety.contexts import Context
from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import Pattern, patterns_of
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet
from shared.safety.signs import Sign

_CRISIS, _CONCERN = CrisisOutcome.CRISIS, CrisisOutcome.CONCERN


def _one(written: str) -> tuple[Pattern, ...]:
    return patterns_of([written], {})


def _patterns(rules: RuleSet) -> list[Pattern]:
    of_rules = [*rules.rules, *(sign.rule for sign in rules.signs)]
    return [pattern for one in (*of_rules, *rules.contexts) for pattern in one.all_patterns]


async def test_patterns_are_compiled_one_after_another_while_other_things_go_on():
    rules = RuleSet(
        (Rule("rule", _CRISIS, _one("가나"), _one("가나다"), _one("마바")),),
        (Sign("family", 1, Rule("sign", _CRISIS, _one("[^.]{0,9}다라"))),),
        (Context("context", frozenset({_CRISIS}), _CONCERN, _one("사아"), _one("자차")),),
    )
    compiling = asyncio.create_task(compile_ahead(rules, after=0, pause=0))
    seen = []
    while not compiling.done():
        await asyncio.sleep(0)
        seen.append(sum("regex" in vars(pattern) for pattern in _patterns(rules)))
    assert sorted({*seen}) == [0, 1, 2, 3, 4, 5, 6]
    (far,) = rules.signs[0].rule.patterns
    assert "head" in vars(far)


def test_what_texts_have_needed_already_is_not_compiled_again():
    rules = RuleSet.of([Rule("rule", _CRISIS, (*_one("가나"), *_one("다라")))])
    assert rules.hits("가나")
    assert len(list(rules.compiling())) == 1
    assert list(rules.compiling()) == []
