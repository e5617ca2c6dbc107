"""`crisis_protocol.yaml`: the fixed replies of the crisis protocol and the patterns of users' answers."""

from typing import Self

from pydantic import Field, model_validator

from shared.content.schemas.voice import VoicedVariants
from shared.model import Model
from shared.safety.needs import Need
from shared.safety.protocol_questions import ClosedQuestion, Topic

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
        needs: The needs for which it is shown.
        country: Lines are grouped by country, in the order of each country's first line.
    """

    needs: tuple[Need, ...] = Field(min_length=1)
    country: str = "KR"


class ResourceLists(Model):
    ko: tuple[ResourceEntry, ...] = Field(min_length=1)
    en: tuple[ResourceEntry, ...] = Field(min_length=1)


class CrisisText(Model):
    """One text in every voice."""

    ko: str
    ko_casual: str
    en: str


class Variants(Model):
    """Texts of one outcome in every voice; at least three, so that no text is used twice in a row."""

    ko: tuple[str, ...] = Field(min_length=3)
    ko_casual: tuple[str, ...] = Field(min_length=3)
    en: tuple[str, ...] = Field(min_length=3)


class ProtocolReplies(Model):
    """The texts of every outcome that the protocol answers."""

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
    """The opening for a message that names a burden; fixed words, nothing is repeated.

    Attributes:
        positives: Messages that name it.
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
    """Patterns of an answer to the protocol, with tests.

    Attributes:
        positives: Messages that match.
        negatives: Messages that do not match.
    """

    exclusions: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)


class AdmissionPhrases(TestedPhrases):
    """Patterns of a yes to the question whether the user wants to die, with tests.

    Attributes:
        understated: A yes in the form of a no.
        denials: Cancel a yes anywhere in the message; words of `understated` do not count as a denial.
    """

    understated: tuple[str, ...] = Field(min_length=1)
    denials: tuple[str, ...] = Field(min_length=1)


class LivingPeople(Model):
    """Patterns of people, of what is told of one who lives, or has died, and of the wish to follow one unnamed."""

    people: tuple[str, ...] = Field(min_length=1)
    lives: str
    died: str
    follows: str


class Care(Model):
    """The replies in a follow-through when no model answers, by danger."""

    own_life: Variants
    violence: Variants
    others: Variants


class Safe(Model):
    """Statements of safety (shared/safety/reassurance.py).

    Attributes:
        doubt: Words that cancel every statement of safety.
        exclusions: Cancel a match of any kind.
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
        questions: The one question of a reply, by its topic; those about plan and means are in help_seeking.yaml.
        closed_questions: What an answer without other content tells.
        bare_yes: Such an answer; `bare_no` and `bare_none`, too. `names_company`, `names_nobody`: Who is there.
        at_hand: Replies instead of `imminent` to a user who said yes to the question about means.
        family: Replaces `{family}`; `not_family` if the family may hurt the user.
        not_heard: Cancels any acknowledgment.
        others_too: Follows the reply about the user's own life if they would also hurt other people.
        harmed_child: The reply to a user who has hurt a child of theirs, or a pet, with its question.
        frightened: Replies instead of `harm_to_others` to a user who is frightened by their own thoughts of harm.
        harms_child: They say so; `scolds_child`: they were harsh to it; `own_blow`: a blow without its object.
        corrected: Begins the reply to a user who says in a follow-through that they were misread.
        ask_after_correction: The question that ends it.
        just_acted: The reply to a user who has just acted, before its question.
        believed: The reply to a plain denial of what a rule alone had found; it asks nothing, and names one line.
        unread: The reply to a message that no model could read; `ask_if_urgent` is its question.
        ask_who_is_near: Its question after a yes to that one.
        help_now: The reply to a yes to that question.
        block: Begins the resource block that code appends.
        ask_directly: The question that code adds if the model's reply to a concern lacks it.
        asks_directly: Patterns of a reply that asks whether the user wants to die.
        asks_meaning: Patterns of that question asked as whether the words were meant so.
        admits: A yes to that question.
        only_denies: A whole message that denies a wish to die.
        acted: A whole answer that says that the act is done.
        act_named: The same without the question: names a means, an amount or a wound.
        done: An act told next to a danger that a rule has found.
        soon: A whole answer that says when, where or with what.
        injured: The violence told left an injury.
        after_strangling: Follows the reply to it.
        about_me: The friend whom the user worries about is the user.
        violence_near: A user who is hurt by another person says that it is now.
        named_near: A relative is present: the violent one, or company.
        relatives: Regular expressions of these relatives.
        fine_oneself: A helper says unasked that they do not think of dying themselves.
        danger_near_them: The other person is in danger now.
        lost_touch: The other person cannot be reached, or has said farewell.
        harm_near: A whole answer that says what is done to another person, or with what.
        harm_told: An answer to the question how far the threatened person is, or what is at hand.
        place_named: A whole message that names a place of danger.
        leave: The question whether to end, in a follow-through.
        goodbye: The farewell in a follow-through.
        farewell: Follows the farewell if a danger is open.
    """

    resources: ResourceLists
    line: CrisisText
    family: CrisisText
    not_family: CrisisText
    block: CrisisText
    replies: ProtocolReplies
    questions: dict[Topic, VoicedVariants]
    closed_questions: tuple[ClosedQuestion, ...]
    bare_yes: TestedPhrases
    bare_no: TestedPhrases
    bare_none: TestedPhrases
    names_company: TestedPhrases
    names_nobody: TestedPhrases
    at_hand: Variants
    acknowledgments: tuple[Acknowledgment, ...]
    not_heard: tuple[str, ...]
    for_minors: Variants
    for_hurt_minors: Variants
    for_minors_away_from_home: CrisisText
    others_too: CrisisText
    after_strangling: CrisisText
    harmed_child: Variants
    frightened: Variants
    corrected: CrisisText
    ask_after_correction: CrisisText
    just_acted: CrisisText
    believed: Variants
    unread: Variants
    ask_if_urgent: Variants
    ask_who_is_near: CrisisText
    help_now: CrisisText
    care: Care
    ask_directly: Variants
    asks_directly: PhraseList
    asks_meaning: TestedPhrases
    admits: AdmissionPhrases
    only_denies: TestedPhrases
    acted: TestedPhrases
    act_named: TestedPhrases
    done: TestedPhrases
    soon: TestedPhrases
    harms_child: TestedPhrases
    scolds_child: TestedPhrases
    own_blow: TestedPhrases
    injured: TestedPhrases
    about_me: TestedPhrases
    violence_near: TestedPhrases
    named_near: TestedPhrases
    relatives: tuple[str, ...]
    living: LivingPeople
    fine_oneself: TestedPhrases
    danger_near_them: TestedPhrases
    lost_touch: TestedPhrases
    harm_near: TestedPhrases
    harm_told: TestedPhrases
    takes_back: TestedPhrases
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
            "at_hand": self.at_hand,
            "leave": self.leave,
            "harmed_child": self.harmed_child,
            "frightened": self.frightened,
            "believed": self.believed,
        }
        for name, variants in named.items():
            for text in (*variants.ko, *variants.ko_casual, *variants.en):
                if text.count(RESOURCE_SLOT) != 1:
                    raise ValueError(f"a reply of {name} lacks {RESOURCE_SLOT}: {text[:20]}…")
        return self
