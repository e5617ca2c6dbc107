"""The last words of a session that its user ended by the endpoint."""

from datetime import UTC, datetime

from functions.chat.flows.counseling.farewell import farewell
from shared.content.catalogue import content
from shared.domain.conversation import Consent
from shared.locale import Locale
from tests.fakes.counselling import session

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PUT_TOGETHER = {Locale.KO: "정리해 둘게요", Locale.EN: "I will put together"}


def left(locale, *, granted):
    consent = Consent(granted=granted, version="1", at=NOW, withdrawn_at=None if granted else NOW)
    return farewell(content(), session(locale=locale, consents={"overseas_transfer": consent}))


def test_a_summary_is_promised_to_whom_it_will_be_made_for():
    assert {locale: got for locale in Locale if (got := PUT_TOGETHER[locale]) not in left(locale, granted=True)} == {}


def test_who_took_a_consent_back_is_promised_none():
    assert {locale: got for locale in Locale if (got := PUT_TOGETHER[locale]) in left(locale, granted=False)} == {}
