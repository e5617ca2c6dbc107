"""Measures what a model reads of written messages: precision and recall of each condition (`make eval`).

With a model configured (GEMINI_API_KEY, Vertex AI or any address that speaks Gemini's protocol) it asks it; without one
it replays the recorded answers of `tests/fixtures/readings`. What the answers decide is judged after code's own checks
(`trust`).
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from cases.case import Case, examples, of_stories, written
from cases.story import STORIES
from functions.chat.reading import AGENT, READER, Reading, unquoted
from local.gemini.tokens import count_tokens
from shared.adapters.system_clock import SystemClock
from shared.config.agents import agent_models
from shared.config.settings import ModelAccess
from shared.content.catalogue import Content, content
from shared.content.conditions import load_conditions
from shared.domain.errors import ConfigError, ContentError, ModelBlocked, ModelEmpty, ModelSchemaMismatch
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.locale import Locale
from shared.ports.language_model import LanguageModel, ModelRequest
from shared.ports.model_answers import ModelReply
from shared.ports.model_settings import ModelSettings
from tests.evaluation.goals import WRONG_CONFIG, is_simulated, measured
from tests.evaluation.labels import group_of
from tests.evaluation.reader_report import GROUPS, Measured, compared, figures, report
from tests.evaluation.recorded import (
    ANSWERS,
    Answer,
    Question,
    append,
    load,
    prompt_digest,
    question,
    replay,
    unanswered,
)
from tests.evaluation.risk import SIMULATED

SECONDS = 60.0
"""For one answer, re-ask included."""
GOOGLE = "googleapis.com"
_SAID = (ModelSchemaMismatch, ModelEmpty, ModelBlocked)
"""Failures that are the model's answer; any other is none, and is not recorded."""
MOST_SILENT = 3
"""Calls in a row without an answer that end a run."""


class _Keeping:
    """A language model that keeps the text of its newest answer."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.text = ""
        self.warm = model.warm
        self.stream = model.stream
        self.aclose = model.aclose

    async def generate(self, request: ModelRequest) -> ModelReply:
        self.text = ""
        reply = await self._model.generate(request)
        self.text = reply.text
        return reply


def reader_settings(access: ModelAccess) -> ModelSettings:
    """Return the settings of the reader, who has no second model here and as much time as an answer takes."""
    by_agent = agent_models(access).by_agent
    settings = by_agent[AGENT]
    return settings.model_copy(update={"fallback": None, "timeout_s": SECONDS * access.patience})


async def ask_all(
    model: LanguageModel,
    access: ModelAccess,
    questions: Sequence[Question],
    keep: Callable[[Answer], None],
    name: str = "",
) -> list[tuple[Question, Answer]]:
    """Ask a model, one question after the other, and hand each answer to `keep` at once; progress is on stderr.

    A call that failed without an answer is left out, so that another run asks it again.

    Raises:
        ConnectionError: Three calls in a row got no answer.
    """
    settings, heard, patience = reader_settings(access), _Keeping(model), access.patience
    name, silent = name or settings.model, 0
    runner = AgentRunner(heard, {AGENT: settings}, SystemClock(), patience=patience)
    answers = []
    for number, one in enumerate(questions, start=1):
        began = time.monotonic()
        scope = Scope(locale=one.locale, deadline=runner.clock.monotonic() + SECONDS * runner.patience)
        await runner.ask(READER, one.given, scope, unquoted(one.given))
        error = scope.ledger.errors.get(AGENT)
        took = f"{number}/{len(questions)} {one.case.id} {time.monotonic() - began:.1f} s"
        sys.stderr.write(f"{took}{f' {error.code}: {error.reason}' if error else ''}\n")
        if error is None or isinstance(error, _SAID):
            answer, silent = one.answered(name, heard.text), 0
            keep(answer)
            answers.append((one, answer))
        elif (silent := silent + 1) == MOST_SILENT:
            raise ConnectionError(f"the model gave no answer {silent} times in a row ({error.code}: {error.reason})")
    return answers


def name_of(access: ModelAccess) -> str:
    """Return the name by which a configured model is recorded: only at Google's address it is surely that model."""
    name, host = reader_settings(access).model, urlsplit(access.base_url or "").hostname or GOOGLE
    return name if f".{host}".endswith(f".{GOOGLE}") else f"{name} at another address"


