"""The crisis protocol: required and forbidden content of its texts, and help lines with a source."""

import re
from itertools import product

import pytest

from functions.chat.legacy.voice import wordings
from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice, sourced
from shared.content.schemas.crisis import ProtocolReplies
from shared.content.wordings import nth
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome, Danger
from shared.safety.needs import Need, needs_of
from shared.safety.protocol_questions import ORDER, ToldByAnswer, Topic
from shared.safety.screening import readings_of
from tests.support.phone_numbers import listed_numbers, numbers_in
from tests.support.process import ROOT

_REPLIES = content().crisis_replies
_ANSWERED = [CrisisOutcome(name) for name in ProtocolReplies.model_fields]
_KO, _CASUAL = (Voice(locale=Locale.KO, register_=register) for register in (Register.FORMAL, Register.CASUAL))
_EN = Voice(locale=Locale.EN, register_=Register.FORMAL)
_VOICES = [_KO, _CASUAL, _EN]
_ACKNOWLEDGED = _REPLIES.written.acknowledgments
_MOST = 4
"""The greatest number of variants of a text."""


def _numbers(text):
    return re.findall(r"(?m)^· .* (\S+) \(", text)


def _questions(topic, voice):
    return wordings(topic, voice, content())


def _replied(outcome, voice, n):
    """Return the reply with its first question; that to a concern asks itself."""
    words = _REPLIES.reply(outcome, voice, nth(n))
    if outcome is CrisisOutcome.CONCERN:
        return words
    questions = _questions(ORDER[outcome][0], voice)
    return f"{words}\n\n{questions[n % len(questions)]}"


def _nth(texts, n):
    return texts[n % len(texts)]


_MAKERS = {
    **{outcome.value: lambda voice, n, outcome=outcome: _replied(outcome, voice, n) for outcome in _ANSWERED},
    **{
        f"care-{danger.value}": lambda voice, n, danger=danger: "\n\n".join(
            (_nth(_REPLIES.care(voice, danger), n), _REPLIES.resource_block(voice, (Need.LIFE,)))
        )
        for danger in map(Danger, type(_REPLIES.written.care).model_fields)
    },
    "at-hand": lambda voice, n: _replied(CrisisOutcome.IMMINENT, voice.model_copy(update={"at_hand": True}), n),
    "frightened": lambda voice, n: "\n\n".join(
        (
            _REPLIES.reply(CrisisOutcome.HARM_TO_OTHERS, voice.model_copy(update={"frightened": True}), nth(n)),
            _questions(Topic.HARM_INTENT, voice)[-1],
        )
    ),
    "leave": lambda voice, n: _nth(_REPLIES.leave_question(voice, (Need.LIFE,)), n),
}
_MEANS = (
    r"약을|알약|수면제|칼|손목|목을|뛰어내|옥상|번개탄|한강|농약|가스"
    r"|\bpills?\b|knife|\brope|jump|overdose|razor|\bgun\b|poison"
)
_DIRECT = re.compile(
    r"(?:죽고 싶|죽는 게 낫|자살|해치고 싶"
    r"|suicide|want to die|wish to die|of dying|be dead|hurt yourself|these thoughts)[^.?!\n]*\?",
    re.IGNORECASE,
)
_PROMISE = r"약속|맹세|promise|swear|\bpact\b"
_ENDING = r"상담을? (?:종료|마치겠|끝내겠)|대화를 (?:종료|마치겠|끝내겠)|I(?:'ll| will) end|안녕히"
_DIAGNOSIS = r"우울증|진단|장애|diagnos|disorder"
_REPORTING = r"신고(?:하겠|할게|해야 해|했)|경찰에 (?:알리겠|넘기)|I(?:'ll| will) (?:report|call the police)"
_TRUSTED = (
    r"믿을 (?:만한|수 있는)|함께 있어 줄|가까운 분|one person who|편하게 이야기할 수 있는|떠오르는 |가족|친구"
    r"|이웃|한 분|한 사람|사람 (?:한 명|목소리)|기댈|곁에 있어 줄|함께할|편이 되어"
    r"|사람이 있는 곳|가까운 사람|trust|family|friend|neighbour|relative|someone|anybody nearby"
)
_STAYS = (
    r"여기(?:에서|에|서)? ?(?:계속|있|이야기)|계속 (?:들|듣)|대화는|떠나지 않|이어 가|함께 방법|더 들려|더 들어"
    r"|I'm (?:still )?here|going anywhere|stays open|staying|keep talking"
    r"|listening|go on|Tell me more|go from there|more about|Let's look"
)
_FORBIDDEN = "|".join((_MEANS, _PROMISE, _ENDING, _DIAGNOSIS, _REPORTING))
_FAMILY = r"가족|부모|엄마|아빠|친척|family|parent|relative"


