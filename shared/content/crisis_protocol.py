"""The fixed replies of the crisis protocol and their resources; needs no model."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from shared.content.crisis_answers import compiled
from shared.content.loader import load_yaml
from shared.content.schemas.crisis import (
    FAMILY_SLOT,
    RESOURCE_SLOT,
    CrisisProtocol,
    CrisisText,
    PhraseList,
    Resource,
    ResourceEntry,
    Variants,
)
from shared.content.schemas.references import Hotline, HotlineFile
from shared.content.word_files import load_words
from shared.content.wordings import Pick
from shared.domain.errors import ContentError
from shared.locale import Locale, Register
from shared.model import Model
from shared.safety.levels import CrisisOutcome, Danger
from shared.safety.needs import Need, needs_of, union, urgency
from shared.safety.protocol_questions import Topic
from shared.safety.reading import Reading

_DATA = Path(__file__).parent / "data"
_FILE = _DATA / "crisis_protocol.yaml"
_HURT = frozenset({CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW})
_OWN_PAIN = frozenset({CrisisOutcome.CONCERN, CrisisOutcome.CRISIS})
"""Outcomes whose reply first acknowledges the user's burden; if a life is in danger now, the help comes first."""
_FRIGHTENED = (Need.MIND, Need.LIFE, Need.POLICE)
_SENTENCE_END = ". "
AT_HAND = (Need.LIFE, Need.INJURY)
"""What a failed reply names whatever else is needed: somebody to talk to about dying, and the ambulance."""


class Voice(Model):
    """How a conversation addresses its user.

    Attributes:
        minor: The user also gets the help line for minors and the advice to tell an adult.
        hurt_at_home: The family is not named as people to turn to.
        fears_home: The user is afraid of the family; it is not named either.
        harming: The user wants to hurt another person, perhaps in the family, which is not named either.
        soldier: The user serves and also gets the line of the armed forces.
        at_hand: The user has just said that the means is within reach.
        frightened: The user is frightened by unwanted thoughts of harming their child or a parent.
        guided: The next step follows and names whom to tell, so that the same advice to minors is left out.
    """

    locale: Locale
    register_: Register
    minor: bool = False
    hurt_at_home: bool = False
    fears_home: bool = False
    harming: bool = False
    guided: bool = False
    soldier: bool = False
    at_hand: bool = False
    frightened: bool = False

    @property
    def without_family(self) -> bool:
        """Whether the family is not named as people to turn to."""
        return self.hurt_at_home or self.fears_home or self.harming

    @property
    def key(self) -> str:
        if self.locale is Locale.EN:
            return "en"
        return "ko_casual" if self.register_ is Register.CASUAL else "ko"