def main(environment: Mapping[str, str], argv: Sequence[str] = ()) -> int:
    """Ask or replay, and print the report; returns 0, or 2 for a wrong environment, file or option."""
    args = parsed(argv)
    try:
        if args.collect:
            return _collected(args)
        questions = chosen(content(), args)
        access = ModelAccess.read(environment)
        return _run(args, questions, access, environment)
    except (ConfigError, ContentError, OSError, ValueError) as error:
        sys.stderr.write(f"cbot: {error}\n")
        return WRONG_CONFIG


def chosen(shipped: Content, args: argparse.Namespace) -> list[Question]:
    """Return the questions that the options leave."""
    if not any(args.folder.glob("*.yaml")):
        raise ValueError(f"no story in {args.folder}")
    if args.sample is not None and args.sample < 1:
        raise ValueError("--sample takes 1 or more")
    if unknown := set(args.without) - set(GROUPS):
        raise ValueError(f"--without takes {', '.join(GROUPS)}, not {', '.join(sorted(unknown))}")
    if args.only and args.only not in load_conditions().conditions:
        raise ValueError(f"no condition {args.only}")
    cases = [*_labelled(list(of_stories(shipped, args.folder))), *written(shipped), *examples(shipped)]
    questions = [question(case, shipped) for case in cases if group_of(case) not in args.without]
    if args.only:
        questions = [one for one in questions if _is_about(args.only, one)]
        if not questions:
            raise ValueError(f"no case is about {args.only}")
    if args.sample and args.sample < len(questions):
        drawn = set(random.Random(args.seed).sample(range(len(questions)), args.sample))
        questions = [one for place, one in enumerate(questions) if place in drawn]
    return questions


def _labelled(cases: list[Case]) -> list[Case]:
    """Return the cases; of a story that holds notes in place of signs the conditions are not judged."""

    def holding(what: Callable[[Case], object]) -> set[str]:
        return {case.id.partition("/")[0] for case in cases if what(case)}

    noted = holding(lambda case: case.gold.notes) - holding(lambda case: case.gold.signs)
    return [replace(one, judged=frozenset()) if one.id.partition("/")[0] in noted else one for one in cases]


def _is_about(condition: str, one: Question) -> bool:
    gold, judged = one.case.gold, one.case.judged
    held = {*gold.signs, *(["told"] if gold.values else []), *(["corrects"] if gold.corrects else [])}
    return condition in (held if judged is None else judged)


def _run(
    args: argparse.Namespace, questions: list[Question], access: ModelAccess, environment: Mapping[str, str]
) -> int:
    if args.prompts:
        write_prompts(args.prompts, questions)
        return 0
    if args.only:
        sys.stdout.write(f"{sizes(questions, args.only)}\n\n")
    if args.compare:
        one, other = (_side(name, questions, args) for name in args.compare)
        if one.groups.keys().isdisjoint(other.groups):
            raise ValueError("nothing to compare: no case was answered by both")
        sys.stdout.write(f"{compared(one, other)}\n")
        return 0
    if args.record and (args.answers or not access.configured):
        raise ValueError("--record keeps what a model answers: configure one (GEMINI_API_KEY), without --answers")
    loud = ""
    if access.configured and not args.answers:
        simulated = is_simulated(access)
        name = args.model or ("CBot's own simulator" if simulated else name_of(access))
        found = _asked(args, questions, environment, name)
        if found is None:
            return WRONG_CONFIG
        results, loud = [found], f"{SIMULATED}\n\n" if simulated else ""
    else:
        results = list(_replayed(args, questions))
    if not any(one.reads for one in results):
        return _unmeasured(args, results, questions, access)
    for one in results:
        sys.stdout.write(f"{loud}{report(one, errors=args.errors, only=args.only)}\n\n{loud}")
    if args.json:
        told = [figures(one) for one in results]
        args.json.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return 0


