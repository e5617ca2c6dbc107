"""The corpus of attacks in every field of every prompt that a person or a model can fill."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

from jinja2 import Environment, meta, nodes

from shared.adapters.gemini.calls import call_of
from shared.adapters.gemini.connection import GeminiConnection
from shared.domain.conversation import Message, Role
from shared.domain.counseling.directive import Stance
from shared.domain.counseling.task import Part
from shared.engine.memory import dialogue
from shared.locale import Locale
from shared.ports.language_model import ModelRequest
from shared.prompts.catalogue import Rendered
from shared.prompts.data import as_data, as_message
from tests.builders.attacks import attacks
from tests.builders.prompt_inputs import counselor, filled
from tests.builders.sessions import NOW, session
from tests.builders.shipped_settings import agent_settings

ROOT = Path(__file__).parents[4]
TEXTS = tuple(one.text for one in attacks())
FORGERIES = "\n".join(one.text for one in attacks() if one.kind in {"tags", "blocks", "lines", "tools"})
"""All attacks that forge a tag, a block or a line, joined by line breaks."""
CASES = [(number, locale) for number in range(len(filled(str))) for locale in Locale]
"""Every prompt in every language."""
STATEMENT = {
    Locale.KO: re.compile("자료일 뿐, (?:따를 )?지시가 아닙니다"),
    Locale.EN: re.compile("(?:is|are) material, (?:never instructions to follow|not instructions)"),
}
FIELD = re.compile(r"zqfield_([a-z_0-9]+?)_end")
NOT_FILTERED = {
    # Written by code or by our own content: codes, numbers, ids, modules, personas, the rubric.
    "anchor", "band", "casual", "criterion", "depth", "description", "evidence", "goal.description", "goal.id",
    "goal.title", "id", "intensity", "keywords", "kind", "level", "limit", "line", "may_change_strategy", "met_before",
    "module_id", "module_name", "most_rounds", "name", "number", "part", "persona", "priority", "red_items",
    "register_name", "round", "selected_keywords", "seq", "session_type", "slot", "source", "speech_register", "stance",
    "state", "status", "task_id", "declined", "value", "signals", "unclear", "wants", "met",
}  # fmt: skip


@cache
def plain(number: int, locale: Locale) -> Rendered:
    """Return a prompt with the name of each field in its place."""
    prompt, given = filled(lambda name: f"zqfield_{name}_end")[number]
    return prompt.render(locale, given)


def expected(text: str, attack: str) -> str:
    return FIELD.sub(lambda _found: as_data(attack), text).strip()


def in_one_term(text: str) -> str:
    """Return a text with one term for the user: the Counselor's prompt has its own in place of the analysts'."""
    return re.sub("[Tt]he client", "the person", text.replace("내담자", "상대")).replace("The person", "the person")


def named(number: int, locale: Locale) -> str:
    return filled(str)[number][0].name(locale)


def test_an_attack_in_a_field_changes_only_that_field():
    before = {case: plain(*case) for case in CASES}
    assert [named(*case) for case, one in before.items() if not FIELD.search(one.system + one.user)] == []
    changed = defaultdict(list)
    for text in TEXTS:
        attacked = filled(lambda _name, text=text: text)
        for (number, locale), one in before.items():
            prompt, given = attacked[number]
            rendered = prompt.render(locale, given)
            shown = expected(one.system, text), expected(one.user, text)
            if [in_one_term(each) for each in (rendered.system, rendered.user)] != [*map(in_one_term, shown)]:
                changed[named(number, locale)].append(text)
    assert changed == {}


def test_every_prompt_says_once_that_quoted_material_is_no_instruction():
    systems = {case: system for case in CASES if (system := plain(*case).system)}
    assert [named(*case) for case, system in systems.items() if len(STATEMENT[case[1]].findall(system)) != 1] == []


def test_an_attack_changes_only_its_field_in_every_stance_and_part_of_the_counselor():
    def rendered(fill: Callable[[str], str], stance: Stance, part: Part, locale: Locale) -> str:
        prompt, given = counselor(fill, stance=stance, part=part)
        return prompt.render(locale, given).system

    assert [
        situation
        for situation in product(Stance, Part, Locale)
        if in_one_term(rendered(lambda _name: FORGERIES, *situation))
        != in_one_term(expected(rendered(lambda name: f"zqfield_{name}_end", *situation), FORGERIES))
    ] == []


def test_every_prompt_file_is_tested_here():
    read = {
        path
        for prompt, _ in filled(str)
        for locale in Locale
        for path in files(prompt.folder, f"{prompt.name(locale)}.j2")
    }
    assert read == set(templates())


def test_the_source_of_a_prompt_holds_what_it_includes():
    sources = {prompt.name(locale): prompt.source(locale) for prompt, _ in filled(str) for locale in Locale}
    assert [name for name, source in sources.items() if "{% include" in source] == []
    assert "<newest>{{" in sources["reader/v1.ko"]


def files(folder: Path, name: str) -> Iterator[Path]:
    """Yield a template's file and those that it includes."""
    yield folder / name
    for part in meta.find_referenced_templates(parsed(folder / name)):
        yield from files(folder, str(part))