def _texts(make, most=_MOST):
    """Return the texts of `make`, by voice and variant."""
    return {(voice.key, n): make(voice, n) for voice, n in product(_VOICES, range(most))}


def _texts_of_all(**hearer):
    """Return every text of every outcome for one kind of user, by outcome, voice and variant."""
    return {
        (name, *case): text
        for name, make in _MAKERS.items()
        for case, text in _texts(lambda voice, n, make=make: make(voice.model_copy(update=hearer), n)).items()
    }


_ALL = _texts_of_all()


def _spoken(text):
    """Return a text without its help lines and without the sentences that it suggests to say to others."""
    return re.sub(r'"[^"]*"|“[^”]*”|·.*', "", text)


def _without_lines(texts):
    return {case: re.sub(r"(?m)^·.*", "", text) for case, text in texts.items()}


def _repeated(texts, make):
    """Return the texts that the next variant repeats."""
    voices = {voice.key: voice for voice in _VOICES}
    return [case for case, text in texts.items() if text == make(*case[:-2], voices[case[-2]], case[-1] + 1)]


def _lacking(pattern, texts):
    return {case: text for case, text in texts.items() if not re.search(pattern, text)}


def _holding(pattern, texts):
    found = {case: re.search(pattern, text, re.IGNORECASE) for case, text in texts.items()}
    return {case: match[0] for case, match in found.items() if match}


class TestEveryText:
    def test_asks_directly_and_lists_help_lines(self):
        asked = {case: _spoken(text) for case, text in _ALL.items()}
        assert {case: text for case, text in asked.items() if text.count("?") != 1} == {}
        assert _lacking(_DIRECT, {case: text for case, text in asked.items() if case[0] in ("concern", "crisis")}) == {}
        assert _holding(r"\{", _ALL) == {}
        assert _lacking(r"(?m)^·", _ALL) == {}
        others = {case: text for case, text in _ALL.items() if not case[0].startswith("abuse")}
        assert _lacking(r"(?m)^·.* 109 ", others) == {}
        assert {case: text for case, text in others.items() if len(re.findall(r"(?m)^·", text)) < 2} == {}

    def test_names_a_trusted_person_and_says_that_the_conversation_goes_on(self):
        texts = _without_lines(_ALL)
        assert _lacking(_TRUSTED, texts) == {}
        assert _lacking(_STAYS, texts) == {}

    def test_names_no_means_and_contains_no_promise_ending_diagnosis_or_report(self):
        assert _holding(_FORBIDDEN, _ALL) == {}

    def test_keeps_its_register_and_language(self):
        spoken = {voice: {c: _spoken(text) for c, text in _ALL.items() if c[1] == voice.key} for voice in _VOICES}
        assert _holding(r"[가-힣]", {case: text for case, text in _ALL.items() if case[1] == _EN.key}) == {}
        assert _holding(r"(?:요|니다|세요)[.?!]|당신|시겠", spoken[_CASUAL]) == {}
        assert _lacking(r"요[.?]", spoken[_KO]) == {}
        assert _holding(r"(?:[했있없]어|[할줄]게|[았었]어|이야|거야|해 줘)[.?!]", spoken[_KO]) == {}

    def test_never_repeats_in_the_next_variant_or_in_another_outcome(self):
        assert _repeated(_ALL, lambda name, voice, n: _MAKERS[name](voice, n)) == []
        for voice in _VOICES:
            made = {name: {maker(voice, n) for n in range(_MOST)} for name, maker in _MAKERS.items()}
            assert len(set().union(*made.values())) == sum(len(texts) for texts in made.values())


