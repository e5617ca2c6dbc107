"""Answers of the roles that answer questions on an agreement: they read the passages that the prompt shows."""

import re
from dataclasses import dataclass

from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.service_data import ServiceWords, service_data, words_for
from local.gemini.json_types import JsonObject
from shared.content.catalogue import content
from shared.prompts.data import decoded

_PASSAGE = re.compile(r"\[(?P<label>[^\[\]]+)\] (?P<title>.*?): (?P<text>.*)", re.DOTALL)
_NUMBERED = re.compile(r"^(?:[①-⑳]|\d{1,2}[.)]|[가-하]\.)\s*")
_ENDS = re.compile(r"(?<=[다오])\.\s+|(?<=[a-z)])\.\s+(?=[A-Z])|\n+")
_WORD = re.compile(r"[가-힣A-Za-z]+")
_BY_NUMBER = re.compile(r"제 ?\d{1,3} ?조|\barticle \d", re.IGNORECASE)
_LONGEST_PHRASE = 90
_SHORT_QUESTION = 6
"""Letters of a question that is searched for together with the one before it."""
_TRIED = 2
"""Calls after which what was read must do."""
_NO_ARGS: JsonObject = {
    "topics": [],
    "article_numbers": [],
    "exhibit_numbers": [],
    "titles": [],
    "user_article_numbers": [],
    "topic": "",
}


@dataclass(frozen=True)
class _Passage:
    label: str
    title: str
    text: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences without their numbers and full stops; what only introduces a list is left out."""
        lines = (_NUMBERED.sub("", part.strip()).strip().rstrip(".") for part in _ENDS.split(self.text))
        return tuple(line for line in lines if line and not line.endswith(("같습니다", "한정합니다", ":")))


def triage(prompt: Prompt) -> JsonObject:
    """Take a message as a question on the document unless it is plainly about something else."""
    text, words, data = prompt.text_of("newest_message"), words_for(prompt), service_data()
    off = re.search(data.off_topic, text, re.IGNORECASE) is not None
    itself = re.search(data.about_itself, text, re.IGNORECASE) is not None
    reason = words.asks_else if off or itself else words.asks_document
    return {"reason": reason, "in_scope": not off, "needs_tools": not itself}


def plan_search(prompt: Prompt) -> JsonObject:
    """Search for the question's words, then for what is missing; after two calls nothing is left to look for."""
    words, done = words_for(prompt), prompt.tags("call")
    wanted = prompt.text_of("missing") or _question(prompt)
    if len(done) >= _TRIED or not wanted:
        return {"reason": words.done, "tool": "none", "args": _NO_ARGS}
    queries = [" ".join(_subjects(wanted)) or wanted, wanted]
    topic: JsonObject = {"topic_name": queries[0], "queries": list(dict.fromkeys(queries))}
    return {"reason": words.searches, "tool": "hybrid_search", "args": {**_NO_ARGS, "topics": [topic]}}


def evaluate(prompt: Prompt) -> JsonObject:
    """Find enough once a passage has words of the question."""
    words, text = words_for(prompt), prompt.text_of("newest_message")
    about = _about(_passages(prompt.text), text)
    reason = fill(words.reads, {"label": about[0].label}) if about else words.misses
    return {"reason": reason, "missing": "" if about else text, "sufficient": bool(about)}


def cited_answer(instructions: str, question: str) -> str:
    """Answer from the passages in the instructions, a source after each sentence, one phrase verbatim."""
    prompt = Prompt(instructions, instructions)
    words, found = words_for(prompt), _passages(instructions)
    casual = int("반말" in instructions and "해요체" not in instructions)
    # What a number names was read because of it; else a passage must have words of the question.
    chosen = found[:2] if _BY_NUMBER.search(question) else _about(found, question)[:2]
    if not chosen:
        return words.absent[casual]
    first, *others = chosen
    best = sorted(first.sentences, key=lambda one: -_shared(one, question))[:2]
    said = [_retold(one, first, words, casual) for one in best[:1]]
    if len(best) > 1:
        said.append(_quoting(words.quoted[casual], best[1], first))
    said += [
        _quoting(words.also[casual], max(one.sentences, key=lambda line: _shared(line, question)), one)
        for one in others
        if _shared(one.title, question)
    ]
    return " ".join(said)


def _question(prompt: Prompt) -> str:
    """Return the question; a very short one after the question before it."""
    text = prompt.text_of("newest_message")
    if len("".join(_subjects(text))) >= _SHORT_QUESTION:
        return text
    asked = next((said.text for said in reversed(prompt.dialogue) if said.by_user), "")
    return f"{asked} {text}".strip() if not _subjects(text) else text


def _passages(text: str) -> list[_Passage]:
    # The instructions name the tag before they open it.
    shown = (tag.text.rpartition("<passage>")[2] for tag in Prompt(text).tags("passage"))
    read = (_PASSAGE.fullmatch(decoded(one.strip())) for one in shown)
    passages = [_Passage(found["label"], found["title"], found["text"]) for found in read if found]
    return [one for one in passages if one.sentences]


def _about(passages: list[_Passage], question: str) -> list[_Passage]:
    """Return the passages that share words with a question, in the order in which the search found them."""
    return [one for one in passages if _shared(f"{one.title} {one.text}", question)]


def _shared(text: str, question: str) -> int:
    return sum(text.lower().count(word) > 0 for word in _stems(question))


def _stems(question: str) -> set[str]:
    """Return the beginnings of the question's words, by which particles and endings do not matter.

    A model knows that 누가 봐요 asks for 열람; here the vocabulary of the search tells it.
    """
    legal = content().agreements.vocabulary.legal_words(question)
    known = (word for alternatives in legal for words in alternatives for word in words.split())
    return {
        word.lower()[:2] if re.match(r"[가-힣]", word) else word.lower()[:5]
        for word in (*_subjects(question), *known)
        if len(word) > 1
    }


def _subjects(text: str) -> list[str]:
    filler = re.compile(service_data().filler, re.IGNORECASE)
    return [word for word in _WORD.findall(text) if len(word) > 1 and not filler.match(word)]


def _retold(sentence: str, passage: _Passage, words: ServiceWords, casual: int) -> str:
    """Return a sentence in the reply's register; one whose ending is unknown is quoted."""
    if not re.search(r"[가-힣]", sentence):
        return f"{sentence}. [{passage.label}]"
    for ending, said in service_data().endings.items():
        if sentence.endswith(ending):
            return f"{sentence.removesuffix(ending)}{said[casual]}. [{passage.label}]"
    return _quoting(words.quoted[casual], sentence, passage)


def _quoting(template: str, sentence: str, passage: _Passage) -> str:
    phrase = sentence if len(sentence) <= _LONGEST_PHRASE else sentence[:_LONGEST_PHRASE].rpartition(" ")[0]
    # Marks of quotation within it would end the quotation.
    phrase = re.split('[“”"]', phrase)[0].rstrip(" ,(") or sentences(sentence)[0]
    return f"{fill(template, {'title': passage.title or passage.label, 'phrase': phrase})} [{passage.label}]"
