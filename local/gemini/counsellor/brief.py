"""Collects what the counsellor's prompt and dialogue ask for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from local.gemini.counsellor.clauses import Gist, gist
from local.gemini.counsellor.endings import quotable
from local.gemini.counsellor.hangul import with_particle
from local.gemini.counsellor.name_changes import corrected_name, current_name, denies
from local.gemini.counsellor.name_forms import MISTAKEN
from local.gemini.counsellor.names import name_in
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.slots import slot_asked
from local.gemini.counsellor.voice import Voice
from local.gemini.protocol import Content

TELLING = 3
"""Weight from which a clause belongs in a summary."""
_FACTS = frozenset({"name", "prior_counseling", "support_people", "coping_style"})
"""Slots whose answers are facts and not part of the story."""
_CALLED = re.compile(r"[가-힣A-Za-z]+ 님[,은이의 ]")


_THEMSELVES = "본인"
"""How a user without a name is called."""


@dataclass(frozen=True)
class Brief:
    """Input of one reply."""

    prompt: Prompt
    voice: Voice
    text: str
    earlier: tuple[str, ...]
    replies: tuple[str, ...]

    @property
    def korean(self) -> bool:
        """Whether the reply is in Korean."""
        return self.voice is not Voice.ENGLISH

    @property
    def stance(self) -> str:
        """Purpose of the reply; "" outside of counselling."""
        return self.prompt.text_of("stance")

    @property
    def part(self) -> str:
        return self.prompt.attribute("part", "number")

    @property
    def task(self) -> str:
        """The task's id, title and target, which select its questions."""
        return " ".join((self.prompt.attribute("task", "id"), *self.prompt.values("task")[:2])).strip()

    @property
    def last_reply(self) -> str:
        """The counsellor's last message."""
        return self.replies[-1] if self.replies else ""

    @cached_property
    def answered_slot(self) -> str:
        """The slot that the last reply asked for."""
        return _slot_of(self.last_reply)

    @cached_property
    def name(self) -> str:
        """The user's latest name, or ""; never one that they denied."""
        return current_name((*self.earlier, self.text), self.prompt.known_as("name"))

    @cached_property
    def name_just_given(self) -> bool:
        """Whether the newest message gives the known name."""
        given = corrected_name(self.text, "") or name_in(self.text, asked=True)
        return bool(self.name and given and given.name == self.name)

    @cached_property
    def name_corrected(self) -> bool:
        """Whether the newest message corrects an earlier name."""
        before = [name.name for text in self.earlier if (name := name_in(text, asked=self.answered_slot == "name"))]
        called = any(_CALLED.search(reply) for reply in self.replies[1:])
        again = bool(before or called or MISTAKEN.search(self.text))
        return self.name_just_given and again and bool(corrected_name(self.text, ""))

    @cached_property
    def name_denied(self) -> bool:
        """Whether the newest message denies the known name and gives no other."""
        return not self.name and denies(self.text, self.prompt.known_as("name"))

    @property
    def calling(self) -> str:
        """How the user is addressed: 지훈 님, 지훈아, Jihoon."""
        if not self.name or self.voice is Voice.ENGLISH:
            return self.name
        if self.voice is Voice.FORMAL:
            return f"{self.name} 님"
        given = self.name[1:] if len(self.name) == 3 else self.name
        return with_particle(given, "아") if "가" <= given[-1] <= "힣" else given

    def _gist(self, text: str) -> Gist:
        """Return a message's gist for retelling: in 존댓말 저 becomes the user's name."""
        called = (self.calling or _THEMSELVES) if self.voice is Voice.FORMAL else ""
        return gist(text, korean=self.korean, called=called)

    @cached_property
    def gist(self) -> Gist:
        """The gist of the newest message."""
        return self._gist(self.text)

    @cached_property
    def told(self) -> tuple[str, ...]:
        """The weightiest gist so far and the newest weighty one, quotable, in order."""
        asked = ["", *(_slot_of(reply) for reply in self.replies)]
        texts = (*self.earlier, self.text)
        facts = [place < len(asked) and asked[place] in _FACTS for place in range(len(texts))]
        found = [Gist() if fact else self._gist(text) for fact, text in zip(facts, texts, strict=True)]
        quotes = [(one.weight, place, one.said or _without_because(one.because)) for place, one in enumerate(found)]
        heavy = [item for item in quotes if item[2] and item[0] >= TELLING]
        if not heavy:
            return ()
        first = max(heavy, key=lambda item: (item[0], -item[1]))
        others = [item for item in heavy if item[1] != first[1] and item[2] not in first[2] and first[2] not in item[2]]
        chosen = [first, *others[-1:]]
        return tuple(quote for _, _, quote in sorted(chosen, key=lambda item: item[1]))


def brief_of(system: str, contents: Sequence[Content]) -> Brief:
    """Parse the input of one reply."""
    prompt = Prompt(system, system)
    users = tuple(content.text for content in contents if content.role == "user")
    replies = tuple(content.text for content in contents if content.role == "model")
    voice = Voice.ENGLISH if not prompt.is_korean else Voice.CASUAL if prompt.casual else Voice.FORMAL
    return Brief(prompt, voice, users[-1] if users else "", users[:-1], replies)


def _slot_of(reply: str) -> str:
    question = next((part for part in reversed(reply.split(". ")) if "?" in part), "")
    return slot_asked(question)


def _without_because(because: str) -> str:
    """힘들어서 → 힘들다."""
    return quotable(because.removesuffix("서") + "요") if because.endswith("서") else ""