def _collected(args: argparse.Namespace) -> int:
    if not args.record or not args.model:
        raise ValueError("--collect needs --record FILE and --model NAME")
    added = collect(args.collect, args.record, args.model)
    sys.stdout.write(f"{added} answers added to {args.record}\n")
    return 0


def _asked(
    args: argparse.Namespace, questions: list[Question], environment: Mapping[str, str], model_name: str
) -> Measured | None:
    """Ask what is not recorded yet; None in a wrong environment."""
    recorded, _ = load([args.record] if args.record and args.record.exists() else [])
    before = [one for one in recorded if one.model == model_name]
    open_questions = list(unanswered(questions, before))

    def keep(answer: Answer) -> None:
        if args.record:
            append(args.record, answer)

    answered = measured(environment, lambda model, access: ask_all(model, access, open_questions, keep, model_name))
    if answered is None:
        return None
    both = replay(questions, [*before, *(answer for _, answer in answered)])
    unread = len(questions) - len(both.reads) - len(both.stale)
    return Measured(model_name, both.reads, both.stale, unread, args.folder != STORIES)


def _replayed(args: argparse.Namespace, questions: list[Question]) -> Iterator[Measured]:
    """Yield what each model recorded in each file."""
    quiet = args.folder != STORIES
    for path in args.answers or sorted(ANSWERS.glob("*.jsonl")):
        answers, torn = load([path])
        if torn:
            sys.stderr.write(f"{path.name}: {torn} lines are no answers\n")
        if not answers and args.answers:
            raise ValueError(f"{path}: no line of it is an answer")
        for model in dict.fromkeys(one.model for one in answers):
            again = replay(questions, (one for one in answers if one.model == model))
            name = f"{model} ({path.name}, recorded)"
            yield Measured(name, again.reads, again.stale, again.missing, quiet)


def _side(name: str, questions: list[Question], args: argparse.Namespace) -> Measured:
    """Return a side of a comparison: a file, one model's answers in it, or the answers to the prompt of a digest."""
    file, _, model = ("" if Path(name).is_file() else name).partition(":")
    path = Path(file if model else name)
    answers, _ = load([path] if path.is_file() else args.answers or sorted(ANSWERS.glob("*.jsonl")))
    own = [one for one in answers if (model in ("", one.model) if path.is_file() else one.prompt == name)]
    if not own:
        raise ValueError(f"{name}: no file of answers, no model that answered in one, no digest of an answered prompt")
    again = replay(questions, own, stale_too=True)
    return Measured(name, again.reads, again.stale, again.missing)


# What is asked