class CrisisReplies:
    """The fixed replies, in every voice.

    Attributes:
        written: The protocol as written.
    """

    def __init__(self, written: CrisisProtocol) -> None:
        self.written = written
        taken_back = PhraseList(patterns=(), exclusions=written.not_heard)
        self._acknowledged = tuple(
            compiled(written, PhraseList(patterns=one.patterns, exclusions=one.exclusions), taken_back)
            for one in written.acknowledgments
        )

    def resources(self, locale: Locale, needs: Iterable[Need], *, minor: bool) -> tuple[Resource, ...]:
        """Return the resources by country, in each country the most urgent first."""
        places = urgency(needs, minor=minor)
        entries = self.written.resources.ko if locale is Locale.KO else self.written.resources.en
        countries = list(dict.fromkeys(entry.country for entry in entries))

        def order(entry: ResourceEntry) -> tuple[int, int]:
            return countries.index(entry.country), min(places[need] for need in entry.needs if need in places)

        shown = sorted((entry for entry in entries if not places.keys().isdisjoint(entry.needs)), key=order)
        return tuple(Resource(name=entry.name, number=entry.number, hours=entry.hours) for entry in shown)

    def reply(
        self,
        outcome: CrisisOutcome,
        voice: Voice,
        pick: Pick,
        *,
        needs: Iterable[Need] = (),
        said: Sequence[Reading] = (),
        plan: str = "",
    ) -> str:
        """Return the fixed reply to `outcome`; the protocol's question follows it (`questions`), after a concern none.

        Args:
            outcome: An outcome that the protocol answers, or a concern.
            voice: The voice of the conversation.
            pick: Chooses the wording.
            needs: The needs of all findings, if there are several.
            said: The readings of the user's message: a burden in it is acknowledged first, in fixed words.
            plan: What the user wrote down for this: before the lines, or after them if a life is in danger now.

        Raises:
            KeyError: `outcome` has no reply.
        """
        texts = self._texts(self._variants(outcome, voice), voice)
        if plan:
            texts = tuple(_with_plan(text, plan, after=outcome is CrisisOutcome.IMMINENT) for text in texts)
        wanted = _FRIGHTENED if voice.frightened else union(needs_of(outcome), needs)
        reply = pick(texts).replace(RESOURCE_SLOT, self.resource_lines(voice, wanted))
        if outcome in _OWN_PAIN and (opening := self._acknowledgment(said, voice)):
            reply = f"{opening} {reply.partition(_SENTENCE_END)[2]}"
        return "\n\n".join(part for part in (reply, self._for_minors(outcome, voice, pick)) if part)

    def questions(self, topic: Topic, voice: Voice) -> tuple[str, ...]:
        """Return the wordings of a question.

        Raises:
            KeyError: Its wordings are in help_seeking.yaml.
        """
        return self.written.questions[topic].at(voice.locale, voice.register_)

    def resource_lines(self, voice: Voice, needs: Iterable[Need]) -> str:
        line = _voiced(self.written.line, voice)
        wanted = union(needs, (Need.SOLDIER,) if voice.soldier else ())
        shown = self.resources(voice.locale, wanted, minor=voice.minor)
        return "\n".join(line.format(name=one.name, number=one.number, hours=one.hours) for one in shown)

    def resource_block(self, voice: Voice, needs: Iterable[Need]) -> str:
        """Return the block that code appends in a follow-through and when the user asks."""
        return self._fixed(self.written.block, voice, needs)

    def just_acted(self, voice: Voice, needs: Iterable[Need], plan: str = "") -> str:
        """Return the reply to a user who has just acted, with what their safety plan says."""
        return "\n\n".join(filter(None, (self._fixed(self.written.just_acted, voice, needs), plan)))

    def corrected(self, voice: Voice) -> str:
        """Return the apology to a user whom the protocol misread; what it asks and shows stays."""
        return _voiced(self.written.corrected, voice)

    def question_after_correction(self, voice: Voice) -> str:
        """Return the direct question to a user who says that they were misread."""
        return _voiced(self.written.ask_after_correction, voice)

    def believed(self, voice: Voice, needs: Iterable[Need]) -> tuple[str, ...]:
        """Return the wordings of the reply to a plain denial of what a rule alone had found, with the first line."""
        line, *_ = self.resources(voice.locale, needs, minor=voice.minor)
        texts = self._texts(self.written.believed, voice)
        return tuple(text.replace(RESOURCE_SLOT, f"{line.name} {line.number}") for text in texts)

    def others_too(self, voice: Voice) -> str:
        """Return what keeps other people safe, for a user who would die and take them with them."""
        return _voiced(self.written.others_too, voice)

    def after_strangling(self, voice: Voice) -> str:
        """Return that the neck must be examined if it was pressed, for a user who tells of violence."""
        return _voiced(self.written.after_strangling, voice)

    def harmed_child(self, voice: Voice) -> tuple[str, ...]:
        """Return the wordings for a user who has hurt a child of theirs, or a pet, with lines for both."""
        lines = self.resource_lines(voice, (Need.MIND, Need.POLICE))
        return tuple(text.replace(RESOURCE_SLOT, lines) for text in self._texts(self.written.harmed_child, voice))

    def goodbye(self, voice: Voice) -> str:
        """Return the farewell in a follow-through; `farewell_block` follows it."""
        return _voiced(self.written.goodbye, voice)

    def farewell_block(self, voice: Voice, needs: Iterable[Need]) -> str:
        """Return the resource block after a farewell."""
        return self._fixed(self.written.farewell, voice, needs)

    def care(self, voice: Voice, danger: Danger = Danger.OWN_LIFE) -> tuple[str, ...]:
        """Return the wordings of the reply in a follow-through when no model answers.

        `danger` is the danger that an outcome names (`danger_of`).
        """
        written: Variants = dict(self.written.care)[danger.value]
        return self._texts(written, voice)

    def unread(self, voice: Voice, needs: Iterable[Need] = ()) -> tuple[str, ...]:
        """Return the wordings for a message that no model could read, with the lines; they ask nothing."""
        lines = self.resource_lines(voice, union(needs, AT_HAND))
        return tuple(text.replace(RESOURCE_SLOT, lines) for text in self._texts(self.written.unread, voice))

    def unread_reply(self, voice: Voice, pick: Pick, needs: Iterable[Need] = (), *, urgent: bool = False) -> str:
        """Return the reply to such a message, which asks one thing.

        It asks whether the user needs help at once; once they have said so (`urgent`), whether somebody can come.
        """
        near, now = self.written.ask_who_is_near, self.written.ask_if_urgent
        asks = (_voiced(near, voice),) if urgent else self._texts(now, voice)
        return f"{pick(self.unread(voice, needs))}\n\n{pick(asks)}"

    def asks_if_urgent(self, reply: str) -> bool:
        """Return whether a reply asks whether the user needs help at once."""
        return any(asked in reply for wordings in dict(self.written.ask_if_urgent).values() for asked in wordings)

    def help_now(self, voice: Voice, needs: Iterable[Need]) -> str:
        """Return the reply to a yes to that question; it asks what has happened."""
        return self._fixed(self.written.help_now, voice, needs)

    def direct_questions(self, voice: Voice) -> tuple[str, ...]:
        """Return the wordings of the direct question about suicide, for a reply to a concern that does not ask it."""
        return self._texts(self.written.ask_directly, voice)

    def leave_question(self, voice: Voice, needs: Iterable[Need]) -> tuple[str, ...]:
        """Return the wordings of the question whether to end, with the resources, for a user in a follow-through."""
        lines = self.resource_lines(voice, needs)
        return tuple(text.replace(RESOURCE_SLOT, lines) for text in self._texts(self.written.leave, voice))

    def every_wording(self, voice: Voice) -> tuple[str, ...]:
        """Return the wordings of all fixed replies and of the words for minors."""
        written = self.written
        lists = (
            *dict(written.replies).values(),
            written.at_hand,
            written.harmed_child,
            written.frightened,
            written.for_minors,
            written.for_hurt_minors,
        )
        return tuple(text for wordings in lists for text in self._texts(wordings, voice))

    def _variants(self, outcome: CrisisOutcome, voice: Voice) -> Variants:
        if voice.at_hand and outcome is CrisisOutcome.IMMINENT:
            return self.written.at_hand
        if voice.frightened and outcome is CrisisOutcome.HARM_TO_OTHERS:
            return self.written.frightened
        variants: Variants = dict(self.written.replies)[outcome.value]
        return variants

    def _for_minors(self, outcome: CrisisOutcome, voice: Voice, pick: Pick) -> str:
        hurt = outcome in _HURT or voice.hurt_at_home
        if not voice.minor or outcome is CrisisOutcome.CONCERN or (voice.guided and not hurt):
            return ""
        if voice.harming or outcome is CrisisOutcome.HARM_TO_OTHERS or (voice.fears_home and not hurt):
            return _voiced(self.written.for_minors_away_from_home, voice)
        return pick(self._texts(self.written.for_hurt_minors if hurt else self.written.for_minors, voice))

    def _acknowledgment(self, said: Sequence[Reading], voice: Voice) -> str:
        for written, named in zip(self.written.acknowledgments, self._acknowledged, strict=True):
            if named.heard(said):
                return _voiced(written, voice)
        return ""

    def _fixed(self, text: CrisisText, voice: Voice, needs: Iterable[Need]) -> str:
        return _voiced(text, voice).replace(RESOURCE_SLOT, self.resource_lines(voice, needs))

    def _texts(self, variants: Variants, voice: Voice) -> tuple[str, ...]:
        texts: tuple[str, ...] = dict(variants)[voice.key]
        return tuple(self._addressed(text, voice) for text in texts)

    def _addressed(self, text: str, voice: Voice) -> str:
        family = self.written.not_family if voice.without_family else self.written.family
        return text.replace(FAMILY_SLOT, _voiced(family, voice))


