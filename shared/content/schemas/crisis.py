"""`crisis_protocol.yaml`: the fixed replies of the crisis protocol and what the user answers."""

from typing import Self

from pydantic import Field, model_validator

from shared.model import Model
from shared.safety.needs import Need

RESOURCE_SLOT = "{resources}"
FAMILY_SLOT = "{family}"


class Resource(Model):
    """A person or service to turn to, in the user's language."""

    name: str
    number: str
    hours: str


class ResourceEntry(Resource):
    """A resource as written, in the order in which it is shown.

    Attributes:
        needs: For what it is shown.
        country: Lines of one country stand together, in the order in which the countries first come up.
    """

    needs: tuple[Need, ...] = Field(min_length=1)
    country: str = "KR"


class ResourceLists(Model):
    """The resources of each language."""

    ko: tuple[ResourceEntry, ...] = Field(min_length=1)
    en: tuple[ResourceEntry, ...] = Field(min_length=1)


class CrisisText(Model):
    """One text in every voice."""

    ko: str
    ko_casual: str
    en: str


class Variants(Model):
    """Texts of one outcome in every voice; three at least, so that the same one never comes twice running."""

    ko: tuple[str, ...] = Field(min_length=3)
    ko_casual: tuple[str, ...] = Field(min_length=3)
    en: tuple[str, ...] = Field(min_length=3)


class ProtocolReplies(Model):
    """The texts of every outcome that is answered."""

    concern: Variants
    third_party: Variants
    third_party_now: Variants
    crisis: Variants
    harm_to_others: Variants
    imminent: Variants
    attempted: Variants
    abuse: Variants
    abuse_now: Variants


class Acknowledgment(CrisisText):
    """What is said first when the message names something that weighs; fixed words, nothing is repeated.

    Attributes:
        positives: Messages in which it is named.
        negatives: Messages in which it is denied, or said by or of another person.
    """

    patterns: tuple[str, ...] = Field(min_length=1)
    exclusions: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=1)
    negatives: tuple[str, ...] = Field(min_length=1)


class PhraseList(Model):
    """Patterns of something that the user says."""

    patterns: tuple[str, ...]
    exclusions: tuple[str, ...]


class TestedPhrases(PhraseList):
    """How one thing is said in answer to the protocol, with its own tests.

    Attributes:
        positives: Messages in which it is found.
        negatives: Messages in which it is not.
    """

    exclusions: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)


class AdmissionPhrases(TestedPhrases):
    """How a user says yes to the question whether they want to die, with its own tests.

    Attributes:
        understated: A yes in the words of a no.
        denials: What takes a yes back, wherever it stands in the message; nothing in what is understated does.
    """

    understated: tuple[str, ...] = Field(min_length=1)
    denials: tuple[str, ...] = Field(min_length=1)


class Care(Model):
    """What is said in the follow-through when no model can speak, by the danger."""

    own_life: Variants
    violence: Variants
    others: Variants


class Safe(Model):
    """What the user says about being safe (shared/domain/safety/reassurance.py).

    Attributes:
        doubt: Words next to which none of it counts.
        exclusions: What takes a hit of any kind back.
    """

    out_of_danger: TestedPhrases
    no_intent: TestedPhrases
    no_harm: TestedPhrases
    cared_for: TestedPhrases
    support: TestedPhrases
    doubt: TestedPhrases
    exclusions: tuple[str, ...]


class CrisisProtocol(Model):
    """The file.

    Attributes:
        family: What replaces `{family}`; `not_family` where one of the family may hurt them.
        not_heard: What takes any acknowledgment back.
        block: Opens the resources that code appends.
        ask_directly: Asked by code where the model's reply to a concern does not.
        asks_directly: How a reply asks whether the user wants to die.
        admits: How the user says yes to that.
        acted: The whole of an answer that says that it is done.
        act_named: What makes it one without the question, too: a means, an amount, a wound.
        done: How a user tells of an act, next to a danger that a rule has found.
        soon: The whole of an answer that says when, where or with what.
        about_me: How a helper says that the friend is they themselves.
        violence_near: How a user who is hurt by another says that it is now.
        named_near: How they say that one of the family is there: whom they told of, or company.
        relatives: Regular expressions of who that may be.
        danger_near_them: How a helper says that it is now.
        harm_near: The whole of an answer that says what is done to another person, or with what.
        place_named: The whole of a message that names a place of danger.
        leave: Asked there when the user wants to stop.
        goodbye: Said to who leaves there, instead of the usual farewell.
        farewell: Behind the words of farewell, to who leaves with something open.
    """

    resources: ResourceLists
    line: CrisisText
    family: CrisisText
    not_family: CrisisText
    block: CrisisText
    replies: ProtocolReplies
    acknowledgments: tuple[Acknowledgment, ...]
    not_heard: tuple[str, ...]
    for_minors: Variants
    for_hurt_minors: Variants
    for_harming_minors: CrisisText
    care: Care
    ask_directly: Variants
    asks_directly: PhraseList
    admits: AdmissionPhrases
    acted: TestedPhrases
    act_named: TestedPhrases
    done: TestedPhrases
    soon: TestedPhrases
    about_me: TestedPhrases
    violence_near: TestedPhrases
    named_near: TestedPhrases
    relatives: tuple[str, ...]
    danger_near_them: TestedPhrases
    harm_near: TestedPhrases
    place_named: TestedPhrases
    leave: Variants
    goodbye: CrisisText
    farewell: CrisisText
    safe: Safe
    asks_resources: PhraseList
    fragments: dict[str, str]

    @model_validator(mode="after")
    def _every_text_shows_the_resources(self) -> Self:
        named = {outcome: getattr(self.replies, outcome) for outcome in ProtocolReplies.model_fields} | {
            "leave": self.leave
        }
        for name, variants in named.items():
            for text in (*variants.ko, *variants.ko_casual, *variants.en):
                if text.count(RESOURCE_SLOT) != 1:
                    raise ValueError(f"a reply of {name} lacks {RESOURCE_SLOT}: {text[:20]}…")
        return self
