"""`answers.yaml`: what is plainly yes, no, refusal and "not known", for every other word file too."""

from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.lexicon.session_words_file import WordFile


class AnswersFile(WordFile):
    """All lists. The fragments are those of every word file."""

    says_yes: ExemplifiedPhrases
    says_no: ExemplifiedPhrases
    agrees: ExemplifiedPhrases
    opens_politely: BilingualPhrases
    says_none: ExemplifiedPhrases
    not_known: ExemplifiedPhrases
    declines: ExemplifiedPhrases
    declines_name: ExemplifiedPhrases
    declines_filler: BilingualPhrases