def sizes(questions: Iterable[Question], only: str | None = None) -> str:
    """Return the size of the prompts without the dialogue, in tokens, by language, and what a condition takes of it."""
    lines = []
    if one := load_conditions().conditions.get(only or ""):
        own = ", ".join(f"{count_tokens(f'{only}: {one.sentence(locale)}')} ({locale.value})" for locale in Locale)
        lines.append(f"{only} takes {own} tokens of each prompt that asks about it")
    for locale in Locale:
        bare = [one.given.model_copy(update={"lines": (), "text": ""}) for one in questions if one.locale is locale]
        prompts = [READER.prompt.render(locale, given) for given in bare]
        tokens = sorted(count_tokens(one.system) + count_tokens(one.user) for one in prompts)
        if tokens:
            middle = tokens[len(tokens) // 2]
            size = f"median {middle}, largest {tokens[-1]} tokens"
            lines.append(f"prompts of these cases ({locale.value}), without dialogue: {size}")
    return "\n".join(lines)


def _unmeasured(
    args: argparse.Namespace, results: Sequence[Measured], questions: Sequence[Question], access: ModelAccess
) -> int:
    """Show the cases of one condition; that they wait is an error only where somebody was to answer."""
    if args.only and args.folder == STORIES:
        sys.stdout.write("".join(f"  {one.case.id:<36} {one.case.text}\n" for one in questions))
        if not access.configured and not args.answers:
            sys.stdout.write("they wait for a model to answer them\n")
            return 0
    raise ValueError(_nothing(results, questions))


def _nothing(results: Sequence[Measured], questions: Sequence[Question]) -> str:
    """Return why nothing was measured, and what to do."""
    stale = max((len(one.stale) for one in results), default=0)
    why = f"all recorded answers ({stale} cases) are to another prompt" if stale else "no case was answered"
    ways = "with a model --record FILE, or --prompts DIR and --collect DIR"
    return f"nothing was measured: {why}; {len(questions)} cases wait to be answered ({ways})"


def write_prompts(folder: Path, questions: Sequence[Question]) -> None:
    """Write what each case asks, so that somebody without access to an API can answer it in `folder/answers`."""
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    (folder / "schema.json").write_text(json.dumps(Reading.model_json_schema(), indent=1) + "\n", "utf-8")
    rows = []
    for number, one in enumerate(questions, start=1):
        (folder / f"system.{one.locale.value}.md").write_text(one.rendered.system + "\n", "utf-8")
        (folder / f"{number:03}.md").write_text(one.rendered.user + "\n", "utf-8")
        row = {"number": f"{number:03}", "case": one.case.id, "locale": one.locale.value}
        rows.append({**row, "prompt": prompt_digest(), "input": one.rendered.digest})
    (folder / "index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def collect(folder: Path, record: Path, model: str) -> int:
    """Add the answers of a folder to a file of answers; returns how many are new."""
    before, _ = load([record] if record.exists() else [])
    known, added = {(one.case, one.input, one.model, one.answer) for one in before}, 0
    for line in (folder / "index.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        path = folder / "answers" / f"{row['number']}.json"
        if not path.exists():
            continue
        text = path.read_text("utf-8").strip()
        answer = Answer(case=row["case"], prompt=row["prompt"], input=row["input"], model=model, answer=text)
        if (answer.case, answer.input, answer.model, answer.answer) not in known:
            append(record, answer)
            added += 1
    return added


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """Return the options."""
    plain = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser(prog="make eval", description=__doc__, formatter_class=plain)
    add = options.add_argument
    add("--agents", action="store_true", help="judge other agents: goals, risk, booking, supervision, summaries")
    add("--record", type=Path, metavar="FILE", help="keep the model's answers; what FILE answers is not asked again")
    add("--answers", type=Path, nargs="+", metavar="FILE", help="replay these, also if a model is configured")
    add("--compare", nargs=2, metavar=("A", "B"), help="side by side: a FILE, FILE:MODEL, or a digest of a prompt")
    add("--only", metavar="CONDITION", help="the cases of one condition, and the size of the prompt")
    add("--sample", type=int, metavar="N", help="so many cases, drawn at random")
    add("--seed", type=int, default=0, help="of the draw")
    add("--folder", type=Path, default=STORIES, metavar="DIR", help="stories of another folder")
    add("--without", type=lambda text: text.split(","), default=[], metavar="GROUPS", help=",".join(GROUPS))
    add("--errors", action="store_true", help="name what was false, missed or right by its quote only")
    add("--json", type=Path, metavar="FILE", help="write the figures")
    add("--prompts", type=Path, metavar="DIR", help="write what each case asks, to be answered in DIR/answers/NNN.json")
    add("--collect", type=Path, metavar="DIR", help="read those answers back into --record FILE as --model NAME")
    add("--model", metavar="NAME", help="who answers, with --collect or --record")
    return options.parse_args(argv)