def load_protocol() -> CrisisProtocol:
    """Return the protocol as written.

    Raises:
        ContentError: A file is wrong, or a number is not in hotlines.json, which has its source and date.
    """
    written = load_words(_FILE.name, CrisisProtocol)
    known = load_yaml(_DATA / "hotlines.json", HotlineFile).root
    for entry in (*written.resources.ko, *written.resources.en):
        if not sourced(entry.number, known):
            raise ContentError(_FILE.name, None, f"{entry.number} is not in hotlines.json")
    return written


def sourced(number: str, known: Iterable[Hotline]) -> bool:
    """Return whether the whole number is among those of the known lines, or in one of their notes."""
    whole = re.compile(rf"(?<![\w.-])(?<!\d ){re.escape(number)}(?![\w-]| \d)")
    return any(whole.search(f"{line.number}; {line.note}") for line in known)


def _with_plan(text: str, plan: str, *, after: bool) -> str:
    paragraphs = text.split("\n\n")
    place = next(number for number, paragraph in enumerate(paragraphs) if RESOURCE_SLOT in paragraph)
    return "\n\n".join((*paragraphs[: place + after], plan, *paragraphs[place + after :]))


def _voiced(text: CrisisText, voice: Voice) -> str:
    said: str = dict(text)[voice.key]
    return said
