"""Violence by a partner gets its line, an act against the neck the medical check, and a shout a counsellor."""

import pytest

from shared.domain.errors import ModelUnavailable
from shared.engine.runner import AgentRunner
from shared.safety.abuse import AbuseKind
from shared.safety.levels import CrisisOutcome
from tests.builders.answers import reads
from tests.builders.shipped_settings import agent_settings
from tests.builders.talk import Talk, locale_of

CHECK = {"ko": ("자국이 없", "119예요"), "en": ("no marks", "an ambulance")}
LINE = {
    "ko": "여성긴급전화 (가정폭력·성폭력·디지털 성범죄·스토킹, 성별 관계없이) 1366",
    "en": "https://findahelpline.com",
}
QUIET = "그날 일이 자꾸 떠올라요. 저를 벽에 세워 두고 숨을 못 쉬게 했거든요."


def heard(talk, said):
    """Return whether the reply names the line for violence, and whether it asks for an examination."""
    language = talk.state.locale.value
    return LINE[language] in said.reply, all(words in said.reply for words in CHECK[language])


async def told(text, *, dead=False, read=None):
    talk = Talk(locale=locale_of(text))
    if dead:
        talk.model.scripts = {"*": ModelUnavailable("503")}
    elif read:
        talk.model.scripts["reader"] = read
    return talk, await talk.say(text)


@pytest.mark.parametrize("dead", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        *("남편이 때려요", "아내가 저를 때려요", "남자친구가 목을 졸랐어요", "헤어지자고 했더니 목을 졸랐어요"),
        *("남편이 제 목을 조를까 봐 무서워요", "남편이 벽에 밀치고 목을 잡았어요", "남편이 때리고 숨을 못 쉬게 했어요"),
        *("my husband choked me last night", "he hit me and squeezed my neck", "남편이 제 목을 조르려고 했어요"),
    ],
)
async def test_a_partners_violence_names_its_line_and_the_examination_of_a_pressed_neck_with_any_model(text, dead):
    talk, said = await told(text, dead=dead)
    assert heard(talk, said) == (True, True)
    assert talk.state.risk.found == (CrisisOutcome.ABUSE,)
    assert "117" not in said.reply


async def test_an_examination_is_asked_for_once():
    talk, said = await told("남자친구가 목을 졸랐어요")
    assert heard(talk, said)[1]
    assert not heard(talk, await talk.say("남자친구가 어제도 목을 졸랐어요"))[1]


async def test_who_was_choked_long_ago_is_not_sent_to_a_doctor():
    talk, said = await told("어릴 때 아빠가 목을 졸랐어요")
    assert (said.outcome.flags, heard(talk, said)) == ((), (False, False))


class TestWhatTheModelReads:
    async def test_of_a_partner_and_the_neck_gets_the_line_and_the_examination(self):
        talk, said = await told(QUIET, read=reads(danger="violence_ongoing"))
        assert heard(talk, said) == (True, True)
        assert (talk.state.risk.outcome, talk.state.risk.hurt_by) == (CrisisOutcome.ABUSE, (AbuseKind.DOMESTIC,))

    async def test_at_this_moment_is_followed_through(self):
        talk, _ = await told(QUIET, read=reads(danger="violence_now"))
        assert (talk.state.risk.outcome, talk.state.risk.follow_through) == (CrisisOutcome.ABUSE_NOW, True)

    async def test_long_ago_is_believed_by_the_counsellor(self):
        _, said = await told(QUIET, read=reads(danger="violence_past"))
        assert (said.directive["heed"], said.outcome.flags) == ("abuse_told", ())

    async def test_of_somebody_whom_a_rule_knows_is_theirs(self):
        talk, _ = await told("학교에서 애들이 때려요", read=reads())
        talk.model.scripts["reader"] = reads(danger="violence_now")
        await talk.say("지금 문 밖에 와 있어요")
        assert talk.state.risk.hurt_by == (AbuseKind.SCHOOL,)

    async def test_without_the_users_words_does_not_count(self):
        _, said = await told(QUIET, read=reads(danger="violence_ongoing", quote="남편이 저를 때려요"))
        assert (said.outcome.flags, said.directive["heed"]) == ((), None)

    async def test_is_answered_by_the_protocol_once_and_stays_with_the_replies_as_long_as_it_is_told(self):
        talk, _ = await told(QUIET, read=reads(danger="violence_ongoing"))
        for text in (
            "남편이 알면 어떡하죠?",
            "애들 짐부터 챙겨야 할까요?",
            "오늘도 들어오면 무서워요",
            "열 시쯤 와요",
            "무서워요",
        ):
            talk.model.scripts["reader"] = reads(danger="violence_ongoing", quote=text)
            said = await talk.say(text)
            assert (said.outcome.flags, said.directive["stance"]) == ((), "accompany")
        assert talk.state.risk.attended

    async def test_goes_no_further_than_the_counsellor_if_the_catalogue_does_not_name_the_model(self):
        talk = Talk()
        talk.runner = AgentRunner(talk.model, agent_settings(model="small-1.5b"), talk.clock)
        talk.model.scripts["reader"] = reads(danger="violence_now", quote=QUIET)
        said = await talk.say(QUIET)
        assert (said.directive["heed"], said.outcome.flags) == ("abuse_told", ())


@pytest.mark.parametrize(
    "text", ["팀장이 소리를 질렀어요", "엄마가 소리를 질렀어요 제가 늦어서", "my boss yelled at me"]
)
async def test_a_shout_is_no_violence_and_gets_the_counsellor(text):
    talk, said = await told(text)
    assert (said.directive["heed"], said.outcome.flags, talk.state.risk.hurt_by) == (None, (), ())
    assert talk.state.risk.told_seq is None
