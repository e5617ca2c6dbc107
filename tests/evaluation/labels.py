"""What the label of a case says, and what a reading makes of it: a list of decisions."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from cases.case import Case
from cases.story import Gold
from cases.story import Told as Labelled
from functions.chat.reading import NOTHING, OTHER, DangerKind, Heard, ReaderInput, Told
from shared.content.conditions import Each, load_conditions
from shared.domain.slots import Slot, SlotKind, SlotValue
from shared.services.counseling.evidence import plain
from tests.evaluation.decisions import Decision

WHO = ("own", "other", "harm", "violence")
CLOSE = 2
"""Steps of intensity that are as good as equal."""
ALIKE = 0.5
"""Share of the shorter text's pairs of characters that the longer one must hold."""
OPEN = "open"
"""What an author calls a question that is neither for a value nor one of code's; the reader calls it `other`."""
WRONG_VALUE, NOT_TOLD = "wrong value", "not told"
ENDS = ("wants_to_stop", "said_all")
CODE_DECIDES = "next_task, code decides"
"""The row of the choices that are not judged: whatever the model chooses, code decides by what the label holds."""


def group_of(case: Case) -> str:
    """Return where a case comes from: `written`, `examples`, `stories` or `blind` ones."""
    single = {"written": "written", "example": "examples"}.get(case.id.partition("/")[0])
    return single or ("blind" if case.blind else "stories")


def judge(case: Case, given: ReaderInput, heard: Heard) -> Iterator[Decision]:
    """Yield what a reading decides of a case, for all that is labelled and was asked about."""
    about = f"| {case.text}"
    for name in _labelled(case, given):
        quote = heard.signs.get(name) or case.gold.signs.get(name, "")
        yield Decision(name, case.id, name in case.gold.signs, name in heard.signs, f"“{quote}” {about}")
    yield from _values(case, given, heard)
    if case.whole:
        yield from _dangers(case, heard.danger)
    if case.whole or "feeling" in case.labelled:
        yield from _feeling(case, heard)
    yield from _choices(case, given, heard)


def unasked(case: Case, given: ReaderInput) -> list[str]:
    """Return what a case holds and the reader is not asked about: the state of the session does not call for it."""
    shown = {name.partition(":")[0] for name in given.conditions}
    signs = [name for name in (*case.gold.signs, *(case.judged or ())) if name not in shown]
    slots = {one.name for one in given.slots} | {one.slot.name for one in given.known}
    values = [f"told:{name}" for name in case.gold.values if name not in slots]
    values += [f"corrects:{name}" for name in case.gold.corrects if name not in slots]
    task, modules = case.gold.next_task, case.gold.module
    tasks = [f"next_task:{task}"] if task not in (None, NOTHING, *(one.id for one in given.tasks)) else []
    offered = {one.id for one in given.modules}
    return [
        *dict.fromkeys(signs),
        *values,
        *tasks,
        *([f"module:{modules[0]}"] if modules and offered.isdisjoint(modules) else []),
    ]


def wrong_ends(case: Case, given: ReaderInput, heard: Heard) -> list[str]:
    """Return the conditions that would wrongly lead to the end of a talk."""
    ends = [*ENDS, *(["agrees"] if {"end", "wrap_up"} & set(given.asked) else [])]
    labelled = set(_labelled(case, given))
    return [name for name in ends if name in heard.signs and name in labelled and name not in case.gold.signs]


def same_value(slot: Slot, wanted: SlotValue, said: SlotValue) -> bool:
    """Return whether two values are the same: free text loosely, other kinds exactly."""
    one, other = (plain(str(value)) for value in (wanted, said))
    if slot.kind is not SlotKind.TEXT:
        return one == other
    return bool(one and other) and (one in other or other in one or _overlap(one, other) >= ALIKE)


def same_quote(slot: Slot, wanted: Labelled, found: Told) -> bool:
    """Return whether free text quotes the label's words, so that it may paraphrase them: nothing much longer does."""
    shorter, longer = sorted((plain(wanted[1]), plain(found.quote)), key=len)
    return slot.kind is SlotKind.TEXT and bool(shorter) and shorter in longer and 2 * len(shorter) >= len(longer)


def _overlap(one: str, other: str) -> float:
    pairs, others = (Counter(pairwise(text)) for text in (one, other))
    return (pairs & others).total() / max(1, min(pairs.total(), others.total()))


def _labelled(case: Case, given: ReaderInput) -> Iterator[str]:
    """Yield the conditions that were asked about and labelled, but for those with values."""
    for name, condition in load_conditions().conditions.items():
        settled = name == "wants_to_stop" and "end" in given.asked and "agrees" in case.gold.signs  # That says both.
        judged = case.judged is None or name in case.judged
        if condition.each is None and name in given.conditions and judged and not settled:
            yield name