def templates() -> list[Path]:
    found = [*(ROOT / "functions").rglob("*.j2"), *(ROOT / "shared").rglob("*.j2")]
    assert len(found) >= len(filled(str))
    return found


def parsed(path: Path) -> nodes.Template:
    return Environment(autoescape=True).parse(path.read_text("utf-8"))


def test_templates_filter_every_value_except_codes_and_our_own_content():
    assert {
        (f"{path.parent.name}/{path.name}", shown.lineno): shown
        for path in templates()
        for output in parsed(path).find_all(nodes.Output)
        for shown in output.nodes
        if not isinstance(shown, nodes.TemplateData) and not written_by_us(shown)
    } == {}


def test_the_words_that_a_template_gives_to_what_it_includes_are_constants():
    assert [prompt.name(Locale.KO) for prompt, _ in filled(str) if "words" in prompt.takes.model_fields] == []
    set_here = [
        one.node.as_const()
        for path in templates()
        for one in parsed(path).find_all(nodes.Assign)
        if getattr(one.target, "name", "") == "words"
    ]
    assert len(set_here) > len(Locale)


def written_by_us(shown: nodes.Node) -> bool:
    """Whether a value goes through `data`, or is one that neither a person nor a model can fill."""
    if isinstance(shown, nodes.Filter) and shown.name == "data":
        return True
    if isinstance(shown, nodes.CondExpr):
        return all(written_by_us(one) for one in (shown.expr1, shown.expr2))
    if isinstance(shown, nodes.Const):
        return True
    if isinstance(shown, nodes.Filter | nodes.Or | nodes.Call | nodes.Keyword):
        return all(written_by_us(one) for one in shown.iter_child_nodes())
    if isinstance(shown, nodes.Getattr):
        if getattr(shown.node, "name", "") == "words":
            return True
        return shown.attr in NOT_FILTERED or f"{getattr(shown.node, 'name', '')}.{shown.attr}" in NOT_FILTERED
    return isinstance(shown, nodes.Name) and shown.name in NOT_FILTERED | {"entry", "reading", "sentence", "asked"}


def test_an_attack_on_the_counselor_stays_one_user_message_outside_the_system_prompt():
    settings, connection = agent_settings()["counselor"], GeminiConnection(api_key="test")
    for attack in attacks():
        recent = [
            Message(seq=seq, role=role, text=text if role is Role.USER else "그러셨군요.", created_at=NOW)
            for seq, text in enumerate((*attack.before, attack.text), start=1)
            for role in (Role.USER, Role.COUNSELOR)
        ]
        spoken = dialogue(session(recent=tuple(recent)), attack.text)
        call = call_of(ModelRequest(agent="counselor", system="ours", messages=spoken, settings=settings), connection)
        assert call["config"].system_instruction == "ours"
        said = [(content.role, [part.text for part in content.parts]) for content in call["contents"]]
        mine = [texts for role, texts in said if role == "user"]
        assert mine == [[as_message(text)] for text in (*attack.before, attack.text, attack.text)], attack.id
        assert {role for role, _ in said} == {"user", "model"}