def test_the_reply_to_a_believed_denial_asks_nothing_names_one_line_and_gives_the_word_back():
    wordings = {voice.key: _REPLIES.believed(voice, (Need.LIFE, Need.MIND)) for voice in _VOICES}
    texts = {f"{key} {number}": text for key, every in wordings.items() for number, text in enumerate(every)}
    assert _holding(r"\{|\?|\n", texts) == {}
    assert _lacking(r"^\D*(?:109|988)\D*$", texts) == {}
    assert _lacking(_STAYS, texts) == {}
    assert _lacking(r"믿을게|I believe", texts) == {}
    assert _holding(_FORBIDDEN, texts) == {}


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
def test_each_wording_of_whether_somebody_is_near_has_answers(voice):
    answers, (yes, no) = content().crisis_answers, map(content().screening.screen, ("yes", "no"))
    for text in _questions(Topic.COMPANY, voice):
        told = {answers.told_by_answer(said, Topic.COMPANY, text) for said in (yes, no)}
        assert told == {ToldByAnswer.ALONE, ToldByAnswer.WITH_SOMEBODY}, text


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
def test_a_question_asks_one_thing_and_no_other_fixed_text_in_danger_asks_it_in_the_same_words(voice):
    asked = [text for topic in Topic for text in _questions(topic, voice)]
    asked += _REPLIES.direct_questions(voice)
    asked += [
        text for danger in (Danger.OWN_LIFE, Danger.VIOLENCE, Danger.OTHERS) for text in _REPLIES.care(voice, danger)
    ]
    assert [text for text in asked if text.count("?") != 1] == []
    questions = [re.findall(r"[^.?!\n]*\?", text)[0].strip() for text in asked]
    assert sorted(one for one in set(questions) if questions.count(one) > 1) == []
    forbidden = "|".join((_MEANS, _PROMISE, _ENDING, _DIAGNOSIS))
    assert _holding(forbidden, dict(enumerate(asked))) == {}


def test_exactly_the_outcomes_that_the_protocol_answers_have_texts():
    assert {outcome for outcome in CrisisOutcome if outcome.needs_protocol} == set(_ANSWERED) - {CrisisOutcome.CONCERN}
    for outcome in (CrisisOutcome.NONE, CrisisOutcome.ABUSE_TOLD):
        with pytest.raises(KeyError):
            _REPLIES.reply(outcome, _KO, nth(0))


@pytest.mark.parametrize("outcome", [outcome for outcome in _ANSWERED if outcome is not CrisisOutcome.CONCERN])
def test_a_minor_gets_the_youth_line_and_is_sent_to_a_trusted_adult(outcome):
    texts = _texts(lambda voice, n: _REPLIES.reply(outcome, voice.model_copy(update={"minor": True}), nth(n)), 3)
    talking = {one.number for one in _REPLIES.resources(Locale.KO, tuple(Need), minor=True)} - {"112", "119"}
    shown = {case: [number for number in _numbers(text) if number in talking] for case, text in texts.items()}
    place = 0 if outcome.value.startswith("abuse") else 1
    assert {case: lines for case, lines in shown.items() if lines.index("1388") != place} == {}
    assert _lacking(r"어른|adult", texts) == {}
    assert outcome is not CrisisOutcome.HARM_TO_OTHERS or _holding(_FAMILY, texts) == {}
    assert _holding("1388", _texts(lambda voice, n: _REPLIES.reply(outcome, voice, nth(n)), 3)) == {}
    assert _holding("|".join((_MEANS, _PROMISE, _ENDING)), texts) == {}


def test_the_direct_question_is_direct_and_contains_nothing_forbidden():
    texts = [text for voice in _VOICES for text in _REPLIES.direct_questions(voice)]
    texts = dict(enumerate(texts))
    assert _lacking(_DIRECT, texts) == {}
    assert _holding(_FORBIDDEN, texts) == {}


@pytest.mark.parametrize("minor", [False, True])
@pytest.mark.parametrize("home", ["hurt_at_home", "fears_home"])
def test_a_user_hurt_at_home_or_afraid_of_it_or_a_minor_who_may_hurt_others_is_not_sent_to_the_family(minor, home):
    assert _holding(_FAMILY, _without_lines(_texts_of_all(**{home: True}, minor=minor))) == {}
    harming = {"minor": True, "harming": True}
    for outcome in (CrisisOutcome.HARM_TO_OTHERS, CrisisOutcome.CRISIS):
        texts = _texts(lambda voice, n, of=outcome: _REPLIES.reply(of, voice.model_copy(update=harming), nth(n)))
        assert _holding(_FAMILY, texts) == {}