def _slots(case: Case, given: ReaderInput) -> Iterator[tuple[str, tuple[Slot, ...], Mapping[str, object]]]:
    """Yield `told` and `corrects`, the slots that were asked about, and the labelled values."""
    for name, condition in load_conditions().conditions.items():
        if condition.each is Each.SLOTS:
            yield name, given.slots, case.gold.values
        elif condition.each is Each.KNOWN:
            yield name, tuple(one.slot for one in given.known), case.gold.corrects


def _values(case: Case, given: ReaderInput, heard: Heard) -> Iterator[Decision]:
    """Yield a decision for each slot; an example of the condition says only whether there is a value."""
    for name, slots, _ in _slots(case, given):
        told, taken = (case.gold.values, heard.values) if name == "told" else (case.gold.corrects, heard.corrections)
        if not case.whole:
            if name in (case.judged or ()) and slots:
                said = ", ".join(f"{slot} = {one.value}" for slot, one in taken.items())
                yield Decision(name, case.id, name in case.gold.signs, bool(taken), f"{said} | {case.text}")
            continue
        for slot in slots:
            wanted, found = told.get(slot.name), taken.get(slot.name)
            alike = quoted = False
            if wanted is not None and found is not None:
                alike = same_value(slot, wanted[0], found.value)
                quoted = not alike and same_quote(slot, wanted, found)
            right = wanted is None or alike or quoted
            why = "" if found is None else f" ({NOT_TOLD})" if wanted is None else "" if right else f" ({WRONG_VALUE})"
            said = f"{slot.name}: {found.value if found else '·'}{why} (label: {wanted[0] if wanted else '·'})"
            about = f"{said} | {case.text}"
            yield Decision(name, case.id, wanted is not None, found is not None, about, right, by_quote=quoted)


def _dangers(case: Case, found: Mapping[DangerKind, str]) -> Iterator[Decision]:
    """Yield for each kind of danger whether there is any, and whether the highest level is the right one."""
    for who in WHO:
        wanted, read = _level(who, case.gold.dangers), _level(who, found)
        about = f"{read or '·'} (label: {wanted or '·'}) | {case.text}"
        yield Decision(f"danger {who}", case.id, wanted is not None, read is not None, about)
        exact = wanted == read
        yield Decision(f"danger {who}, level", case.id, wanted is not None, read is not None, about, exact)


def _level(who: str, dangers: Mapping[DangerKind, str]) -> DangerKind | None:
    own = [kind for kind in DangerKind if kind.value.startswith(f"{who}_") and kind in dangers]
    return own[-1] if own else None


def _feeling(case: Case, heard: Heard) -> Iterator[Decision]:
    wanted, found = case.gold.feeling, heard.feeling
    said = f"{found.name.value} {found.intensity}" if found else "·"
    about = f"{said} (label: {f'{wanted[0].value} {wanted[1]}' if wanted else '·'}) | {case.text}"
    right = bool(wanted and found and wanted[0] is found.name)
    yield Decision("feeling", case.id, wanted is not None, found is not None, about, right or not wanted)
    if wanted and found:
        close = abs(wanted[1] - found.intensity) <= CLOSE
        yield Decision("intensity", case.id, wanted=True, found=True, about=about, right=close)


def _choices(case: Case, given: ReaderInput, heard: Heard) -> Iterator[Decision]:
    gold = case.gold
    asked = OTHER if gold.asked == OPEN else gold.asked
    if case.whole:
        about = f"{heard.asked or '·'} (label: {asked or '·'}) | {case.text}"
        yield Decision("asked", case.id, asked is not None, heard.asked is not None, about, asked == heard.asked)
    if gold.next_task in (NOTHING, *(one.id for one in given.tasks)):
        chosen = heard.next_task or (NOTHING if heard.fits_none else "·")
        about = f"{chosen} (label: {gold.next_task}) | {case.text}"
        right, decided = chosen == gold.next_task, _code_decides(gold, given, heard)
        row = CODE_DECIDES if decided else "next_task"
        yield Decision(row, case.id, wanted=True, found=True, about=about, right=right or decided)
    if not {one.id for one in given.modules}.isdisjoint(gold.module):
        about = f"{heard.module or '·'} (label: {', '.join(gold.module)}) | {case.text}"
        yield Decision("module", case.id, wanted=True, found=True, about=about, right=heard.module in gold.module)


def _code_decides(gold: Gold, given: ReaderInput, heard: Heard) -> bool:
    """Return whether code decides the task by what the label holds, whatever the model chooses.

    A task needs signs of more than one turn, so that code may stay where its criterion is met; and where every value of
    the chosen task is told by now, nothing of it is left to ask for.
    """
    current = next((one.id for one in given.tasks if one.current), None)
    chosen = next((one for one in given.tasks if one.id == heard.next_task), None)
    told = chosen is not None and bool(chosen.wants) and set(gold.values).issuperset(chosen.wants)
    return (gold.next_task == current and "complete" in gold.signs) or (gold.next_task == NOTHING and told)
