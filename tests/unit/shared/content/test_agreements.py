"""The shipped agreements say the same in both languages, and what the consents and the code say."""

import re

import pytest

from shared.content.agreements import Agreements
from shared.content.catalogue import DATA, content
from shared.content.schemas.consents import Operator
from shared.domain.agreement.document import PassageKind
from shared.domain.conversation import RETENTION
from shared.domain.errors import ContentError
from shared.domain.records import AUDIT_RETENTION
from shared.locale import Locale

OPERATOR = Operator(name="마음상담소", contact="privacy@example.com")
SERVICE = {locale: content().agreements.service(locale, OPERATOR) for locale in Locale}


def text_of(locale, number):
    passage = SERVICE[locale].passage(f"article-{number}")
    assert passage is not None
    return passage.text


def test_both_languages_have_the_same_articles_with_titles_and_as_many_paragraphs():
    korean, english = SERVICE[Locale.KO].passages, SERVICE[Locale.EN].passages
    assert [passage.id for passage in korean] == [passage.id for passage in english]
    assert len(korean) >= 25
    for one, other in zip(korean, english, strict=True):
        assert (one.title and other.title) or one.kind is PassageKind.PARAGRAPH
        assert len(re.findall("^[①-⑳]", one.text, re.MULTILINE)) == len(
            re.findall(r"^\(\d\)", other.text, re.MULTILINE)
        )


@pytest.mark.parametrize("locale", Locale)
def test_the_agreement_names_the_operator_and_the_retention_of_the_code(locale):
    assert OPERATOR.name in text_of(locale, 3)
    assert OPERATOR.contact in text_of(locale, 3)
    assert str(RETENTION.days) in text_of(locale, 20)
    assert str(AUDIT_RETENTION.days) in text_of(locale, 20)


@pytest.mark.parametrize("locale", Locale)
def test_what_the_consents_say_of_the_provider_the_agreement_says_too(locale):
    consent = next(one for one in content().consents.consents if one.id == "overseas_transfer").text.at(locale)
    for fact in ("Google LLC", "googlekrsupport@google.com", "55"):
        assert fact in consent
        assert fact in text_of(locale, 23)


def test_a_changed_consent_asks_for_a_comparison_of_the_agreement():
    with pytest.raises(ContentError, match="compare the agreement"):
        _ = Agreements(DATA, {"terms": "2099-01-01"}).version


def test_the_standard_forms_have_twelve_articles_or_more_and_all_have_titles():
    forms = content().agreements.standards
    assert {*forms} == {"counseling_adult", "counseling_minor", "counseling_couple", "data_provision", "services"}
    for form in forms.values():
        articles = [passage for passage in form.passages if passage.kind is PassageKind.ARTICLE]
        assert len(articles) >= 12
        assert all(passage.title and passage.text for passage in form.passages)


@pytest.mark.parametrize("locale", Locale)
def test_no_article_reads_as_an_order_to_a_model(locale):
    for passage in SERVICE[locale].passages:
        assert not content().instructions.found_in(passage.text)
