"""Compiles the phrases for answers to the crisis protocol (`data/crisis_protocol.yaml`)."""

from shared.content.schemas.crisis import CrisisProtocol, PhraseList
from shared.safety.crisis_answers import AnswerPhrases, CrisisAnswers, Living
from shared.safety.phrases import Phrases
from shared.safety.reassurance import Reassurance

ANSWERS = (  # noqa: SIM905 - too long as a list
    "asks_meaning only_denies acted act_named done soon harms_child scolds_child own_blow injured about_me "
    "violence_near named_near fine_oneself danger_near_them lost_touch harm_near harm_told takes_back place_named "
    "bare_yes bare_no bare_none names_company names_nobody"
).split()


def crisis_answers(written: CrisisProtocol) -> CrisisAnswers:
    """Return the reader of answers.

    Raises:
        KeyError: A pattern names an unknown fragment.
    """

    def phrases(*several: PhraseList) -> Phrases:
        return compiled(written, *several)

    admits, safe = written.admits, written.safe
    taken_back = PhraseList(patterns=(), exclusions=safe.exclusions)
    return CrisisAnswers(
        AnswerPhrases(
            safe={kind: phrases(getattr(safe, kind.value), taken_back) for kind in Reassurance},
            doubt=phrases(safe.doubt),
            direct_question=phrases(written.asks_directly),
            admission=phrases(admits, PhraseList(patterns=admits.understated, exclusions=())),
            denial=phrases(PhraseList(patterns=admits.denials, exclusions=admits.understated)),
            resources_asked=phrases(written.asks_resources),
            relatives=written.relatives,
            living=Living(**written.living.model_dump()),
            closed=written.closed_questions,
            answers={name: phrases(getattr(written, name)) for name in ANSWERS},
        )
    )


def compiled(written: CrisisProtocol, *several: PhraseList) -> Phrases:
    """Return several lists of the protocol as one; the exclusions of each list apply to all.

    Raises:
        KeyError: A pattern names an unknown fragment.
    """
    return Phrases(
        (text for one in several for text in one.patterns),
        (text for one in several for text in one.exclusions),
        written.fragments,
    )