@pytest.mark.parametrize(
    ("danger", "there", "not_there"),
    [
        (Danger.OWN_LIFE, r"안전|곁|함께|마음|safe|with you|feel", r"그 사람|that person"),
        (Danger.VIOLENCE, r"그 사람|몸을 피해|that person|safe place", r"전화 한 통|make one call"),
        (Danger.OTHERS, r"그 사람|위험한 물건|that person|out of reach", r"전화 한 통|make one call"),
    ],
)
def test_words_of_care_fit_the_danger(danger, there, not_there):
    texts = _texts(lambda voice, n: _nth(_REPLIES.care(voice, danger), n))
    assert _lacking(there, texts) == {}
    assert _holding(not_there, texts) == {}


def test_the_farewell_in_a_crisis_wishes_no_pleasant_evening_and_names_a_trusted_person():
    farewells = {voice.key: _REPLIES.goodbye(voice) for voice in _VOICES}
    assert _holding(r"편안|즐거|좋은 (?:하루|밤|시간)|nice|good night", farewells) == {}
    assert _lacking(_TRUSTED, {voice.key: _REPLIES.farewell_block(voice, (Need.LIFE,)) for voice in _VOICES}) == {}


class TestAnAcknowledgment:
    @pytest.mark.parametrize(
        ("said", "words"),
        [
            ("엄마가 돌아가신 뒤로 죽고 싶어요", "잃은 아픔"),
            ("저는 가족들한테 짐만 되니까 죽고 싶어요", "짐처럼"),
            ("너무 외로워서 죽고 싶어요", "혼자라는 느낌"),
            ("저는 쓸모없는 사람이라 죽고 싶어요", "탓하는 마음"),
            ("너무 지쳐서 죽고 싶어요", "지치고 아프셨군요"),
        ],
    )
    def test_of_the_stated_burden_replaces_the_first_sentence_without_quoting_it(self, said, words):
        text, plain = (_REPLIES.reply(CrisisOutcome.CRISIS, _KO, nth(0), said=readings_of(one)) for one in (said, ""))
        assert words in text.splitlines()[0]
        assert said not in text
        assert text.partition(". ")[2] == plain.partition(". ")[2], "it takes the first sentence's place"
        assert plain.partition(". ")[0] not in text

    @pytest.mark.parametrize(
        ("outcome", "said"),
        [
            *product(
                (CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED),
                ("너무 외로워서 유서를 썼어요", "지쳐서 지금 옥상에 있어요"),
            ),
            (CrisisOutcome.CRISIS, "죽고 싶어요"),
        ],
    )
    def test_is_left_out_without_a_stated_burden_or_when_a_life_is_in_danger(self, outcome, said):
        assert _REPLIES.reply(outcome, _KO, nth(0), said=readings_of(said)) == _REPLIES.reply(outcome, _KO, nth(0))

    def test_matches_its_examples_only_and_names_no_means_and_asks_nothing(self):
        assert [said for one in _ACKNOWLEDGED for said in one.positives if not self.acknowledges(one, said)] == []
        assert [said for one in _ACKNOWLEDGED for said in one.negatives if self.acknowledges(one, said)] == []
        texts = {(one, voice.key): dict(one)[voice.key] for one in _ACKNOWLEDGED for voice in _VOICES}
        assert _holding(rf"{_MEANS}|\?", texts) == {}

    def acknowledges(self, one, said):
        voice = _EN if said.isascii() else _KO
        return dict(one)[voice.key] in _REPLIES.reply(CrisisOutcome.CRISIS, voice, nth(0), said=readings_of(said))


