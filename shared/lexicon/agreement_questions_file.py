"""`agreement_questions.yaml`: words by which code reads a question on an agreement."""

from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.lexicon.session_words_file import WordFile


class AgreementQuestionFile(WordFile):
    """All lists."""

    claims: ExemplifiedPhrases
    asks: ExemplifiedPhrases
    hints: ExemplifiedPhrases
    greets: ExemplifiedPhrases
    thanks: ExemplifiedPhrases
    compares: ExemplifiedPhrases
    asks_structure: ExemplifiedPhrases
    searches: ExemplifiedPhrases
    about_service: ExemplifiedPhrases
    asks_elsewhere: ExemplifiedPhrases
    asks_for_prompt: ExemplifiedPhrases
    names_upload: ExemplifiedPhrases
    plain_names: ExemplifiedPhrases
    refers_back: ExemplifiedPhrases
    comparing_words: BilingualPhrases
    naming_words: BilingualPhrases
