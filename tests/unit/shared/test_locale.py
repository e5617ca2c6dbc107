from shared.locale import Locale, Localized


def test_a_localized_text_returns_the_requested_language():
    text = Localized(ko="안녕", en="hello")
    assert [text.at(locale) for locale in Locale] == ["안녕", "hello"]