class TestHelpLines:
    def test_every_number_in_a_text_is_one_of_the_hotlines(self):
        shown = {
            *("replies", "for_minors", "for_hurt_minors", "for_minors_away_from_home", "care", "ask_directly"),
            *("leave", "goodbye", "farewell", "block"),
        }
        numbers = {*numbers_in(_REPLIES.written.model_dump_json(include=shown))}
        assert {"119", "112", "1388", "911"} <= numbers
        assert numbers <= listed_numbers()

    def test_a_part_of_a_number_is_not_sourced(self):
        known = ["119", "112", "988", "911", "1577-0199", "116 123"]
        numbers = [*known, "11", "0199", "116", "123"]
        assert [number for number in numbers if sourced(number, content().hotlines)] == known

    def test_each_outcome_lists_its_own_numbers(self):
        talking, coming = ["109", "1577-0199"], ["119", "112", "109", "1577-0199"]
        lines = {
            **dict.fromkeys((CrisisOutcome.CONCERN, CrisisOutcome.THIRD_PARTY, CrisisOutcome.CRISIS), talking),
            CrisisOutcome.HARM_TO_OTHERS: ["112", "119", *talking],
            **dict.fromkeys((CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED, CrisisOutcome.THIRD_PARTY_NOW), coming),
            CrisisOutcome.ABUSE: ["112"],
            CrisisOutcome.ABUSE_NOW: ["112", "119"],
        }
        shown = {outcome: _REPLIES.resources(Locale.KO, needs_of(outcome), minor=False) for outcome in lines}
        assert {outcome: [one.number for one in ones] for outcome, ones in shown.items()} == lines

    @pytest.mark.parametrize(
        ("outcome", "needs", "numbers"),
        [
            (CrisisOutcome.CRISIS, (Need.VIOLENCE, Need.POLICE), ["109", "1577-0199", "1366", "112"]),
            (CrisisOutcome.ABUSE_NOW, (Need.VIOLENCE, Need.LIFE), ["112", "119", "1366", "109", "1577-0199"]),
            (CrisisOutcome.IMMINENT, (Need.POLICE, Need.VIOLENCE), ["119", "112", "109", "1577-0199", "1366"]),
            (CrisisOutcome.CRISIS, (Need.EMERGENCY,), ["119", "112", "109", "1577-0199"]),
            (CrisisOutcome.ABUSE, (Need.SCHOOL, Need.MIND), ["117", "1577-0199", "112"]),
            (CrisisOutcome.ABUSE, (Need.ELDER, Need.VIOLENCE), ["1577-1389", "1366", "112"]),
        ],
    )
    def test_of_several_needs_add_up_with_emergency_numbers_first_when_a_life_is_in_danger(
        self, outcome, needs, numbers
    ):
        assert _numbers(_REPLIES.reply(outcome, _KO, nth(0), needs=needs)) == numbers

    def test_in_english_are_ordered_by_country_with_the_emergency_number_first(self):
        lines = [
            line for line in _REPLIES.reply(CrisisOutcome.IMMINENT, _EN, nth(0)).splitlines() if line.startswith("·")
        ]
        assert _numbers("\n".join(lines))[:2] == ["911", "988"]
        assert [line.split(": ")[1].split(" (")[0] for line in lines] == [
            *("911", "988", "999", "116 123", "119", "112", "109", "1577-0199"),
            "https://findahelpline.com",
        ]
        assert all(line.count(": ") == 1 for line in lines)

    @pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
    def test_are_all_listed_in_the_appended_blocks(self, voice):
        needs = tuple(Need)
        for block in (_REPLIES.resource_block(voice, needs), _REPLIES.farewell_block(voice, needs)):
            assert all(one.number in block for one in _REPLIES.resources(voice.locale, needs, minor=True))

    def test_a_retired_number_is_shown_nowhere(self):
        # Korea's former suicide line, replaced by 109 on 2024-01-01 (hotlines.json). The guard names it to stop it.
        kinds = {".yaml", ".json", ".py", ".j2", ".md", ".html", ".js", ".css"}
        folders = ("shared", "functions", "local", "web", "docs")
        read = [path for name in folders for path in (ROOT / name).rglob("*") if path.suffix in kinds]
        assert any(path.name == "crisis_protocol.yaml" for path in read)
        for path in (*(path for path in read if path.stem != "guard_contacts"), ROOT / "README.md"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?<![\w.-])1[- ]?3[- ]?9[- ]?3(?![\w-])", text), path
