from shared.locale import Locale, Localized


def test_a_text_is_given_in_the_language_asked_for():
    text = Localized(ko="안녕", en="hello")
    assert [text.at(locale) for locale in Locale] == ["안녕", "hello"]
